"""NumPy arrays: the plan through the kernels, from arrays of any strides, dtype and byte order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from .. import validation
from ..engine import staging
from ..engine.executor import executor_for
from ..errors import CONVERSION_ERRORS, ArgumentError, ArgumentTypeError
from ..fork_safety import import_module
from ..validation import require_resizable_dtype as require_resizable_dtype
from . import CHANNELS_LAST, refuse_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..plan import Plan

Array: TypeAlias = "NDArray[np.generic]"

AXES = CHANNELS_LAST


def dtype(x: Array) -> np.dtype:
    """Return the dtype of an array."""
    return x.dtype


def prepare(
    plan: Plan, x: Array, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Array, Array | None, int | None], Array]:
    """Return a function that applies the plan to arrays of this shape and dtype, kept with the plan."""
    if engine == "framework":
        return partial(_by_framework, plan, axes)
    return executor_for(plan, x.shape, x.dtype, axes).__call__  # a bound method is called faster than its object


def _by_framework(
    plan: Plan, axes: tuple[int, ...], x: Array, out: Array | None = None, threads: int | None = None
) -> Array:
    """Return the plan applied by NumPy's own ops: the framework engine."""
    refuse_out(out, "the framework engine")
    engine, ops = (import_module(f"{__package__}.{name}") for name in ("_ops_engine", "_array_api_ops"))
    with np.errstate(all="ignore"):  # overflow is no error, as in the kernels
        result: Array = engine.apply(ops.numpy_ops(), plan, x, axes, x.dtype)
    return result


def array(x: object) -> Array:
    """Return x, or the array of nested lists; raise if its elements cannot be resized."""
    if type(x) is np.ndarray and x.dtype.char in validation.DTYPE_CODES:  # the usual case, and the fastest check
        return x
    if validation.is_masked(x):
        raise ArgumentTypeError("a masked array would lose its mask; fill it first: x.filled(value)")
    _refuse_lists_of_arrays(x)
    try:
        made = np.asarray(x)
    except CONVERSION_ERRORS as failure:
        raise ArgumentError(f"nested lists must hold numbers, and be of equal lengths: {failure}") from None
    require_resizable_dtype(made.dtype)
    return made


def _refuse_lists_of_arrays(x: object) -> None:
    """Raise for lists of another library's arrays: as a NumPy array they would lose their device and derivatives."""
    first = x
    for _ in range(validation.MAX_ENTRIES):  # deeper than any array; a list may even hold itself
        if not isinstance(first, (list, tuple)) or not first:
            break
        first = first[0]
    root = type(first).__module__.partition(".")[0]
    if first is not x and hasattr(first, "shape") and root != "numpy":
        raise ArgumentTypeError(f"a list of {root}'s arrays is no array; make it one of {root}, as {root}.stack does")


def rounded(values: Array, dtype: np.dtype) -> Array:
    """Return the values as integers of that dtype: rounded half to even, clamped to its range, NaN as 0."""
    result = np.empty(values.shape, dtype)
    staging.store(np.where(np.isnan(values), 0.0, values), result)
    return result
