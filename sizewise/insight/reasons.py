"""Why two plans of one resize give different pixels, in words that a user can act on."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..plan import Plan
from ..taps import Taps

_ROWS = 512  # of an axis at most that weights are compared in
_SAME = 1e-3  # weights as close as this differ by the precision of coordinates only
_MOVED = 0.05  # pixels of the input, from which on a shift is told


def reason(first: Plan, other: Plan, first_name: str, other_name: str) -> str:
    """What sets the second plan apart from the first.

    >>> import sizewise as sw
    >>> pillow, opencv = (sw.make_plan((64, 64), (8, 8), dialect=name) for name in ("pillow", "opencv"))
    >>> reason(pillow, opencv, "Pillow", "OpenCV")
    'OpenCV does not antialias: it reads 6.25 % of the pixels, Pillow all'
    """
    read = [_read(plan) for plan in (first, other)]
    apart = max(read) > 1.2 * min(read)
    if apart or (_smooths(first) != _smooths(other)):
        second = read[1] < read[0] if apart else _smooths(first)
        less, more = (other_name, first_name) if second else (first_name, other_name)
        words = (
            f": it reads {_share(min(read))} of the pixels, {more} {_share(max(read))}" if apart else f", {more} does"
        )
        return f"{less} does not antialias{words}"
    moved = [_shift(mine, theirs) for mine, theirs in zip(first.taps, other.taps, strict=True)]
    if max(map(abs, moved)) > _MOVED:
        return f"{other_name} lies {_direction(moved)} than {first_name}"
    weights = max(_apart(mine, theirs) for mine, theirs in zip(first.taps, other.taps, strict=True))
    if weights <= _SAME:
        return "the weights are the same, only their rounding differs"
    return f"the filters differ, by up to {100 * weights:.2g} % of a pixel's weight"


def _smooths(plan: Plan) -> bool:
    """Whether it antialiases, and there is something to antialias."""
    return plan.request.antialias and any(one.n_out < one.n_in for one in plan.taps)


def _read(plan: Plan) -> float:
    """The share of the input's pixels that are read."""
    return math.prod(float(one.is_read.mean()) for one in plan.taps)


def _share(part: float) -> str:
    return "all" if part == 1 else f"{100 * part:.3g} %"


def _shift(first: Taps, other: Taps) -> float:
    """How far behind the first the other one looks, in the mean, in pixels of the input."""
    return float(np.median(_centre(other) - _centre(first)))


def _centre(taps: Taps) -> NDArray[np.float64]:
    """Where each output looks: the middle of its weights."""
    total = taps.weights.sum(axis=1)
    inputs = taps.start[:, None] + np.arange(taps.width)
    centre: NDArray[np.float64] = (taps.weights * inputs).sum(axis=1) / np.where(total == 0, 1.0, total)
    return centre


def _direction(moved: list[float]) -> str:
    """A shift in words. What looks further down the input shows the image further up."""
    names = (("up", "down"), ("left", "right"))
    words = [
        f"{abs(by):.3g} input pixels further {behind if by > 0 else ahead}"
        for by, (behind, ahead) in zip(moved, names, strict=True)
        if abs(by) > _MOVED
    ]
    return " and ".join(words)


def _apart(first: Taps, other: Taps) -> float:
    """The largest difference of two weights of the same input and output."""
    rows = np.unique(np.linspace(0, first.n_out - 1, _ROWS).astype(np.int64))
    base = np.minimum(first.start, other.start)[rows]
    stop = np.maximum(first.start + first.width, other.start + other.width)[rows]
    table = np.zeros((2, len(rows), int((stop - base).max())))
    for side, taps in zip(table, (first, other), strict=True):
        columns = (taps.start[rows] - base)[:, None] + np.arange(taps.width)
        np.put_along_axis(side, columns, taps.weights[rows], axis=1)
    return float(np.abs(table[0] - table[1]).max())
