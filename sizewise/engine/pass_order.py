"""The order of passes: which axes go first, and which two go together. One rule for all engines and all backends.

It is a matter of the whole plan alone. Were it to depend on batch, channels, engine or tile, so would the last bits of
the result.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .costs import prefer_vertical

if TYPE_CHECKING:
    from ..plan import Plan


def groups(plan: Plan, axes: tuple[int, ...], order: tuple[int, ...] | None) -> list[tuple[int, ...]]:
    """The axes to resize, two neighbours at a time: in the order asked for, or those that shrink most first."""
    whole = plan.parent.taps
    growth = {axis: taps.n_out / taps.n_in for axis, taps in zip(axes, whole, strict=True) if not taps.is_identity}
    found: list[tuple[int, ...]] = []
    pending = [axes[position] for position in order or () if axes[position] in growth]
    while pending:
        axis = pending.pop(0)
        found.append(tuple(sorted((axis, pending.pop(0)))) if pending and abs(pending[0] - axis) == 1 else (axis,))
    if order is not None:
        return found
    pending = sorted(growth)
    while pending:
        last = pending.pop()
        found.append((pending.pop(), last) if last - 1 in pending else (last,))
    return sorted(found, key=lambda group: prod(growth[axis] for axis in group))


def vertical_first(plan: Plan, axes: tuple[int, ...], group: tuple[int, ...], order: tuple[int, ...] | None) -> bool:
    """Whether the first of two neighbouring axes goes first: as asked for, or as it costs less."""
    first, second = (axes.index(axis) for axis in group)
    if order is not None:
        return order.index(first) < order.index(second)
    return prefer_vertical(plan.parent.taps[first], plan.parent.taps[second])


def positions(plan: Plan, axes: tuple[int, ...], order: tuple[int, ...] | None) -> list[int]:
    """The positions of the axes among those of the plan, one after the other as they are resized."""
    found: list[int] = []
    for group in groups(plan, axes, order):
        turned = len(group) == 2 and not vertical_first(plan, axes, group, order)
        found += [axes.index(axis) for axis in (reversed(group) if turned else group)]
    return found
