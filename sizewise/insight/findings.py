"""Findings: notable facts of a resize, with their severity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from .. import deprecation
from ..geometry import Geometry
from .axis import Axis
from .coverage import Coverage
from .grids import MIN_DISTANCE, scaling_error
from .placement import Placement

SEVERITIES = ("high", "medium", "low", "")  # the last one for facts that are fine


@dataclass(frozen=True)
class Finding(deprecation.OldNames):
    """A sentence, and its severity: "high", "medium", "low", or "" for what is fine; in an audit, a node and a fix."""

    _OLD_NAMES: ClassVar[Mapping[str, str]] = {"words": "message"}

    severity: str
    message: str
    node: str = ""
    fix: str = ""


def findings(coverage: Coverage, axes: tuple[Axis, ...], geometry: Geometry | None = None) -> tuple[Finding, ...]:
    """Return the findings of a resize, the most severe first; `geometry` is where it puts labels."""
    found = [*_reached(coverage), *_aliases(axes), *_shifts(axes), *_stretches(axes), *_labels(geometry)]
    found += [*_sums(axes), *_lobes(axes)]
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))


def _reached(coverage: Coverage) -> Iterator[Finding]:
    percent = coverage.percent
    yield Finding(rank(100 - percent, 50, 10, 1e-9), coverage.finding)
    if percent < 100:
        severity = rank(100 - percent, 75, 25, 1e-9)
        yield Finding(severity, f"only {percent:.3g} % of the pixels affect the output (open to image-scaling attacks)")


def _aliases(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    for where, alike in _alike(axes, lambda one: (round(one.response.alias_share, 2), round(one.response.limit, 4))):
        share, shortest = alike.response.alias_share, 1 / alike.response.limit
        if share >= 0.1:
            length = f"{shortest:,.0f}" if shortest >= 100 else f"{shortest:.3g}"
            text = f"wavelengths below {length} px alias{where} ({100 * share:.0f} % of white-noise output power)"
            yield Finding(rank(share, 0.5, 0.25, 0.1), text)


def _shifts(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    placements = tuple(one.placement for one in axes)
    if shift := describe_shift(placements):
        severity = rank(max(abs(place.shift_out) for place in placements), 0.5, 0.1, 0.0)
        yield Finding(severity, f"the image shifts by {shift} relative to half-pixel centers")


def describe_shift(placements: Sequence[Placement]) -> str:
    """Return how far and in which direction an image shifts, in output pixels; empty where it does not."""
    shifts = [(axis, place) for axis, place in enumerate(placements) if abs(place.shift_out) >= 0.005]
    amounts = [_pixels(f"{abs(place.shift_out):.3g}") for _, place in shifts]
    directions = [_direction(axis, len(placements), place.shift) for axis, place in shifts]
    if len(set(amounts)) == 1:
        return f"{amounts[0]} {' and '.join(directions)}"
    return " and ".join(map(" ".join, zip(amounts, directions, strict=True)))


def _stretches(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    for where, alike in _alike(axes, lambda one: round(one.placement.stretch, 5)):
        place = alike.placement
        if place.edge_out >= 0.005:
            change = "larger" if place.stretch > 1 else "smaller"
            text = f"objects appear {abs(100 * (place.stretch - 1)):.2g} % {change} than the ratio of the sizes{where}"
            moved = f"the edges shift by {_pixels(f'{place.edge_out:.2g}')}"
            yield Finding(rank(place.edge_out, 0.5, 0.1, 0.0), f"{text}: {moved}")


def _labels(geometry: Geometry | None) -> Iterator[Finding]:
    error = 0.0 if geometry is None else scaling_error(geometry)
    if error >= MIN_DISTANCE:
        text = f"boxes scaled by n_out / n_in are off by up to {_pixels(f'{error:.3g}')}; use plan.map_boxes"
        yield Finding(rank(error, 0.5, 0.1, 0.0), text)


def _sums(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    for where, alike in _alike(axes, lambda one: (one.is_normal, round(one.least_sum, 3), round(one.most_sum, 3))):
        if not alike.is_normal:
            sums = " to ".join(dict.fromkeys(f"{number:.4g}" for number in (alike.least_sum, alike.most_sum)))
            yield Finding("medium", f"constants are not preserved: the weights of an output sum to {sums}{where}")
    for where, alike in _alike(axes, lambda one: one.empty):
        if alike.empty:
            yield Finding("medium", f"{alike.empty:,} of {alike.n_out:,} outputs read no pixel{where}")


def _lobes(axes: tuple[Axis, ...]) -> Iterator[Finding]:
    if not all(one.is_normal for one in axes):
        return
    below, above = 0.0, 1.0  # bounds on the sums of an output's negative and positive weights
    for one in axes:
        below, above = (
            below * (1 + one.negative) + above * one.negative,
            above * (1 + one.negative) + below * one.negative,
        )
    if below >= 0.005:
        text = f"values from 0 to 1 can become {-below:.2g} to {above:.3g}: negative weights overshoot"
        yield Finding("low", text)


def rank(amount: float, high: float, medium: float, low: float) -> str:
    """Return the severity of an amount, by its limits."""
    return "high" if amount >= high else "medium" if amount >= medium else "low" if amount >= low else ""


def _pixels(amount: str) -> str:
    return f"{amount} output pixel{'' if float(amount) <= 1 else 's'}"


def _direction(axis: int, rank: int, shift: float) -> str:
    names = (("up", "down"), ("left", "right"))[2 - rank :] if rank <= 2 else ()
    return names[axis][shift > 0] if names else f"{'forward' if shift > 0 else 'back'} along axis {axis}"


def _alike(axes: tuple[Axis, ...], key: Callable[[Axis], object]) -> Iterator[tuple[str, Axis]]:
    """Group axes by a key: yield a suffix that names the axes, and one of them."""
    groups: dict[object, list[int]] = {}
    for position, one in enumerate(axes):
        groups.setdefault(key(one), []).append(position)
    for positions in groups.values():
        names = " and ".join(map(str, positions))
        where = "" if len(positions) == len(axes) else f" (ax{'i' if len(positions) == 1 else 'e'}s {names})"
        yield where, axes[positions[0]]
