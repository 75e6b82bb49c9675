"""Executor: a plan for arrays of one shape and dtype, as a list of passes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UnsupportedError
from ..memory_limits import require_memory
from ..thread_count import require_threads
from . import buffer_pool, pass_order, staging
from .axis_taps import ONE_BLOCK, AxisTaps
from .block_means import BlockMeans
from .fixed_point_pass import FixedPointPass
from .integer_taps import IntegerTaps
from .layout import C_CONTIGUOUS, is_c_contiguous
from .output_array import check_output
from .packing import Array
from .passes import Pass

if TYPE_CHECKING:
    from ..dialects import Arithmetic, Fill, Reduction, TwoPassInteger
    from ..plan import Plan
    from .kernel_call import FastPath, KernelCall

    Shape = tuple[int, ...]
    Axes = tuple[int, ...]

MAX_EXECUTORS = 64  # that a plan keeps: one for each shape and dtype
SUM_BLOCK = 24  # taps summed one after the other, and then these sums: errors stay at about 4 eps up to 64 taps
MIN_ROW_ELEMENTS = 8  # behind an axis: shorter rows cannot be summed as vectors


def executor_for(plan: Plan, shape: Shape, dtype: np.dtype, axes: Axes) -> Executor:
    """Return the executor of a plan for arrays of one shape and dtype, kept with the plan."""
    key = (axes, shape, dtype)
    executor: Executor | None = plan.cache.get(key)
    if executor is None:
        with np.errstate(all="ignore"):  # weights may be too small for float32
            executor = Executor(plan, shape, dtype, axes)
        if len(plan.cache) < MAX_EXECUTORS:
            plan.cache[key] = executor
    return executor


class Executor:
    """A plan for arrays of one shape and dtype: the passes in their order, each with the shape of its result."""

    def __init__(self, plan: Plan, shape: Shape, dtype: np.dtype, axes: Axes) -> None:
        arithmetic = plan.arithmetic(dtype)
        self.passes: list[tuple[Pass | FixedPointPass | BlockMeans, Shape]] = []
        if arithmetic.reduction is not None:
            step, shape = _block_means(plan, shape, axes, arithmetic.reduction)
            self.passes.append((step, shape))
            plan = type(plan)(arithmetic.reduction.request, arithmetic.reduction.taps)
            arithmetic = plan.arithmetic(dtype)
        self.result = arithmetic.result
        self.between = arithmetic.intermediate or arithmetic.accumulate
        if plan.is_masked_selection:
            self.between = dtype.newbyteorder("=")
        lengths = dict(zip(axes, plan.output_size, strict=True))
        if arithmetic.two_pass is not None:
            shape = tuple(lengths.get(axis, n) for axis, n in enumerate(shape))
            self.passes.append((_fixed_point(plan, axes, len(shape), arithmetic.two_pass), shape))
        elif plan.is_long and arithmetic.is_narrow and arithmetic.result == np.float64:
            self.passes += _split_passes(plan, axes, shape, arithmetic)
            shape = self.passes[-1][1]
        else:
            groups = pass_order.groups(plan, axes, arithmetic.order)
            bits = plan.fraction_bits(dtype) if arithmetic.result.kind in "iu" else 0
            for group in groups:
                shape = tuple(lengths[axis] if axis in group else n for axis, n in enumerate(shape))
                pass_bits = bits if group == groups[-1] else 0
                self.passes.append((_pass(plan, axes, group, shape, arithmetic, self.between, pass_bits), shape))
        self.shape, self.n_bytes = shape, prod(shape) * arithmetic.result.itemsize
        self.is_small = self.n_bytes < buffer_pool.MIN_BYTES  # np.empty is faster than the pool
        self.fills = [] if plan.fill is None else _fills(plan.fill, axes, arithmetic.result)
        self.call: KernelCall | None = None  # the one call that resizes C-contiguous arrays, once it is known
        self.fast_path: FastPath | None = None  # its shortest way to do so

    def __call__(self, x: Array, out: Array | None = None, threads: int | None = None) -> Array:
        """Return the result for an array of the executor's shape and dtype."""
        fast_path = self.fast_path
        # is_c_contiguous(x), inlined: its call would take 2 % of the time of a small resize.
        if threads is None and fast_path is not None and x.flags.num & C_CONTIGUOUS == C_CONTIGUOUS:
            if out is None:
                target = np.empty(self.shape, self.result) if self.is_small else self._allocate()
                fast_path(x, target)
                return target
            target = check_output(out, x, self.shape, self.result)
            if is_c_contiguous(target) and target.dtype == self.result:
                fast_path(x, target)
                return out
        if threads is not None:
            threads = require_threads(threads)
        if out is not None:
            target = check_output(out, x, self.shape, self.result)
        else:
            target = np.empty(self.shape, self.result) if self.is_small else self._allocate()
        with np.errstate(all="ignore"):  # a float16 that overflows is infinite, silently
            self._resize(x, target, threads)
            for where, value in self.fills:
                target[where] = value
        return target if out is None else out

    def _allocate(self) -> Array:
        """Return an uninitialized array for the result."""
        require_memory(self.n_bytes, "a result of shape {} and dtype {}", self.shape, self.result)
        return buffer_pool.empty(self.shape, self.result, self.n_bytes)

    def _resize(self, x: Array, target: Array, threads: int | None) -> None:
        if not x.size:  # a tile of a transposed plan may read nothing
            target[...] = 0
            return
        if not self.passes:
            staging.store(x, target)
            return
        for step, shape in self.passes[:-1]:
            between = buffer_pool.empty(shape, self.between)
            step.run(x, between, threads)
            x = between
        call = self.passes[-1][0].run(x, target, threads)
        is_only = len(self.passes) == 1 and not self.fills
        # A pass may transpose both arrays, and find them contiguous then.
        if call is not None and self.fast_path is None and is_only and is_c_contiguous(x, target):
            self.call = call
            self.fast_path = call.fast_path()


def _fills(fill: Fill, axes: Axes, dtype: np.dtype) -> list[tuple[tuple[slice | Array, ...], Array]]:
    """Return indices of the outputs outside the image, one axis after the other, each with the value to write."""
    given, masks = fill
    value = np.empty((), dtype)
    staging.store(np.array(given), value)
    return [((slice(None),) * axis + (mask,), value) for axis, mask in zip(axes, masks, strict=True) if mask.any()]


def _pass(
    plan: Plan, axes: Axes, group: Axes, shape: Shape, arithmetic: Arithmetic, between: np.dtype, bits: int
) -> Pass:
    """Return the pass over one group of axes; its sums are rounded to `bits` fractional bits, unless that is 0."""
    vertical_first = len(group) == 2 and pass_order.vertical_first(plan, axes, group, arithmetic.order)
    last = group[-1] if vertical_first else group[0]
    taps = [_axis_taps(plan, axes.index(axis), arithmetic, bits if axis == last else 0) for axis in group]
    if len(taps) == 2:
        return Pass(group[0] + 1, taps[0], taps[1], vertical_first, plan.is_masked_selection, between)
    return _one_axis(taps[0], group[0], shape, plan.is_masked_selection, between)


def _one_axis(taps: AxisTaps, axis: int, shape: Shape, is_selection: bool, between: np.dtype) -> Pass:
    """Return the pass over one axis: vertical, unless rows are short. A pass counts one more axis before the first."""
    if prod(shape[axis + 1 :]) >= MIN_ROW_ELEMENTS:
        return Pass(axis + 1, taps, None, True, is_selection, between)
    return Pass(axis, None, taps, False, is_selection, between)


def _split_passes(plan: Plan, axes: Axes, shape: Shape, arithmetic: Arithmetic) -> list[tuple[Pass, Shape]]:
    """Return passes over one axis after the other that add up long float64 sums in parts: no dtype is wider."""
    found: list[tuple[Pass, Shape]] = []
    for position in pass_order.positions(plan, axes, arithmetic.order):
        axis = axes[position]
        for taps in _axis_taps(plan, position, arithmetic, 0).split_sums():
            shape = (*shape[:axis], taps.n_out, *shape[axis + 1 :])
            found.append((_one_axis(taps, axis, shape, False, arithmetic.accumulate), shape))
    return found


def _block_means(plan: Plan, shape: Shape, axes: Axes, reduction: Reduction) -> tuple[BlockMeans, Shape]:
    """Return the pass that takes means of blocks, and the shape of its result."""
    _require_whole_image(plan)
    lengths = dict(zip(axes, reduction.request.input_size, strict=True))
    step = BlockMeans(axes, *zip(*((taps.start, taps.count) for taps in reduction.blocks), strict=True))
    return step, tuple(lengths.get(axis, n) for axis, n in enumerate(shape))


def _fixed_point(plan: Plan, axes: Axes, rank: int, stepwise: TwoPassInteger) -> FixedPointPass:
    """Return the pass over two axes in fixed point, of an array transposed so that they are neighbors."""
    _require_whole_image(plan)
    vertical, horizontal = (IntegerTaps(*table) for table in stepwise.tables(plan.request))
    others = [axis for axis in range(rank) if axis not in axes]
    before = sum(axis < axes[0] for axis in others)
    return FixedPointPass(before + 1, (*others[:before], *axes, *others[before:]), vertical, horizontal, stepwise)


def _require_whole_image(plan: Plan) -> None:
    if plan.parent is not plan:
        raise UnsupportedError(no_tiles_message(plan.request.dialect))


def no_tiles_message(dialect: str) -> str:
    """Return why a dialect's fixed-point results cannot be computed in tiles, and what works instead."""
    return (
        f"{dialect}: its uint8 is computed step by step, which depends on where rows end; it cannot be computed in "
        "tiles. Convert to float32, or leave the resized axes in one piece"
    )


def _axis_taps(plan: Plan, position: int, arithmetic: Arithmetic, bits: int) -> AxisTaps:
    """Return the taps of one axis in the dtype of the sums, kept with the plan's own."""
    taps, whole = plan.taps[position], plan.full_taps[position]
    # Of a tile, weights in fixed point depend on the largest weight of the whole axis.
    key = (arithmetic.accumulate.char, arithmetic.is_narrow, bits, taps is whole)
    found: AxisTaps | None = taps.cache.get(key)
    if found is None:
        axis = (taps.n_in, taps.start, taps.count)
        if arithmetic.fixed_point is None:
            weights, divisors = arithmetic.weights(taps)
            sum_block = SUM_BLOCK if arithmetic.is_narrow else ONE_BLOCK
            found = AxisTaps(*axis, weights, taps.mean_count, 0, bits, divisors, sum_block)
        else:
            weights, shift = arithmetic.fixed_point.quantize(taps.weights, whole.weights)
            found = AxisTaps(*axis, weights, taps.mean_count, (1 << shift) >> 1, shift)
        taps.cache[key] = found
    return found
