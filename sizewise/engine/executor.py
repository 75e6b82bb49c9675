"""Executor: a plan for arrays of one shape and dtype, as a list of kernel passes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..errors import UnsupportedError
from ..memory_limits import require_memory
from ..thread_count import require_threads
from . import buffer_pool, fixed_point_pass, integer_taps, layout, pass_order, staging
from .axis_taps import ONE_BLOCK, Runs
from .block_means import BlockMeans
from .fixed_point_pass import Stepped
from .output_array import check_output
from .passes import Pass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..dialects import Arithmetic, Reduction, TwoPassInteger
    from ..plan import Plan
    from .kernel_call import Fill, KernelCall

Array: TypeAlias = "NDArray[np.generic]"

MAX_EXECUTORS = 64  # that a plan keeps: one for each shape and dtype
SUM_BLOCK = 24  # taps summed one after the other, and then these sums: errors stay at about 4 eps up to 64 taps
MIN_ROW_ELEMENTS = 8  # behind an axis: with fewer, rows are too short to be summed as vectors


def executor_for(plan: Plan, shape: tuple[int, ...], dtype: np.dtype, axes: tuple[int, ...]) -> Executor:
    """Return the executor of a plan for arrays of one shape and dtype, kept with the plan."""
    key = (axes, shape, dtype)
    known: Executor | None = plan.cache.get(key)
    if known is not None:
        return known
    with np.errstate(all="ignore"):  # weights may be too small for float32
        made = Executor(plan, shape, dtype, axes)
    if len(plan.cache) < MAX_EXECUTORS:
        plan.cache[key] = made
    return made


class Executor:
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
        self.between = arithmetic.intermediate or arithmetic.accumulate
        if plan.is_masked_selection:
            self.between = dtype.newbyteorder("=")
        lengths = dict(zip(axes, plan.output_size, strict=True))
        if arithmetic.two_pass is not None:
            shape = tuple(lengths.get(axis, n) for axis, n in enumerate(shape))
            self.steps.append((_stepped(plan, axes, len(shape), arithmetic.two_pass), shape))
        elif plan.is_long and arithmetic.is_narrow and arithmetic.result == np.float64:
            self.steps += _chained(plan, axes, shape, arithmetic)
            shape = self.steps[-1][1]
        else:
            groups, bits = pass_order.groups(plan, axes, arithmetic.order), plan.fraction_bits(dtype)
            for group in groups:
                shape = tuple(lengths[axis] if axis in group else n for axis, n in enumerate(shape))
                kept = bits if group == groups[-1] else 0
                self.steps.append((_pass(plan, axes, group, shape, arithmetic, self.between, kept), shape))
        self.shape, self.n_bytes = shape, prod(shape) * arithmetic.result.itemsize
        self.is_small = self.n_bytes < buffer_pool.SMALLEST  # then `memory` would do no better than NumPy, only later
        self.outside = _outside(plan, axes, arithmetic.result)
        self.call: KernelCall | None = None  # the one call that resizes C-contiguous arrays, once it is known
        self.quick: Fill | None = None  # its shortest way to do so

    def __call__(self, x: Array, out: Array | None = None, threads: int | None = None) -> Array:
        """The result for an array of the executor's shape and dtype."""
        quick = self.quick
        plain = x.flags.num & layout.PLAIN == layout.PLAIN  # layout.plain: to call it takes a fiftieth of a small call
        if threads is None and quick is not None and plain:
            if out is None:
                target = np.empty(self.shape, self.result) if self.is_small else self._room()
                quick(x, target)
                return target
            target = check_output(out, x, self.shape, self.result)
            if layout.plain(target) and target.dtype == self.result:
                quick(x, target)
                return out
        if threads is not None:
            threads = require_threads(threads)
        target = self._room() if out is None else check_output(out, x, self.shape, self.result)
        self._fill(x, target, threads)
        return target if out is None else out

    def _room(self) -> Array:
        """An array for the result."""
        require_memory(self.n_bytes, "a result of shape {} and dtype {}", self.shape, self.result)
        return buffer_pool.empty(self.shape, self.result, self.n_bytes)

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
            staging.store(x, target)
            return
        for step, shape in self.steps[:-1]:
            between = buffer_pool.empty(shape, self.between)
            step.run(x, between, threads)
            x = between
        call = self.steps[-1][0].run(x, target, threads)
        alone = len(self.steps) == 1 and not self.outside
        if call is not None and self.quick is None and alone and layout.plain(x) and layout.plain(target):
            self.call = call  # of plain arrays as they are: a step may turn both, and find them plain then
            self.quick = call.fast_path()


def _outside(
    plan: Plan, axes: tuple[int, ...], dtype: np.dtype
) -> list[tuple[tuple[slice | NDArray[np.bool_], ...], Array]]:
    """The places of results that lie outside the image, along one axis after the other, and what stands there."""
    if plan.fill is None:
        return []
    given, along = plan.fill
    value = np.empty((), dtype)
    staging.store(np.array(given), value)
    return [((slice(None),) * axis + (rows,), value) for axis, rows in zip(axes, along, strict=True) if rows.any()]


def _pass(
    plan: Plan, axes: tuple[int, ...], group: tuple[int, ...], shape: tuple[int, ...], arithmetic: Arithmetic,
    between: np.dtype, bits: int,
) -> Pass:  # fmt: skip
    """The pass over one group of axes; its sums are rounded to `bits` fractional bits, unless that is 0."""
    axis = group[0] + 1  # a pass counts axes with one more before the array's own
    vertical_first = len(group) == 2 and pass_order.vertical_first(plan, axes, group, arithmetic.order)
    last = group[-1] if vertical_first else group[0]
    runs = [_runs(plan, axes.index(axis), arithmetic, bits if axis == last else 0) for axis in group]
    if len(runs) == 2:
        return Pass(axis, runs[0], runs[1], vertical_first, plan.is_masked_selection, between)
    return _one_axis(runs[0], axis, shape, plan.is_masked_selection, between)


def _one_axis(runs: Runs, axis: int, shape: tuple[int, ...], copies: bool, between: np.dtype) -> Pass:
    if prod(shape[axis:]) >= MIN_ROW_ELEMENTS:
        return Pass(axis, runs, None, True, copies, between)
    return Pass(axis - 1, None, runs, False, copies, between)


def _chained(
    plan: Plan, axes: tuple[int, ...], shape: tuple[int, ...], arithmetic: Arithmetic
) -> list[tuple[Pass, tuple[int, ...]]]:
    """Passes over one axis after the other, which add up long sums of float64 in parts: there is no wider dtype."""
    steps: list[tuple[Pass, tuple[int, ...]]] = []
    for position in pass_order.positions(plan, axes, arithmetic.order):
        axis = axes[position]
        for runs in _runs(plan, position, arithmetic, 0).chain():
            shape = (*shape[:axis], runs.n_out, *shape[axis + 1 :])
            steps.append((_one_axis(runs, axis + 1, shape, False, arithmetic.accumulate), shape))
    return steps


def _reduced(
    plan: Plan, shape: tuple[int, ...], axes: tuple[int, ...], reduction: Reduction
) -> tuple[BlockMeans, tuple[int, ...]]:
    """The step that takes means of blocks, and the shape that it leaves."""
    if plan.parent is not plan:
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


def _stepped(plan: Plan, axes: tuple[int, ...], rank: int, stepwise: TwoPassInteger) -> Stepped:
    """The one step of two axes in whole numbers."""
    if plan.parent is not plan:
        raise UnsupportedError(stepwise_tiles(plan.request.dialect))
    vertical, horizontal = (integer_taps.Table(*table) for table in stepwise.tables(plan.request))
    shifts = stepwise.shift, stepwise.bits
    return fixed_point_pass.stepped(
        (axes[0], axes[1]), rank, (vertical, horizontal), stepwise.sums, stepwise.intermediate, shifts, stepwise.gain,
        stepwise.blocks,
    )  # fmt: skip


def _runs(plan: Plan, position: int, arithmetic: Arithmetic, bits: int) -> Runs:
    """The taps of one axis in the dtype of the sums, kept with them."""
    taps, whole = plan.taps[position], plan.parent.taps[position]
    # Of a tile, weights in fixed point depend on the largest weight of the whole axis.
    key = (arithmetic.accumulate.char, arithmetic.is_narrow, bits, taps is whole)
    runs: Runs | None = taps.cache.get(key)
    if runs is None:
        axis = (taps.n_in, taps.start, taps.count)
        if arithmetic.fixed_point is None:
            weights, divisors = arithmetic.weights(taps)
            block = SUM_BLOCK if arithmetic.is_narrow else ONE_BLOCK
            runs = Runs(*axis, weights, taps.mean_count, 0, bits, divisors, block)
        else:
            fixed, shift = arithmetic.fixed_point.quantize(taps.weights, whole.weights)
            runs = Runs(*axis, fixed, taps.mean_count, (1 << shift) >> 1, shift)
        taps.cache[key] = runs
    return runs
