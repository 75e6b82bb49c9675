"""Arrays of every library that follows the Array API standard, such as CuPy: the framework engine only.

The standard has no access to memory that the kernels could read. Results belong to the same library and device.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import array_api_compat
import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError
from . import CHANNELS_LAST, _ops_engine, refuse_out
from ._array_api_ops import ArrayApiOps

if TYPE_CHECKING:
    from ..plan import Plan

AXES = CHANNELS_LAST
_NAMES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16",
    "float32",
    "float64",
)


class DeviceOps(ArrayApiOps):
    """The ops of a library whose arrays may be on several devices."""

    def constant(self, values: NDArray, x: Any) -> Any:
        device = array_api_compat.device(x)
        return self.xp.asarray(values.copy(), dtype=self.dtype(values.dtype), device=device)


def array(x: Any) -> Any:
    """Return the array itself; raise if its elements cannot be resized or its shape is unknown."""
    dtype(x)
    if any(n is None for n in x.shape):
        raise ArgumentError(f"cannot resize an array of unknown shape: {tuple(x.shape)}; compute its shape first")
    return x


def dtype(x: Any) -> np.dtype:
    """Return the NumPy dtype of an array."""
    xp = _namespace(x)
    for name in _NAMES:
        if x.dtype == getattr(xp, name, None):
            return np.dtype(name)
    raise DtypeError(
        f"cannot resize an array of dtype {x.dtype}; use bool, an integer type, float16, float32 or float64"
    )


def _namespace(x: Any) -> Any:
    """Return the namespace of the library of an array."""
    try:
        return array_api_compat.array_namespace(x)
    except TypeError as failure:
        kind = type(x)
        raise ArgumentTypeError(
            f"cannot resize a {kind.__module__}.{kind.__name__}, whose library does not follow the Array API: {failure}"
        ) from None


def prepare(
    plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Any, object, int | None], Any]:
    """Return a function that applies the plan to arrays of this shape and dtype."""
    if engine == "kernel":
        raise UnsupportedError(
            f"the kernels read memory of NumPy, and this is a {type(x).__module__}.{type(x).__name__}; leave engine "
            "out, or convert it to NumPy first"
        )
    return partial(_resize, DeviceOps(_namespace(x)), plan, axes, dtype(x))


def _resize(
    ops: DeviceOps, plan: Plan, axes: tuple[int, ...], dtype: np.dtype, x: Any, out: object = None,
    threads: int | None = None,
) -> Any:  # fmt: skip
    refuse_out(out, "the framework engine")
    return _ops_engine.apply(ops, plan, x, axes, dtype)
