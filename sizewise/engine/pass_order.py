"""Order of the passes: which axes go first, and which two share a pass. One rule for all engines and backends.

It depends on the whole plan alone: the last bits of a result must not depend on batch, channels, engine or tile.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .costs import prefer_vertical

if TYPE_CHECKING:
    from ..plan import Plan


def groups(plan: Plan, axes: tuple[int, ...], order: tuple[int, ...] | None) -> list[tuple[int, ...]]:
    """Return the axes to resize, two neighbors at a time: in the given order, or those that shrink most first."""
    whole = plan.parent.taps
    growth = {axis: taps.n_out / taps.n_in for axis, taps in zip(axes, whole, strict=True) if not taps.is_identity}
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
    return sorted(found, key=lambda group: prod(growth[axis] for axis in group))


def vertical_first(plan: Plan, axes: tuple[int, ...], group: tuple[int, ...], order: tuple[int, ...] | None) -> bool:
    """Return whether the first of two neighboring axes goes first: as given, or as it costs less."""
    first, second = (axes.index(axis) for axis in group)
    if order is not None:
        return order.index(first) < order.index(second)
    return prefer_vertical(plan.parent.taps[first], plan.parent.taps[second])


def positions(plan: Plan, axes: tuple[int, ...], order: tuple[int, ...] | None) -> list[int]:
    """Return the positions of the axes among those of the plan, in the order in which they are resized."""
    found: list[int] = []
    for group in groups(plan, axes, order):
        is_reversed = len(group) == 2 and not vertical_first(plan, axes, group, order)
        found += [axes.index(axis) for axis in (reversed(group) if is_reversed else group)]
    return found
