"""Arrays of every library that follows the Array API standard, such as CuPy: the framework engine only.

The standard has no access to memory that the kernels could read. Results belong to the same library and device.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import array_api_compat
import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, ArgumentTypeError, UnsupportedError
from . import CHANNELS_LAST, _ops_engine
from ._array_api_ops import ArrayApiOps
from ._call import Call, Prepared, prepare_without_out, unsupported_dtype

if TYPE_CHECKING:
    from ..plan import Plan

AXES = CHANNELS_LAST
_FLOATS = ("float16", "float32", "float64")
_NAMES = ("bool", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)), *_FLOATS)


class DeviceOps(ArrayApiOps):
    """The ops of a library whose arrays may be on several devices."""

    def constant(self, values: NDArray, x: Any) -> Any:
        device = array_api_compat.device(x)  # libraries may share memory, and the values are read-only
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
    raise unsupported_dtype(x.dtype, has_bfloat16=False)


def _namespace(x: Any) -> Any:
    """Return the namespace of the library of an array."""
    try:
        return array_api_compat.array_namespace(x)
    except TypeError as failure:
        raise ArgumentTypeError(
            f"cannot resize a {_type_name(x)}, whose library does not follow the Array API: {failure}"
        ) from None


def _type_name(x: Any) -> str:
    return f"{type(x).__module__}.{type(x).__name__}"


def prepare(plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None) -> Prepared:
    """Return a function that applies the plan to arrays of this shape and dtype."""
    if engine == "kernel":
        raise UnsupportedError(
            f"the kernels read memory of NumPy, and this is a {_type_name(x)}; leave engine out, or convert it to NumPy"
        )
    apply = partial(_resize, DeviceOps(_namespace(x)), dtype(x))
    return prepare_without_out(apply, "the framework engine", plan, axes, engine)


def _resize(ops: DeviceOps, dtype: np.dtype, x: Any, call: Call) -> Any:
    return _ops_engine.apply(ops, call.plan, x, call.axes, dtype)
