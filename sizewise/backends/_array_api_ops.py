"""Ops of the framework engine, for every library that follows the Array API standard, such as NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArrayApiOps:
    """Ops that the engine uses besides arithmetic operators, by the names of the standard; backends override some."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def constant(self, values: NDArray, x: Any) -> Any:
        """Return the values as an array of the library, on the device of x."""
        return self.xp.asarray(values)

    def copy(self, x: Any) -> Any:
        """Return a copy of x, or x itself where arrays are immutable."""
        return self.xp.asarray(x, copy=True)

    def take(self, x: Any, indices: Any, axis: int) -> Any:
        """Return x at the indices along the axis."""
        return self.xp.take(x, indices, axis=axis)

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        """Return x in another dtype."""
        return self.xp.astype(x, self.dtype(dtype))

    def dtype(self, dtype: np.dtype) -> Any:
        """Return the library's own dtype."""
        return getattr(self.xp, dtype.name)

    def round(self, x: Any) -> Any:
        """Return the nearest integers, half to even."""
        return self.xp.round(x)

    def clip(self, x: Any, low: float, high: float) -> Any:
        """Return x clamped to low .. high, and NaN as 0."""
        return self.xp.clip(self.where(x == x, x, self.xp.zeros_like(x)) if self.is_floating(x) else x, low, high)

    def is_floating(self, x: Any) -> bool:
        """Return whether the elements of x are floats."""
        return bool(self.xp.isdtype(x.dtype, "real floating"))

    def where(self, mask: Any, x: Any, other: Any) -> Any:
        """Return x where the mask is true, and the other elsewhere."""
        return self.xp.where(mask, x, other)

    def sum(self, x: Any, axis: int) -> Any:
        """Return the sum along an axis, in the dtype of x."""
        return self.xp.sum(x, axis=axis, dtype=x.dtype)

    def split(self, x: Any, axis: int, width: int) -> Any:
        """Return x with that axis split into two, the second of length `width`."""
        return self.xp.reshape(x, (*x.shape[:axis], x.shape[axis] // width, width, *x.shape[axis + 1 :]))


@cache
def numpy_ops() -> ArrayApiOps:
    """Return the ops of NumPy.

    >>> numpy_ops().take(np.arange(5), np.array([1, 3]), 0)
    array([1, 3])
    """
    return _NumPyOps(np)


class _NumPyOps(ArrayApiOps):
    """NumPy's ops; also for NumPy 1, which lacks some names of the standard, and for dtypes of other packages."""

    def copy(self, x: Any) -> Any:
        return np.array(x)

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x.astype(dtype)

    def is_floating(self, x: Any) -> bool:
        return bool(x.dtype.kind == "f")
