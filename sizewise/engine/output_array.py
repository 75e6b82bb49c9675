"""Validation of the array that a caller gives as `out`."""

from __future__ import annotations

import numpy as np

from .. import validation
from ..errors import ArgumentError, ArgumentTypeError
from .layout import is_c_contiguous
from .packing import Array


def check_output(out: Array, x: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return the caller's array as a plain `ndarray` to write into; raise if it cannot hold the result."""
    if not isinstance(out, np.ndarray) or validation.is_masked(out):
        raise ArgumentTypeError(f"out must be a NumPy array without a mask, not {type(out).__name__}")
    require_fit(out, shape, dtype)
    if not out.flags.writeable:
        raise ArgumentError("out is read-only; it must be writable")
    if not is_c_contiguous(out) and _overlaps_itself(out):
        raise ArgumentError(f"out has strides {out.strides}: elements of it may share memory; each needs its own")
    if np.may_share_memory(x, out) and _overlap(x, out):
        raise ArgumentError("out may overlap the input in memory; give it separate memory")
    return out.view(np.ndarray)  # subclasses may index differently: a matrix is never 1-D


def require_fit(out: Array, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Raise if `out` has another shape or dtype than the result."""
    if out.shape != shape or out.dtype.newbyteorder("=") != dtype:
        raise ArgumentError(
            f"out has shape {out.shape} and dtype {out.dtype}; the result has shape {shape} and dtype {dtype}"
        )


def _overlaps_itself(out: Array) -> bool:
    """Return whether two elements may share memory: each stride must exceed the extent of the smaller ones."""
    extent = out.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(out.strides, out.shape, strict=True) if n > 1):
        if stride < extent:
            return True
        extent += stride * (n - 1)
    return False


def _overlap(x: Array, out: Array) -> bool:
    try:
        return np.shares_memory(x, out, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:  # the exact answer would take too long: assume the worst
        return True
