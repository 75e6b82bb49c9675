"""Checks of the array that a caller gives as `out`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from .. import validation
from ..errors import ArgumentError, ArgumentTypeError
from . import layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.generic]"


def check_output(out: Array, x: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return the caller's array as a plain one to write into; raise if the result does not fit it."""
    if not isinstance(out, np.ndarray) or validation.is_masked(out):
        raise ArgumentTypeError(f"out must be a NumPy array without a mask, not {type(out).__name__}")
    require_fit(out, shape, dtype)
    if not out.flags.writeable:
        raise ArgumentError("out is read-only; it must be writable")
    if not layout.plain(out) and _folded(out):
        raise ArgumentError(f"out has strides {out.strides}: elements of it may share memory; each needs its own")
    if np.may_share_memory(x, out) and _overlap(x, out):
        raise ArgumentError("out may overlap the input in memory; give it memory of its own")
    return out.view(np.ndarray)  # a subclass may index in ways of its own: a matrix is never 1-D


def require_fit(out: Array, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Refuse an array to write into of another shape or dtype than the result has."""
    if out.shape != shape or out.dtype.newbyteorder("=") != dtype:
        raise ArgumentError(
            f"out has shape {out.shape} and dtype {out.dtype}; the result has shape {shape} and dtype {dtype}"
        )


def _folded(out: Array) -> bool:
    """Whether two elements may share memory: each stride must step over all that the smaller ones reach."""
    reach = out.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(out.strides, out.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def _overlap(x: Array, out: Array) -> bool:
    try:
        return np.shares_memory(x, out, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:  # the exact answer would take too long: keep on the safe side
        return True
