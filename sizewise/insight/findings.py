"""Findings: what stands out among the facts of a resize, in plain words, with how much it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .axis import Axis
from .coverage import Coverage

SEVERITIES = ("high", "medium", "low", "")  # the last is for what is as it should be


@dataclass(frozen=True)
class Finding:
    """A sentence, and how much it matters: "high", "medium", "low", or "" for what is as it should be.

    >>> Finding("low", "the image moves").severity
    'low'
    """

    severity: str
    words: str


def findings(coverage: Coverage, axes: tuple[Axis, ...]) -> tuple[Finding, ...]:
    """What stands out of a resize, what matters most first.

    >>> import sizewise as sw
    >>> from sizewise.insight.axis import axis
    >>> from sizewise.insight.coverage import coverage
    >>> plan = sw.make_plan((16, 16), (4, 4), "area")
    >>> for one in findings(coverage(plan), tuple(map(axis, plan.taps))):
    ...     print(one.severity or "fine", "-", one.words)
    low - waves shorter than 8 pixels alias: 22 % of what noise becomes
    fine - every pixel gets the same gradient, 0.0625
    """
    found = [*_reached(coverage), *_aliases(axes), *_moves(axes), *_stretches(axes), *_sums(axes), *_lobes(axes)]
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))


def _reached(coverage: Coverage) -> Iterator[Finding]:
    percent = coverage.percent
    yield Finding(_rank(100 - percent, 50, 10, 1e-9), coverage.finding)
    if percent < 100:
        severity = _rank(100 - percent, 75, 25, 1e-9)
        yield Finding(severity, f"an attacker controls the output through {percent:.3g} % of the pixels")


def _aliases(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    for where, alike in _alike(axes, lambda one: (round(one.response.alias_share, 2), round(one.response.limit, 4))):
        share, shortest = alike.response.alias_share, 1 / alike.response.limit
        if share >= 0.1:
            length = f"{shortest:,.0f}" if shortest >= 100 else f"{shortest:.3g}"
            words = f"waves shorter than {length} pixels alias{where}: {100 * share:.0f} % of what noise becomes"
            yield Finding(_rank(share, 0.5, 0.25, 0.1), words)


def _moves(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    moved = [(position, one.placement) for position, one in enumerate(axes) if abs(one.placement.shift_out) >= 0.005]
    if not moved:
        return
    amounts = list(dict.fromkeys(f"{abs(place.shift_out):.3g}" for _, place in moved))
    ways = [_way(position, len(axes), place.shift) for position, place in moved]
    if len(amounts) == 1:
        words = f"{_pixels(amounts[0])} {' and '.join(ways)}"
    else:
        each = [f"{_pixels(f'{abs(place.shift_out):.3g}')} {way}" for (_, place), way in zip(moved, ways, strict=True)]
        words = " and ".join(each)
    most = max(abs(place.shift_out) for _, place in moved)
    severity = _rank(most, 0.5, 0.1, 0.0)
    yield Finding(severity, f"the image moves by {words} against half-pixel centres")


def _stretches(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    for where, alike in _alike(axes, lambda one: round(one.placement.stretch, 5)):
        place = alike.placement
        if place.edge_out >= 0.005:
            change = "larger" if place.stretch > 1 else "smaller"
            words = f"things are shown {abs(100 * (place.stretch - 1)):.2g} % {change} than the sizes say{where}"
            moved = f"at the edges they move by {_pixels(f'{place.edge_out:.2g}')}"
            yield Finding(_rank(place.edge_out, 0.5, 0.1, 0.0), f"{words}: {moved}")


def _sums(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    for where, alike in _alike(axes, lambda one: (one.is_normal, round(one.least_sum, 3), round(one.most_sum, 3))):
        if not alike.is_normal:
            sums = " to ".join(dict.fromkeys(f"{number:.4g}" for number in (alike.least_sum, alike.most_sum)))
            yield Finding("medium", f"what is constant does not stay so: weights of an output sum to {sums}{where}")
    for where, alike in _alike(axes, lambda one: one.empty):
        if alike.empty:
            yield Finding("medium", f"{alike.empty:,} of {alike.n_out:,} outputs read no pixel at all{where}")


def _lobes(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    if not all(one.is_normal for one in axes):
        return
    below, above = 0.0, 1.0  # what the weights of an output sum to at most, those below 0 and those above
    for one in axes:
        below, above = (
            below * (1 + one.negative) + above * one.negative,
            above * (1 + one.negative) + below * one.negative,
        )
    if below >= 0.005:
        words = f"numbers from 0 to 1 can become {-below:.2g} to {above:.3g}: weights below 0 overshoot"
        yield Finding("low", words)


def _rank(amount: float, high: float, medium: float, low: float) -> str:
    return "high" if amount >= high else "medium" if amount >= medium else "low" if amount >= low else ""


def _pixels(amount: str) -> str:
    return f"{amount} output pixel{'' if float(amount) <= 1 else 's'}"


def _way(position: int, rank: int, shift: float) -> str:
    """Which way that is, in words that fit the number of axes."""
    names = (("up", "down"), ("left", "right"))[2 - rank :] if rank <= 2 else ()
    if names:
        return names[position][shift > 0]
    return f"{'forward' if shift > 0 else 'back'} along axis {position}"


def _alike(axes: tuple[Axis, ...], key: Callable[[Axis], object]) -> Iterator[tuple[str, Axis]]:
    """Axes of which the same is said, once: the words for where it is, and one of them."""
    groups: dict[object, list[int]] = {}
    for position, one in enumerate(axes):
        groups.setdefault(key(one), []).append(position)
    for positions in groups.values():
        names = " and ".join(map(str, positions))
        where = "" if len(positions) == len(axes) else f" (ax{'i' if len(positions) == 1 else 'e'}s {names})"
        yield where, axes[positions[0]]
