"""Order and cost of the passes: which axes go first, and which two share a pass. One rule for all engines.

The order depends on the whole plan alone: the last bits of a result must not depend on batch, channels, engine or tile.
Costs also decide how many threads a call is worth. They are counted in float32 multiply-adds, of about 0.035 ns.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, TypeAlias

from .packing import CACHE_LINE

if TYPE_CHECKING:
    from ..plan import Plan
    from ..taps import Taps
    from .axis_taps import AxisTaps

AnyTaps: TypeAlias = "Taps | AxisTaps"

# Of a tap, where pixels have few channels: a vertical tap in float32 costs 1.
HORIZONTAL_COST = 3.0
PAIRS_COST = 2.0  # horizontal, in fixed point by pairs
SHUFFLE_COST = 1.0  # horizontal, by byte shuffles
FIXED_POINT_COST = 1.5  # in fixed point along either axis
FUSED_COST = 2.0  # of the fused 2x2 kernel
NEAREST_COST = 3.0  # of an element that is copied


def groups(plan: Plan, axes: tuple[int, ...], order: tuple[int, ...] | None) -> list[tuple[int, ...]]:
    """Return the axes to resize, two neighbors at a time: in the given order, or those that shrink most first."""
    growth = {
        axis: taps.n_out / taps.n_in
        for axis, taps in zip(axes, plan.full_taps, strict=True)
        if taps.n_in != taps.n_out or not taps.is_identity
    }
    found: list[tuple[int, ...]] = []
    if order is not None:
        pending = [axes[position] for position in order if axes[position] in growth]
        while pending:
            axis = pending.pop(0)
            found.append(tuple(sorted((axis, pending.pop(0)))) if pending and abs(pending[0] - axis) == 1 else (axis,))
        return found
    pending = sorted(growth)
    while pending:
        last = pending.pop()
        found.append((pending.pop(), last) if last - 1 in pending else (last,))
    return found if len(found) == 1 else sorted(found, key=lambda group: prod(growth[axis] for axis in group))


def vertical_first(plan: Plan, axes: tuple[int, ...], group: tuple[int, ...], order: tuple[int, ...] | None) -> bool:
    """Return whether the first of two neighboring axes goes first: as given, or as it costs less."""
    first, second = (axes.index(axis) for axis in group)
    if order is not None:
        return order.index(first) < order.index(second)
    return prefer_vertical(plan.full_taps[first], plan.full_taps[second])


def positions(plan: Plan, axes: tuple[int, ...], order: tuple[int, ...] | None) -> list[int]:
    """Return the positions of the axes among those of the plan, in the order in which they are resized."""
    found: list[int] = []
    for group in groups(plan, axes, order):
        is_reversed = len(group) == 2 and not vertical_first(plan, axes, group, order)
        found += [axes.index(axis) for axis in (reversed(group) if is_reversed else group)]
    return found


def prefer_vertical(vertical: AnyTaps, horizontal: AnyTaps) -> bool:
    """Return whether the vertical pass should go first.

    This depends on the taps alone: the last bits of a result must not depend on batch, channels or tile.
    """
    vertical_first, horizontal_first = two_passes(vertical, horizontal, HORIZONTAL_COST)
    return vertical_first <= horizontal_first


def two_passes(vertical: AnyTaps, horizontal: AnyTaps, tap_cost: float) -> tuple[float, float]:
    """Return the work for one image of one channel: vertical first, and horizontal first."""
    h_in, h_out, w_in, w_out = vertical.n_in, len(vertical.start), horizontal.n_in, len(horizontal.start)
    v_cost, h_cost = vertical.mean_count + 1, tap_cost * (horizontal.mean_count + 1)
    vertical_first = h_out * w_in * (v_cost + 1) + h_out * w_out * h_cost
    horizontal_first = h_in * w_in + h_in * w_out * h_cost + h_out * w_out * v_cost
    return vertical_first, horizontal_first


def one_pass(n_in: int, n_out: int, taps: AnyTaps, tap_cost: float = 1.0) -> float:
    """Return the work of one axis: n_in elements become n_out."""
    return n_in + n_out * (1 + taps.mean_count) * tap_cost


def fused_2x2(n_in: int, n_out: int, vertical: AnyTaps, tap_cost: float) -> float:
    """Return the work of the fused 2x2 kernel, which reads rows as a whole."""
    n_read = min(n_in, n_in // vertical.n_in * 2 * vertical.n_out)
    return (n_read + 5 * n_out) * tap_cost


def nearest(n_in: int, n_out: int, pixel_bytes: int) -> float:
    """Return the work of copying n_out of n_in elements: whole cache lines are read."""
    return NEAREST_COST * (n_out + min(n_in, n_out * max(1, CACHE_LINE // pixel_bytes)))
