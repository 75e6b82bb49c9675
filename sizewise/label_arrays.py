"""Array operations that labels need, on arrays of any library: constants, clipping, joining."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import ArgumentError, ArgumentTypeError, DtypeError, short_repr

_ROOTS = {"jaxlib": "jax"}
_KNOWN = ("numpy", "torch", "jax", "tensorflow", "autograd", "dask")


def library_of(x: Any) -> str:
    """Return the library of an array, or "array_api" for others of the array API standard.

    >>> library_of(np.zeros(3))
    'numpy'
    """
    for base in type(x).__mro__:
        root = base.__module__.partition(".")[0]
        if (name := _ROOTS.get(root, root)) in _KNOWN:
            return name
    if hasattr(x, "__array_namespace__"):
        return "array_api"
    raise ArgumentTypeError(
        f"cannot map labels in a {type(x).__module__}.{type(x).__name__}; give a list, or an array of NumPy, PyTorch, "
        "JAX, TensorFlow, autograd, Dask or the array API standard"
    )


def dtype_name(x: Any) -> str:
    """Return the name of the dtype of an array.

    >>> dtype_name(np.zeros(3, np.int16))
    'int16'
    """
    dtype = x.dtype
    return str(getattr(dtype, "name", dtype)).rpartition(".")[2]


def as_floats(given: Any, name: str, last: Sequence[int]) -> Any:
    """Return labels as an array of floats whose last axes have these lengths; lists become NumPy arrays.

    Integers become float64 in NumPy, and the default float of other libraries.

    >>> as_floats([[1, 2]], "points", (2,))
    array([[1., 2.]])
    """
    x = as_array(given, name)
    if isinstance(given, (list, tuple)) and x.shape == (0,):
        x = x.reshape(0, *last)
    shape, count = tuple(x.shape), len(last)
    if len(shape) < count or any(n not in (None, m) for n, m in zip(shape[-count:], last, strict=True)):
        wanted = "x".join(map(str, last))
        raise ArgumentError(f"{name} have shape {shape}; the last {'axis' if count == 1 else 'axes'} must be {wanted}")
    kind = dtype_name(x)
    if kind.startswith(("float", "bfloat")):
        return x
    if not kind.startswith(("int", "uint")):
        raise DtypeError(f"{name} have dtype {kind}; give floats or integers")
    return _to_floats(x)


def as_array(given: Any, name: str) -> Any:
    """Return an array unchanged, and a list or tuple as a NumPy array of numbers.

    >>> as_array([1, 2], "points")
    array([1, 2])
    """
    if not isinstance(given, (list, tuple, int, float)):
        library_of(given)
        return given
    try:
        x = np.asarray(given)
    except ValueError:
        x = np.asarray(None)
    if x.dtype.kind not in "iuf":
        raise ArgumentError(f"{name} must be numbers in rows of one length, not {short_repr(given)}")
    return x


def _to_floats(x: Any) -> Any:
    """Return integers as floats."""
    library = library_of(x)
    if library == "tensorflow":
        return sys.modules["tensorflow"].cast(x, "float32")
    if library == "torch":
        return x.to(sys.modules["torch"].get_default_dtype())
    if library == "array_api":
        namespace = x.__array_namespace__()
        return namespace.astype(x, namespace.float64)
    return x * 1.0 if library == "jax" else x.astype(np.float64)


def constant(values: Any, like: Any) -> Any:
    """Return numbers as an array of the library, dtype and device of another.

    >>> constant([0.5, 2], np.zeros(3, np.float32))
    array([0.5, 2. ], dtype=float32)
    """
    library, vector = library_of(like), np.asarray(values, np.float64)
    if library == "torch":
        return like.new_tensor(vector.tolist())
    if library == "tensorflow":
        return sys.modules["tensorflow"].constant(vector, like.dtype)
    if library == "array_api":
        namespace = like.__array_namespace__()
        return namespace.asarray(vector.tolist(), dtype=like.dtype, device=like.device)
    return vector.astype(like.dtype)


def clip(x: Any, low: Sequence[float], high: Sequence[float]) -> Any:
    """Return x limited along its last axis; NaN stays NaN.

    >>> clip(np.array([-1.0, 9.0]), [0, 0], [4, 4])
    array([0., 4.])
    """
    library, bounds = library_of(x), (constant(low, x), constant(high, x))
    if library == "tensorflow":
        return sys.modules["tensorflow"].clip_by_value(x, *bounds)
    if library == "autograd":
        import autograd.numpy

        return autograd.numpy.clip(x, *bounds)
    if library == "array_api":
        return x.__array_namespace__().clip(x, *bounds)
    return x.clip(*bounds)


def join(parts: Sequence[Any]) -> Any:
    """Return arrays joined along their last axis.

    >>> join([np.zeros(1), np.ones(1)])
    array([0., 1.])
    """
    library = library_of(parts[0])
    if library == "torch":
        return sys.modules["torch"].cat(list(parts), -1)
    if library == "tensorflow":
        return sys.modules["tensorflow"].concat(list(parts), -1)
    if library == "jax":
        import jax.numpy as namespace
    elif library == "autograd":
        import autograd.numpy as namespace
    elif library == "dask":
        import dask.array as namespace
    elif library == "array_api":
        return parts[0].__array_namespace__().concat(list(parts), axis=-1)
    else:
        namespace = np
    return namespace.concatenate(list(parts), axis=-1)
