"""Axis: the facts of a resize along one axis, from its taps."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..taps import Taps
from .placement import Placement, placement
from .response import Response, response


@dataclass(frozen=True)
class Axis:
    """The facts of one axis.

    An output reads from `fewest` to `most` pixels, with weights that sum to between `least_sum` and `most_sum`; the
    negative weights of an output sum to at most `negative` in magnitude. `empty` outputs read nothing.
    """

    n_in: int
    n_out: int
    fewest: int
    most: int
    empty: int
    least_sum: float
    most_sum: float
    negative: float
    placement: Placement
    response: Response
    taps: Taps = field(repr=False, compare=False)

    @property
    def is_normal(self) -> bool:
        """Whether the weights of every non-empty output sum to 1, so that constants are preserved."""
        return abs(self.least_sum - 1) <= 1e-3 and abs(self.most_sum - 1) <= 1e-3


def axis(taps: Taps) -> Axis:
    """Return the facts of an axis with these taps."""
    read = taps.count > 0
    sums = taps.weights.sum(axis=1)[read] if read.any() else np.zeros(1)
    place = placement(taps)
    return Axis(
        n_in=taps.n_in,
        n_out=taps.n_out,
        fewest=int(taps.count.min(initial=taps.width, where=read)),
        most=taps.width,
        empty=int((~read).sum()),
        least_sum=float(sums.min()),
        most_sum=float(sums.max()),
        negative=float(-taps.weights.sum(axis=1, where=taps.weights < 0).min(initial=0.0)),
        placement=place,
        response=response(taps, place),
        taps=taps,
    )
