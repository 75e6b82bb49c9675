"""Ops of the framework engine for every library that follows the Array API standard, such as NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArrayApiOps:
    """The ops of a library, by the names of the standard."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def constant(self, values: NDArray, x: Any) -> Any:
        # A copy: libraries may share the memory, and ours is read-only.
        array = self.xp.asarray(values.copy(), dtype=self.dtype(values.dtype))
        device = getattr(x, "device", "cpu")
        return array if device == "cpu" or array.device == device else array.to_device(device)

    def dtype(self, dtype: np.dtype) -> Any:
        return getattr(self.xp, "bool" if dtype.kind == "b" else dtype.name)

    def copy(self, x: Any) -> Any:
        return self.xp.asarray(x, copy=True)

    def take(self, x: Any, indices: Any, axis: int) -> Any:
        return self.xp.take(x, indices, axis=axis)

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return self.xp.astype(x, self.dtype(dtype))

    def round(self, x: Any) -> Any:
        return self.xp.round(x)

    def clip(self, x: Any, low: float, high: float) -> Any:
        return self.xp.clip(self.where(x == x, x, self.xp.zeros_like(x)) if self.is_floating(x) else x, low, high)

    def is_floating(self, x: Any) -> bool:
        return bool(self.xp.isdtype(x.dtype, "real floating"))

    def where(self, mask: Any, x: Any, other: Any) -> Any:
        return self.xp.where(mask, x, other)

    def sum(self, x: Any, axis: int) -> Any:
        return self.xp.sum(x, axis=axis, dtype=x.dtype)

    def split(self, x: Any, axis: int, width: int) -> Any:
        return self.xp.reshape(x, (*x.shape[:axis], -1, width, *x.shape[axis + 1 :]))


@cache
def numpy_ops() -> ArrayApiOps:
    """Return the ops of NumPy.

    >>> numpy_ops().take(np.arange(5), np.array([1, 3]), 0)
    array([1, 3])
    """
    return _NumPy(np)


class _NumPy(ArrayApiOps):
    """NumPy's ops; also for NumPy 1, which lacks some names of the standard, and for dtypes of other packages."""

    def constant(self, values: NDArray, x: Any) -> Any:
        return values

    def copy(self, x: Any) -> Any:
        return np.array(x)

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x.astype(dtype)

    def is_floating(self, x: Any) -> bool:
        return bool(x.dtype.kind == "f")
