"""Framework engine: a plan by a library's own ops, for devices and compilers that the kernels cannot reach.

Along each axis, outputs are sums of `weights * x[indices]`. Few taps are added one after the other, which a compiler
fuses into one loop and which gives the bits of the kernels; many are gathered side by side and summed. No dense matrix:
0 * NaN is NaN, so one NaN would spread over its whole line. A backend overrides the ops of `ArrayApiOps` that its
library names otherwise. Constants have the precision of the sums, and indices 32 bits: some devices have no 64.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine import pass_order
from ..engine.axis_taps import MAX_PARTIAL_TAPS
from ..engine.staging import store
from ..errors import UnsupportedError

if TYPE_CHECKING:
    from ..dialects import Arithmetic
    from ..plan import Plan
    from ..taps import Taps
    from ._array_api_ops import ArrayApiOps

MAX_SEQUENTIAL_TAPS = 8  # that are added one by one
MAX_ROUNDED_TAPS = 256  # the same where sums are rounded to integers: added one by one, they have the kernels' bits
MAX_SUM_TAPS = 64  # longer sums are formed in parts


def apply(ops: ArrayApiOps, plan: Plan, x: Any, axes: tuple[int, ...], dtype: np.dtype) -> Any:
    """Return the plan applied along `axes` of x, whose dtype this is, by the ops of its library."""
    arithmetic = plan.arithmetic(dtype)
    if arithmetic.needs_full_image:
        raise UnsupportedError(
            f"{plan.request.dialect}: its {dtype} is computed step by step, which only the kernels do; "
            'use engine="kernel", or convert to float32'
        )
    if 0 in plan.input_size:  # a tile of a transposed plan may read nothing
        size = dict(zip(axes, plan.output_size, strict=True))
        zeros = np.zeros([size.get(axis, n) for axis, n in enumerate(x.shape)], bool)
        result = ops.cast(ops.constant(zeros, x), arithmetic.result)
    elif plan.is_masked_selection:
        for taps, axis in zip(plan.taps, axes, strict=True):
            x = _select(ops, taps, x, axis, dtype)
        result = ops.cast(ops.copy(x), arithmetic.result)
    else:
        sums = _sum(ops, plan, x, axes, arithmetic)
        unit = 2.0 ** plan.fraction_bits(dtype)
        result = _store(ops, sums if unit == 1 else ops.round(sums * unit) / unit, arithmetic)
    return _fill(ops, plan, result, axes, arithmetic.result)


def _select(ops: ArrayApiOps, taps: Taps, x: Any, axis: int, dtype: np.dtype) -> Any:
    """Return x resized along one axis whose outputs are one input each, or zero."""
    if taps.is_identity:
        return x
    selected = ops.take(x, ops.constant(taps.start.astype(np.int32), x), axis)
    if taps.is_selection:
        return selected
    zero = ops.cast(_along(ops, np.zeros(1, bool), x, axis), dtype)
    return ops.where(_along(ops, taps.count > 0, x, axis), selected, zero)


def _sum(ops: ArrayApiOps, plan: Plan, x: Any, axes: tuple[int, ...], arithmetic: Arithmetic) -> Any:
    """Return the sums along every axis, in the order of the kernels."""
    x = ops.cast(x, arithmetic.accumulate)
    is_rounded = arithmetic.accumulate.kind == "f" and arithmetic.result.kind in "biu"
    max_sequential = MAX_ROUNDED_TAPS if is_rounded else MAX_SEQUENTIAL_TAPS
    pending = pass_order.positions(plan, axes, arithmetic.order)
    for position in pending:
        taps = plan.taps[position]
        axis = axes[position]
        if arithmetic.fixed_point is None:
            weights, divisors = arithmetic.weights(taps)
            x = _sum_axis(ops, taps, weights, x, axis, max_sequential)
            if divisors is not None:
                x = x / _along(ops, divisors, x, axis)
        else:
            weights, bits = arithmetic.fixed_point.quantize(taps.weights, plan.full_taps[position].weights)
            x = (_sum_axis(ops, taps, weights, x, axis, max_sequential) + ((1 << bits) >> 1)) // (1 << bits)
        if arithmetic.intermediate is not None and position != pending[-1]:
            x = ops.cast(_store(ops, x, arithmetic, arithmetic.intermediate), arithmetic.accumulate)
    return x


def _sum_axis(ops: ArrayApiOps, taps: Taps, weights: NDArray, x: Any, axis: int, max_sequential: int) -> Any:
    """Return the weighted sums along one axis; an output depends only on the inputs its taps read."""
    if taps.width == 0:
        return _term(ops, taps.start, np.zeros(taps.n_out, weights.dtype), x, axis)
    if taps.width <= max_sequential:
        terms = [_term(ops, *column, x, axis) for column in _columns(taps, weights)]
        return sum(terms[1:], terms[0])
    parts = _parts(taps.width)
    padded = np.zeros((taps.n_out, prod(parts)), weights.dtype)
    padded[:, : taps.width] = weights
    indices = np.minimum(taps.start[:, None] + np.arange(prod(parts)), taps.n_in - 1)
    wide = _term(ops, indices.reshape(-1), padded.reshape(-1), x, axis)
    for n in parts:
        wide = ops.sum(ops.split(wide, axis, n), axis + 1)
    return wide


def _parts(width: int) -> tuple[int, ...]:
    """Return how many taps are summed at a time, then how many of these sums: errors grow with the length of a sum.

    >>> _parts(40), _parts(1000)
    ((40,), (4, 4, 63))
    """
    return (width,) if width <= MAX_SUM_TAPS else (MAX_PARTIAL_TAPS, *_parts(-(-width // MAX_PARTIAL_TAPS)))


def _columns(taps: Taps, weights: NDArray) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield the indices and weights of the first tap of every output, then of the second, and so on.

    Outputs with fewer taps than others read their first input several times: its weight w becomes w/4, w/4, w/2. These
    add up without rounding, so that nothing has to be masked, and no input of other outputs is read. Integer weights
    cannot be halved, but 0 times an integer is 0.
    """
    spare = np.where(taps.count > 0, taps.width - taps.count, 0)
    for k in range(taps.width):
        tap = np.maximum(k - spare, 0)
        weight = np.take_along_axis(weights, tap[:, None], axis=1)[:, 0]
        if weights.dtype.kind == "f":
            weight = np.ldexp(weight, -np.clip(spare - k + 1, 0, spare))
        else:
            weight = np.where(k < spare, 0, weight)
        yield np.minimum(taps.start + tap, taps.n_in - 1), weight.astype(weights.dtype)


def _term(ops: ArrayApiOps, indices: NDArray, weights: NDArray, x: Any, axis: int) -> Any:
    """Return weights * x[indices] along one axis; as in the kernels, 0 * Inf is 0 for a weight of 0."""
    product = ops.take(x, ops.constant(indices.astype(np.int32), x), axis) * _along(ops, weights, x, axis)
    used = weights != 0
    if used.all() or weights.dtype.kind != "f":
        return product
    return ops.where(_along(ops, used, x, axis), product, _along(ops, np.zeros(1, weights.dtype), x, axis))


def _store(ops: ArrayApiOps, x: Any, arithmetic: Arithmetic, dtype: np.dtype | None = None) -> Any:
    """Return sums in the dtype of the result, or in `dtype`: rounded and clamped for integers."""
    dtype = dtype or arithmetic.result
    if dtype.kind not in "biu" or dtype == arithmetic.accumulate:
        return ops.cast(x, dtype)
    if arithmetic.accumulate.kind == "f":
        x = ops.round(x)
    low, high = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    top = _top(high, arithmetic.accumulate)
    stored = ops.cast(ops.clip(x, low, top), dtype)
    return stored if top == high else ops.where(x > top, ops.constant(np.array(high, dtype), x), stored)


def _top(high: int, dtype: np.dtype) -> float:
    """Return the largest value of the dtype that does not exceed an integer."""
    if dtype.kind != "f":
        return high
    top = dtype.type(high)
    return float(np.nextafter(top, dtype.type(0)) if int(top) > high else top)


def _fill(ops: ArrayApiOps, plan: Plan, x: Any, axes: tuple[int, ...], dtype: np.dtype) -> Any:
    """Return x with the plan's fill value where outputs lie outside the image."""
    if plan.fill is None:
        return x
    given, masks = plan.fill
    value = np.empty((), dtype if dtype.kind in "biuf" else np.float32)
    store(np.array(given), value)
    for axis, mask in zip(axes, masks, strict=True):
        if mask.any():
            x = ops.where(_along(ops, mask, x, axis), ops.cast(ops.constant(value, x), dtype), x)
    return x


def _along(ops: ArrayApiOps, values: NDArray, x: Any, axis: int) -> Any:
    """Return the values as an array that broadcasts with x along one axis."""
    return ops.constant(values.reshape(-1, *[1] * (len(x.shape) - axis - 1)), x)
