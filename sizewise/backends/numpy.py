"""NumPy arrays: the plan through the kernels, reading any strides, dtype and byte order in place or by tiles."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, DtypeError, require_bytes
from ..kernels import passes
from ..kernels import threads as workers
from ..kernels.passes import Pass, Runs

if TYPE_CHECKING:
    from ..plan import Plan

AXES = (-3, -2)
_LONG_ROW = 8  # with fewer numbers than this behind an axis, a row is too short to be combined whole

Array = NDArray[np.generic]


def apply(plan: Plan, x: object, axes: tuple[int, ...], out: Array | None = None, threads: int | None = None) -> Array:
    """The plan applied along `axes` of x (not negative, one per axis of the plan)."""
    source = array(x)
    arithmetic = plan.arithmetic(source.dtype)
    n_threads = workers.available() if threads is None else workers.checked(threads)
    shape = _resized(source.shape, axes, plan.output_size)
    target = _new(shape, arithmetic.result) if out is None else _given(out, source, shape, arithmetic.result)
    groups = _groups(plan, axes)
    if not groups:
        passes.store(source, target)
    between = source.dtype.newbyteorder("=") if plan.picks else arithmetic.accumulate
    for position, group in enumerate(groups, start=1):
        sizes = tuple(plan.output_size[axes.index(axis)] for axis in group)
        shape = _resized(source.shape, group, sizes)
        result = target if position == len(groups) else np.empty(shape, between)
        passes.run(_pass(plan, axes, group, shape, arithmetic.accumulate), source, result, n_threads)
        source = result
    return target if out is None else out


def array(x: object) -> Array:
    """x itself, or the array that nested lists make, if it holds numbers that can be resized."""
    if isinstance(x, np.ma.MaskedArray):
        raise DtypeError("a masked array would lose its mask; fill it first: x.filled(value)")
    try:
        numbers = np.asarray(x)
    except ValueError as ragged:
        raise ArgumentError(f"nested lists must be of equal lengths: {ragged}") from None
    require_numbers(numbers.dtype)
    return numbers


def require_numbers(dtype: np.dtype) -> None:
    """Refuses dtypes that cannot be resized."""
    if dtype.kind not in "biu" and dtype.char not in "efd":
        raise DtypeError(
            f"cannot resize an array of dtype {dtype}; use bool, an integer type, float16, float32 or float64"
        )


def _resized(shape: tuple[int, ...], axes: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, ...]:
    lengths = dict(zip(axes, sizes, strict=True))
    return tuple(lengths.get(axis, n) for axis, n in enumerate(shape))


def rounded(values: Array, dtype: np.dtype) -> Array:
    """The values as integers of the given dtype: rounded half to even, clipped to what it holds, NaN as 0."""
    result = np.empty(values.shape, dtype)
    passes.store(np.where(np.isnan(values), 0.0, values), result)
    return result


def _new(shape: tuple[int, ...], dtype: np.dtype) -> Array:
    require_bytes(prod(shape) * dtype.itemsize, "a result of shape {} and dtype {}", shape, dtype)
    return np.empty(shape, dtype)


def _given(out: Array, x: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """The caller's own array as a plain one to write into, once it is known to fit."""
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise DtypeError(f"out must be a NumPy array without a mask, not {type(out).__name__}")
    if out.shape != shape or out.dtype.newbyteorder("=") != dtype:
        raise ArgumentError(
            f"out has shape {out.shape} and dtype {out.dtype}; the result has shape {shape} and dtype {dtype}"
        )
    if not out.flags.writeable:
        raise ArgumentError("out is read-only; it must be writable")
    if _folded(out):
        raise ArgumentError(f"out has strides {out.strides}: elements of it may share memory; each needs its own")
    if _overlap(x, out):
        raise ArgumentError("out may overlap the input in memory; give it memory of its own")
    return out.view(np.ndarray)  # a subclass may index in ways of its own: a matrix is never 1-D


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


def _groups(plan: Plan, axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The axes to resize, two neighbours at a time, those that shrink most first."""
    growth = {axis: taps.n_out / taps.n_in for axis, taps in zip(axes, plan.taps, strict=True) if not taps.is_identity}
    groups: list[tuple[int, ...]] = []
    pending = set(growth)
    while pending:
        last = max(pending)
        group = (last - 1, last) if last - 1 in pending else (last,)
        groups.append(group)
        pending.difference_update(group)
    return sorted(groups, key=lambda group: prod(growth[axis] for axis in group))


def _pass(plan: Plan, axes: tuple[int, ...], group: tuple[int, ...], shape: tuple[int, ...], sums: np.dtype) -> Pass:
    """The pass over one group of axes."""
    runs = [_runs(plan, axes.index(axis), sums) for axis in group]
    axis = group[0] + 1  # a pass counts axes with one more before the array's own
    if len(runs) == 2:
        return Pass(axis, runs[0], runs[1], passes.prefer_vertical(*runs), plan.picks)
    if prod(shape[axis:]) >= _LONG_ROW:
        return Pass(axis, runs[0], None, True, plan.picks)
    return Pass(axis - 1, None, runs[0], False, plan.picks)


def _runs(plan: Plan, position: int, sums: np.dtype) -> Runs:
    """The taps of one axis in the dtype of the sums, kept with the plan."""
    key = (position, sums.char)
    if key not in plan.prepared:
        taps = plan.taps[position]
        weights = taps.weights.astype(sums)
        plan.prepared[key] = Runs(taps.n_in, taps.n_out, taps.start, taps.count, weights, taps.mean_count)
    return cast(Runs, plan.prepared[key])
