"""The framework engine: a plan as a framework's own ops, for devices and compilers that the kernels cannot reach.

Along each axis, outputs are sums of `weights * x[indices]`. Few taps are added one after the other, which a compiler
fuses into one loop and which gives the kernels' own bits; many are gathered side by side and summed. No dense matrix:
0 * NaN is NaN, so that one would spread a NaN over the whole line. A backend says by `Ops` how its framework does it.
Constants are of the precision of the sums, and indices of 32 bits: there are devices without 64.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..engine import pass_order
from ..engine.axis_taps import MAX_CHAINED
from ..engine.staging import store
from ..errors import UnsupportedError

if TYPE_CHECKING:
    from ..dialects import Arithmetic
    from ..plan import Plan
    from ..taps import Taps

FEW = 8  # so many taps are added one by one
MANY = 256  # the same limit where integers are made of the sums: added one by one, they have the bits of the kernels
MAX_AT_ONCE = 64  # more than these are summed in parts


class Ops(Protocol):
    """What the engine asks of a framework, besides +, * and // of its arrays."""

    def constant(self, values: NDArray, x: Any) -> Any:
        """The values as an array of the framework, where x lives."""

    def copy(self, x: Any) -> Any:
        """x as an array that shares no memory with it (itself, where arrays cannot be changed)."""

    def take(self, x: Any, indices: Any, axis: int) -> Any:
        """x at the indices along the axis."""

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        """x in another dtype."""

    def rounded(self, x: Any) -> Any:
        """The nearest whole numbers, of two the even one."""

    def clipped(self, x: Any, low: float, high: float) -> Any:
        """x, no less than low and no more than high; NaN as 0."""

    def where(self, mask: Any, x: Any, other: Any) -> Any:
        """x where the mask is true, and the other elsewhere."""

    def total(self, x: Any, axis: int) -> Any:
        """The sum along an axis, in x's own dtype."""

    def split(self, x: Any, axis: int, width: int) -> Any:
        """x with that axis made two, the second of length `width`."""


def apply(ops: Ops, plan: Plan, x: Any, axes: tuple[int, ...], dtype: np.dtype) -> Any:
    """The plan applied along `axes` of x, whose dtype is that one, by a framework's own ops."""
    arithmetic = plan.arithmetic(dtype)
    if arithmetic.needs_full_image:
        raise UnsupportedError(
            f"{plan.request.dialect}: its {dtype} is computed step by step, which only the kernels do; "
            'use engine="kernel", or convert to float32'
        )
    if 0 in plan.input_size:  # a tile of a transposed plan may read nothing
        size = dict(zip(axes, plan.output_size, strict=True))
        nothing = np.zeros([size.get(axis, n) for axis, n in enumerate(x.shape)], bool)
        result = ops.cast(ops.constant(nothing, x), arithmetic.result)
    elif plan.is_masked_selection:
        for taps, axis in zip(plan.taps, axes, strict=True):
            x = _picked(ops, taps, x, axis, dtype)
        result = ops.cast(ops.copy(x), arithmetic.result)
    else:
        sums = _summed(ops, plan, x, axes, arithmetic)
        unit = 2.0 ** plan.fraction_bits(dtype)
        result = _stored(ops, sums if unit == 1 else ops.rounded(sums * unit) / unit, arithmetic)
    return _filled(ops, plan, result, axes, arithmetic.result)


def _picked(ops: Ops, taps: Taps, x: Any, axis: int, dtype: np.dtype) -> Any:
    """x along one axis whose outputs are one input each, or nothing."""
    if taps.is_identity:
        return x
    picked = ops.take(x, ops.constant(taps.start.astype(np.int32), x), axis)
    if taps.is_selection:
        return picked
    nothing = ops.cast(_along(ops, np.zeros(1, bool), x, axis), dtype)
    return ops.where(_along(ops, taps.count > 0, x, axis), picked, nothing)


def _summed(ops: Ops, plan: Plan, x: Any, axes: tuple[int, ...], arithmetic: Arithmetic) -> Any:
    """The sums along every axis, in the order of the kernels."""
    x = ops.cast(x, arithmetic.accumulate)
    few = MANY if arithmetic.accumulate.kind == "f" and arithmetic.result.kind in "biu" else FEW
    pending = pass_order.positions(plan, axes, arithmetic.order)
    for position in pending:
        taps = plan.taps[position]
        axis = axes[position]
        if arithmetic.fixed_point is None:
            weights, divisors = arithmetic.weights(taps)
            x = _along_axis(ops, taps, weights, x, axis, few)
            if divisors is not None:
                x = x / _along(ops, divisors, x, axis)
        else:
            whole, bits = arithmetic.fixed_point.quantize(taps.weights, plan.parent.taps[position].weights)
            x = (_along_axis(ops, taps, whole, x, axis, few) + ((1 << bits) >> 1)) // (1 << bits)
        if arithmetic.intermediate is not None and position != pending[-1]:
            x = ops.cast(_stored(ops, x, arithmetic, arithmetic.intermediate), arithmetic.accumulate)
    return x


def _along_axis(ops: Ops, taps: Taps, weights: NDArray, x: Any, axis: int, few: int) -> Any:
    """The weighted sums along one axis, each of its own run of inputs and no other."""
    if taps.width == 0:
        return _term(ops, taps.start, np.zeros(taps.n_out, weights.dtype), x, axis)
    if taps.width <= few:
        terms = [_term(ops, *column, x, axis) for column in _columns(taps, weights)]
        return sum(terms[1:], terms[0])
    parts = _parts(taps.width)
    padded = np.zeros((taps.n_out, prod(parts)), weights.dtype)
    padded[:, : taps.width] = weights
    indices = np.minimum(taps.start[:, None] + np.arange(prod(parts)), taps.n_in - 1)
    wide = _term(ops, indices.reshape(-1), padded.reshape(-1), x, axis)
    for n in parts:
        wide = ops.total(ops.split(wide, axis, n), axis + 1)
    return wide


def _parts(width: int) -> tuple[int, ...]:
    """How many are summed at a time, and of these sums again: errors of long sums grow with their length.

    >>> _parts(40), _parts(1000)
    ((40,), (4, 4, 63))
    """
    return (width,) if width <= MAX_AT_ONCE else (MAX_CHAINED, *_parts(-(-width // MAX_CHAINED)))


def _columns(taps: Taps, weights: NDArray) -> Iterator[tuple[NDArray, NDArray]]:
    """The indices and weights of the first input of every output, then of the second, and so on.

    Runs that are shorter than the longest read their first input several times: its weight w becomes w/4, w/4, w/2.
    These add up without rounding, so that nothing has to be masked, and no input is read that is not the output's own.
    Whole weights cannot be halved, but 0 times a whole number is 0.
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


def _term(ops: Ops, indices: NDArray, weights: NDArray, x: Any, axis: int) -> Any:
    """weights * x[indices] along one axis; as in the kernels, what has no weight is not read, be it infinite."""
    product = ops.take(x, ops.constant(indices.astype(np.int32), x), axis) * _along(ops, weights, x, axis)
    used = weights != 0
    if used.all() or weights.dtype.kind != "f":
        return product
    return ops.where(_along(ops, used, x, axis), product, _along(ops, np.zeros(1, weights.dtype), x, axis))


def _stored(ops: Ops, x: Any, arithmetic: Arithmetic, dtype: np.dtype | None = None) -> Any:
    """Sums as the dtype that is stored: rounded and clipped where it is one of integers."""
    dtype = dtype or arithmetic.result
    if dtype.kind not in "biu" or dtype == arithmetic.accumulate:
        return ops.cast(x, dtype)
    if arithmetic.accumulate.kind == "f":
        x = ops.rounded(x)
    low, high = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    top = _top(high, arithmetic.accumulate)
    stored = ops.cast(ops.clipped(x, low, top), dtype)
    return stored if top == high else ops.where(x > top, ops.constant(np.array(high, dtype), x), stored)


def _top(high: int, dtype: np.dtype) -> float:
    """The greatest number of the dtype that is not above a whole number."""
    if dtype.kind != "f":
        return high
    top = dtype.type(high)
    return float(np.nextafter(top, dtype.type(0)) if int(top) > high else top)


def _filled(ops: Ops, plan: Plan, x: Any, axes: tuple[int, ...], dtype: np.dtype) -> Any:
    """x with its value where outputs lie outside the image."""
    if plan.fill is None:
        return x
    value, along = plan.fill
    known = np.empty((), dtype if dtype.kind in "biuf" else np.float32)
    store(np.array(value), known)
    for axis, rows in zip(axes, along, strict=True):
        if rows.any():
            x = ops.where(_along(ops, rows, x, axis), ops.cast(ops.constant(known, x), dtype), x)
    return x


def _along(ops: Ops, values: NDArray, x: Any, axis: int) -> Any:
    """A line of values that meets x along one axis."""
    return ops.constant(values.reshape(-1, *[1] * (len(x.shape) - axis - 1)), x)
