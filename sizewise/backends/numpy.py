"""NumPy arrays: the plan through the kernels, reading any strides, dtype and byte order in place or by tiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from .. import checks
from ..checks import require_numbers as require_numbers
from ..errors import UNFIT, ArgumentError, ArgumentTypeError, UnsupportedError, require_bytes
from ..forking import import_module
from ..kernels import layout, memory, steps, tables, tiles
from ..kernels.block_means import BlockMeans
from ..kernels.passes import Pass
from ..kernels.runs import ONE_BLOCK, Runs
from ..kernels.steps import Stepped
from ..thread_count import require_threads
from . import _order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..dialects import Arithmetic, Reduction, Stepwise
    from ..kernels.calls import Fill, KernelCall
    from ..plan import Plan

Array: TypeAlias = "NDArray[np.generic]"

AXES = (-3, -2)
_MOST_PREPARED = 64  # what a plan keeps of its recipes (one for each shape and dtype) and of its runs
SUM_BLOCK = 24  # taps summed one after the other, and then these sums: errors stay at about 4 eps up to 64 taps
_LONG_ROW = 8  # with fewer numbers than this behind an axis, a row is too short to be combined whole


def dtype(x: Array) -> np.dtype:
    """The dtype of an array."""
    return x.dtype


def prepare(
    plan: Plan, x: Array, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Array, Array | None, int | None], Array]:
    """What applies the plan to arrays of this shape and dtype, kept with the plan: `prepare(plan, x, axes)(x)`."""
    if engine == "framework":
        return partial(_by_framework, plan, axes)
    return recipe(plan, x.shape, x.dtype, axes).__call__  # a method is called sooner than its object


def recipe(plan: Plan, shape: tuple[int, ...], dtype: np.dtype, axes: tuple[int, ...]) -> Recipe:
    """The recipe of a plan for arrays of one shape and dtype, kept with the plan."""
    key = (axes, shape, dtype)
    known: Recipe | None = plan.prepared.get(key)
    if known is not None:
        return known
    with np.errstate(all="ignore"):  # weights may be too small for float32
        made = Recipe(plan, shape, dtype, axes)
    if len(plan.prepared) < _MOST_PREPARED:
        plan.prepared[key] = made
    return made


def _by_framework(
    plan: Plan, axes: tuple[int, ...], x: Array, out: Array | None = None, threads: int | None = None
) -> Array:
    """The plan by NumPy's own ops: what the framework engine gives, where there is a NumPy."""
    refuse_out(out, "the framework engine")
    framework, namespace = (import_module(f"{__package__}.{name}") for name in ("_framework", "_namespace"))
    with np.errstate(all="ignore"):  # what is infinite, or too large, is no error of the kernels either
        made: Array = framework.apply(namespace.of_numpy(), plan, x, axes, x.dtype)
    return made


def refuse_out(out: object, whom: str) -> None:
    """Refuses an array to write into, for those who cannot."""
    if out is not None:
        raise ArgumentError(f"out cannot be used with {whom}, which makes arrays of its own; leave it out")


class Recipe:
    """A plan for arrays of one shape and dtype: the passes in their order, each with the shape that it makes."""

    def __init__(self, plan: Plan, shape: tuple[int, ...], dtype: np.dtype, axes: tuple[int, ...]) -> None:
        arithmetic = plan.arithmetic(dtype)
        self.steps: list[tuple[Pass | Stepped | BlockMeans, tuple[int, ...]]] = []
        if arithmetic.reduction is not None:
            step, shape = _reduced(plan, shape, axes, arithmetic.reduction)
            self.steps.append((step, shape))
            plan = type(plan)(arithmetic.reduction.request, arithmetic.reduction.taps)
            arithmetic = plan.arithmetic(dtype)
        self.result = arithmetic.result
        self.between = arithmetic.between or arithmetic.accumulate
        if plan.copies:
            self.between = dtype.newbyteorder("=")
        lengths = dict(zip(axes, plan.output_size, strict=True))
        if arithmetic.stepwise is not None:
            shape = tuple(lengths.get(axis, n) for axis, n in enumerate(shape))
            self.steps.append((_stepped(plan, axes, len(shape), arithmetic.stepwise), shape))
        elif plan.is_long and arithmetic.is_narrow and arithmetic.result == np.float64:
            self.steps += _chained(plan, axes, shape, arithmetic)
            shape = self.steps[-1][1]
        else:
            groups, bits = _order.groups(plan, axes, arithmetic.order), plan.fraction_bits(dtype)
            for group in groups:
                shape = tuple(lengths[axis] if axis in group else n for axis, n in enumerate(shape))
                kept = bits if group == groups[-1] else 0
                self.steps.append((_pass(plan, axes, group, shape, arithmetic, self.between, kept), shape))
        self.shape, self.n_bytes = shape, prod(shape) * arithmetic.result.itemsize
        self.is_small = self.n_bytes < memory.SMALLEST  # then `memory` would do no better than NumPy, only later
        self.outside = _outside(plan, axes, arithmetic.result)
        self.call: KernelCall | None = None  # the one call that resizes C-contiguous arrays, once it is known
        self.quick: Fill | None = None  # its shortest way to do so

    def __call__(self, x: Array, out: Array | None = None, threads: int | None = None) -> Array:
        """The result for an array of the recipe's shape and dtype."""
        quick = self.quick
        plain = x.flags.num & layout.PLAIN == layout.PLAIN  # layout.plain: to call it takes a fiftieth of a small call
        if threads is None and quick is not None and plain:
            if out is None:
                target = np.empty(self.shape, self.result) if self.is_small else self._room()
                quick(x, target)
                return target
            target = _given(out, x, self.shape, self.result)
            if layout.plain(target) and target.dtype == self.result:
                quick(x, target)
                return out
        if threads is not None:
            threads = require_threads(threads)
        target = self._room() if out is None else _given(out, x, self.shape, self.result)
        self._fill(x, target, threads)
        return target if out is None else out

    def _room(self) -> Array:
        """An array for the result."""
        require_bytes(self.n_bytes, "a result of shape {} and dtype {}", self.shape, self.result)
        return memory.empty(self.shape, self.result, self.n_bytes)

    def _fill(self, x: Array, target: Array, threads: int | None) -> None:
        with np.errstate(all="ignore"):  # a float16 that overflows is infinite, silently
            self._resize(x, target, threads)
            for where, value in self.outside:
                target[where] = value

    def _resize(self, x: Array, target: Array, threads: int | None) -> None:
        if not x.size:  # a tile of a transposed plan may read nothing
            target[...] = 0
            return
        if not self.steps:
            tiles.store(x, target)
            return
        for step, shape in self.steps[:-1]:
            between = memory.empty(shape, self.between)
            step.run(x, between, threads)
            x = between
        call = self.steps[-1][0].run(x, target, threads)
        alone = len(self.steps) == 1 and not self.outside
        if call is not None and self.quick is None and alone and layout.plain(x) and layout.plain(target):
            self.call = call  # of plain arrays as they are: a step may turn both, and find them plain then
            self.quick = call.fast_path()


def array(x: object) -> Array:
    """x itself, or the array that nested lists make, if it holds numbers that can be resized."""
    if type(x) is np.ndarray and x.dtype.char in checks.NUMBERS:  # the usual case, and the quick one
        return x
    if checks.is_masked(x):
        raise ArgumentTypeError("a masked array would lose its mask; fill it first: x.filled(value)")
    _refuse_arrays_of_others(x)
    try:
        numbers = np.asarray(x)
    except UNFIT as failure:
        raise ArgumentError(f"nested lists must hold numbers, and be of equal lengths: {failure}") from None
    require_numbers(numbers.dtype)
    return numbers


def _refuse_arrays_of_others(x: object) -> None:
    """Refuses lists of some other library's arrays: made one here, they would lose their device and derivatives."""
    first = x
    for _ in range(checks.MOST):  # deeper than any array; a list may even hold itself
        if not isinstance(first, (list, tuple)) or not first:
            break
        first = first[0]
    root = type(first).__module__.partition(".")[0]
    if first is not x and hasattr(first, "shape") and root != "numpy":
        raise ArgumentTypeError(f"a list of {root}'s arrays is no array; make it one of {root}, as {root}.stack does")


def rounded(values: Array, dtype: np.dtype) -> Array:
    """The values as integers of the given dtype: rounded half to even, clipped to what it holds, NaN as 0."""
    result = np.empty(values.shape, dtype)
    tiles.store(np.where(np.isnan(values), 0.0, values), result)
    return result


def _given(out: Array, x: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """The caller's own array as a plain one to write into, once it is known to fit."""
    if not isinstance(out, np.ndarray) or checks.is_masked(out):
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


def _outside(
    plan: Plan, axes: tuple[int, ...], dtype: np.dtype
) -> list[tuple[tuple[slice | NDArray[np.bool_], ...], Array]]:
    """The places of results that lie outside the image, along one axis after the other, and what stands there."""
    if plan.outside is None:
        return []
    given, along = plan.outside
    value = np.empty((), dtype)
    tiles.store(np.array(given), value)
    return [((slice(None),) * axis + (rows,), value) for axis, rows in zip(axes, along, strict=True) if rows.any()]


def _pass(
    plan: Plan, axes: tuple[int, ...], group: tuple[int, ...], shape: tuple[int, ...], arithmetic: Arithmetic,
    between: np.dtype, bits: int,
) -> Pass:  # fmt: skip
    """The pass over one group of axes; its sums are rounded to `bits` fractional bits, unless that is 0."""
    axis = group[0] + 1  # a pass counts axes with one more before the array's own
    vertical_first = len(group) == 2 and _order.vertical_first(plan, axes, group, arithmetic.order)
    last = group[-1] if vertical_first else group[0]
    runs = [_runs(plan, axes.index(axis), arithmetic, bits if axis == last else 0) for axis in group]
    if len(runs) == 2:
        return Pass(axis, runs[0], runs[1], vertical_first, plan.copies, between)
    return _one_axis(runs[0], axis, shape, plan.copies, between)


def _one_axis(runs: Runs, axis: int, shape: tuple[int, ...], copies: bool, between: np.dtype) -> Pass:
    if prod(shape[axis:]) >= _LONG_ROW:
        return Pass(axis, runs, None, True, copies, between)
    return Pass(axis - 1, None, runs, False, copies, between)


def _chained(
    plan: Plan, axes: tuple[int, ...], shape: tuple[int, ...], arithmetic: Arithmetic
) -> list[tuple[Pass, tuple[int, ...]]]:
    """Passes over one axis after the other, which add up long sums of float64 in parts: there is no wider dtype."""
    steps: list[tuple[Pass, tuple[int, ...]]] = []
    for position in _order.positions(plan, axes, arithmetic.order):
        axis = axes[position]
        for runs in _runs(plan, position, arithmetic, 0).chain():
            shape = (*shape[:axis], runs.n_out, *shape[axis + 1 :])
            steps.append((_one_axis(runs, axis + 1, shape, False, arithmetic.accumulate), shape))
    return steps


def _reduced(
    plan: Plan, shape: tuple[int, ...], axes: tuple[int, ...], reduction: Reduction
) -> tuple[BlockMeans, tuple[int, ...]]:
    """The step that takes means of blocks, and the shape that it leaves."""
    if plan.whole is not plan:
        raise UnsupportedError(stepwise_tiles(plan.request.dialect))
    lengths = dict(zip(axes, reduction.request.input_size, strict=True))
    step = BlockMeans(axes, *zip(*((one.start, one.count) for one in reduction.blocks), strict=True))
    return step, tuple(lengths.get(axis, n) for axis, n in enumerate(shape))


def stepwise_tiles(dialect: str) -> str:
    """Why tiles of what is computed step by step are refused, and what works."""
    return (
        f"{dialect}: its uint8 is computed step by step, which depends on where rows end; it cannot be computed in "
        "tiles. Convert to float32, or leave the resized axes in one piece"
    )


def _stepped(plan: Plan, axes: tuple[int, ...], rank: int, stepwise: Stepwise) -> Stepped:
    """The one step of two axes in whole numbers."""
    if plan.whole is not plan:
        raise UnsupportedError(stepwise_tiles(plan.request.dialect))
    vertical, horizontal = (tables.Table(*table) for table in stepwise.tables(plan.request))
    shifts = stepwise.shift, stepwise.bits
    return steps.stepped(
        (axes[0], axes[1]), rank, (vertical, horizontal), stepwise.sums, stepwise.between, shifts, stepwise.gain,
        stepwise.blocks,
    )  # fmt: skip


def _runs(plan: Plan, position: int, arithmetic: Arithmetic, bits: int) -> Runs:
    """The taps of one axis in the dtype of the sums, kept with them."""
    taps, whole = plan.taps[position], plan.whole.taps[position]
    # Of a tile, weights in fixed point depend on the largest weight of the whole axis.
    key = (arithmetic.accumulate.char, arithmetic.is_narrow, bits, taps is whole)
    runs: Runs | None = taps.prepared.get(key)
    if runs is None:
        axis = (taps.n_in, taps.start, taps.count)
        if arithmetic.fixed is None:
            weights, divisors = arithmetic.weights(taps)
            block = SUM_BLOCK if arithmetic.is_narrow else ONE_BLOCK
            runs = Runs(*axis, weights, taps.mean_count, 0, bits, divisors, block)
        else:
            fixed, shift = arithmetic.fixed.weights(taps.weights, whole.weights)
            runs = Runs(*axis, fixed, taps.mean_count, (1 << shift) >> 1, shift)
        taps.prepared[key] = runs
    return runs
