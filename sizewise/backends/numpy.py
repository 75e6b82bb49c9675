"""NumPy arrays: the plan through the kernels, reading any strides, dtype and byte order in place or by tiles."""

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
    """The dtype of an array."""
    return x.dtype


def prepare(
    plan: Plan, x: Array, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Array, Array | None, int | None], Array]:
    """What applies the plan to arrays of this shape and dtype, kept with the plan: `prepare(plan, x, axes)(x)`."""
    if engine == "framework":
        return partial(_by_framework, plan, axes)
    return executor_for(plan, x.shape, x.dtype, axes).__call__  # a method is called sooner than its object


def _by_framework(
    plan: Plan, axes: tuple[int, ...], x: Array, out: Array | None = None, threads: int | None = None
) -> Array:
    """The plan by NumPy's own ops: what the framework engine gives, where there is a NumPy."""
    refuse_out(out, "the framework engine")
    framework, namespace = (import_module(f"{__package__}.{name}") for name in ("_framework", "_namespace"))
    with np.errstate(all="ignore"):  # what is infinite, or too large, is no error of the kernels either
        made: Array = framework.apply(namespace.of_numpy(), plan, x, axes, x.dtype)
    return made


def array(x: object) -> Array:
    """x itself, or the array that nested lists make, if it holds numbers that can be resized."""
    if type(x) is np.ndarray and x.dtype.char in validation.DTYPE_CODES:  # the usual case, and the quick one
        return x
    if validation.is_masked(x):
        raise ArgumentTypeError("a masked array would lose its mask; fill it first: x.filled(value)")
    _refuse_arrays_of_others(x)
    try:
        numbers = np.asarray(x)
    except CONVERSION_ERRORS as failure:
        raise ArgumentError(f"nested lists must hold numbers, and be of equal lengths: {failure}") from None
    require_resizable_dtype(numbers.dtype)
    return numbers


def _refuse_arrays_of_others(x: object) -> None:
    """Refuses lists of some other library's arrays: made one here, they would lose their device and derivatives."""
    first = x
    for _ in range(validation.MAX_ENTRIES):  # deeper than any array; a list may even hold itself
        if not isinstance(first, (list, tuple)) or not first:
            break
        first = first[0]
    root = type(first).__module__.partition(".")[0]
    if first is not x and hasattr(first, "shape") and root != "numpy":
        raise ArgumentTypeError(f"a list of {root}'s arrays is no array; make it one of {root}, as {root}.stack does")


def rounded(values: Array, dtype: np.dtype) -> Array:
    """The values as integers of the given dtype: rounded half to even, clipped to what it holds, NaN as 0."""
    result = np.empty(values.shape, dtype)
    staging.store(np.where(np.isnan(values), 0.0, values), result)
    return result
