"""TF.js's `tf.grads`, on the tape of the autograd package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import ArgumentError, ArgumentTypeError, MissingExtraError, short_repr
from .tensors import tensor


def grads(f: Callable[..., Any]) -> Callable[..., list[Any]]:
    """The function `(args, dy=None)` that gives the gradient of f at each of the arrays in the list `args`.

    As in TF.js, dy is the gradient at f's own output, of its shape; without it, f's output is summed. f may use the ops
    of this module and those of `autograd.numpy`. Integer arrays and nested lists are read as float32, as in TF.js. An
    argument that f does not use has gradient zero; TF.js throws.

    >>> image = np.array([1, 2, 3, 4], np.float32).reshape(1, 2, 2, 1)
    >>> from sizewise.compat.tfjs import resize_bilinear
    >>> [dx] = grads(lambda img: resize_bilinear(img, (4, 4)).sum())([image])
    >>> dx.ravel()
    array([2.25, 3.75, 3.75, 6.25], dtype=float32)
    """
    try:
        from autograd import make_vjp
    except ImportError:
        raise MissingExtraError("grads()", "autograd") from None
    if not callable(f):
        raise ArgumentTypeError(f"grads() takes a function, not {short_repr(f)}")

    def gradients(args: Sequence[Any], dy: Any = None) -> list[Any]:
        if not isinstance(args, (list, tuple)) or not args:
            given = "an empty one" if isinstance(args, (list, tuple)) else type(args).__name__
            raise ArgumentError(f"grads(f) takes a list of arrays, one per argument of f, not {given}")
        arrays = [_floating(x, f"args[{position}]") for position, x in enumerate(args)]
        pull, y = make_vjp(f, argnum=tuple(range(len(arrays))))(*arrays)
        pulled = pull(_seed(dy, y))
        return [np.asarray(dx, x.dtype) for dx, x in zip(pulled, arrays, strict=True)]

    return gradients


def _floating(x: Any, name: str) -> Any:
    array = tensor(x, name)
    return array if array.dtype.kind == "f" else array.astype(np.float32)


def _seed(dy: Any, y: Any) -> Any:
    """The gradient to start from, at f's output y."""
    if not isinstance(y, (np.ndarray, np.floating, float)):
        raise ArgumentTypeError(f"the function given to grads() must return one floating array, not {type(y).__name__}")
    dtype = np.result_type(y)
    if dy is None:
        return np.ones(np.shape(y), dtype)
    seed = np.asarray(tensor(dy, "dy"), dtype)
    if seed.shape != np.shape(y):
        raise ArgumentError(
            f"dy has shape {seed.shape}, but the function returned shape {np.shape(y)}; they must agree"
        )
    return seed
