"""Differences: why two plans of the same resize give different pixels."""

from __future__ import annotations

import math

import numpy as np

from ..plan import Plan
from .placement import centroids
from .translation.equivalence import weight_errors

_SAME = 1e-3  # weights this close differ only by the precision of coordinates
_SHIFTED = 0.05  # input pixels from which on a shift is reported


def explain_difference(first: Plan, other: Plan, first_name: str, other_name: str) -> str:
    """Return what sets the second plan apart from the first."""
    read = [math.prod(float(taps.is_read.mean()) for taps in plan.taps) for plan in (first, other)]
    reads_less = max(read) > 1.2 * min(read)
    if reads_less or _antialiases_alone(first, other) or _antialiases_alone(other, first):
        second = read[1] < read[0] if reads_less else _antialiases(first)
        less, more = (other_name, first_name) if second else (first_name, other_name)
        shares = f": it reads {_percent(min(read))} of the pixels, {more} {_percent(max(read))}"
        return f"{less} does not antialias{shares if reads_less else f', {more} does'}"
    pairs = list(zip(first.taps, other.taps, strict=True))
    shifts = [float(np.median(centroids(theirs) - centroids(mine))) for mine, theirs in pairs]
    if max(map(abs, shifts)) > _SHIFTED:
        return f"{other_name} lies {_directions(shifts)} than {first_name}"
    error = max(float(weight_errors(*pair).max(initial=0.0)) for pair in pairs)
    if error <= _SAME:
        return "the weights are the same, only their rounding differs"
    return f"the filters differ, by up to {100 * error:.2g} % of a pixel's weight"


def _antialiases(plan: Plan) -> bool:
    return plan.request.antialias and any(one.n_out < one.n_in for one in plan.taps)


def _antialiases_alone(plan: Plan, other: Plan) -> bool:
    """Return whether a plan antialiases, and the other neither does nor, as `area`, reads as many pixels."""
    n_reads, n_others = (math.prod(taps.mean_count for taps in one.taps) for one in (plan, other))
    return _antialiases(plan) and not _antialiases(other) and n_reads > n_others


def _percent(share: float) -> str:
    return "all" if share == 1 else f"{100 * share:.3g} %"


def _directions(shifts: list[float]) -> str:
    """Describe a shift of the input coordinates: reading further down shows the image further up."""
    names = (("up", "down"), ("left", "right"))
    return " and ".join(
        f"{abs(shift):.3g} input pixels further {behind if shift > 0 else ahead}"
        for shift, (behind, ahead) in zip(shifts, names, strict=True)
        if abs(shift) > _SHIFTED
    )
