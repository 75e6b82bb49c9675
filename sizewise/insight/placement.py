"""Placement: where an axis takes its outputs from, against half-pixel centres. Knows taps only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..taps import Taps

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Placement:
    """How an axis moves and scales what it shows, compared with half-pixel centres, where output o is at h(o) =
    (o + 0.5) * n_in / n_out - 0.5 of the input.

    Output o is taken from the centroid c(o) of its taps, sum(w * i) / sum(w). `shift` is the mean of h(o) - c(o), in
    pixels of the input: above 0, what is shown moves towards larger indices (down, right). `stretch` is how much
    larger things are shown about the middle: 1, unless the distance between outputs is another than n_in / n_out.

    Outputs that read the first or the last pixel are left out, where there are others: an axis ends there, which moves
    centroids but no picture. All count where each output is one input as it is.

    >>> import sizewise as sw
    >>> one = placement(sw.make_plan((16,), (4,), dialect="tensorflow1").taps[0])
    >>> one.shift, one.shift_out, one.stretch
    (1.5, 0.375, 1.0)
    >>> placement(sw.make_plan((16,), (4,), dialect="tensorflow1", align_corners=True).taps[0]).stretch
    0.8
    """

    n_in: int
    n_out: int
    shift: float = 0.0
    stretch: float = 1.0

    @property
    def shift_out(self) -> float:
        """The shift in pixels of the output."""
        return self.shift * self.n_out / self.n_in

    @property
    def edge_out(self) -> float:
        """How far the stretch alone moves the middle of the first and the last output, in pixels of the output."""
        return abs(self.stretch - 1) * (self.n_out - 1) / 2

    def coordinates(self, outputs: NDArray[np.int64]) -> Array:
        """Where in the input the outputs are taken from, by the shift and stretch alone."""
        centred = (outputs + 0.5 - self.n_out / 2) * (self.n_in / self.n_out / self.stretch)
        where: Array = centred + (self.n_in - 1) / 2 - self.shift
        return where


def placement(taps: Taps) -> Placement:
    """The placement of an axis.

    >>> import sizewise as sw
    >>> placement(sw.make_plan((4,), (8,)).taps[0])
    Placement(n_in=4, n_out=8, shift=0.0, stretch=1.0)
    """
    sums = taps.weights.sum(axis=1)
    outputs = np.flatnonzero(np.abs(sums) > 1e-6)
    if not taps.is_selection:
        last = taps.start + taps.count
        inner = outputs[(taps.start[outputs] > 0) & (last[outputs] < taps.n_in)]
        outputs = inner if len(inner) else outputs
    if not len(outputs):
        return Placement(taps.n_in, taps.n_out)
    centroid = taps.start[outputs] + (taps.weights @ np.arange(taps.width, dtype=float))[outputs] / sums[outputs]
    distance = taps.n_in / taps.n_out  # between outputs
    half_pixel = (outputs + 0.5) * distance - 0.5
    slope = _slope(outputs, half_pixel, centroid, taps.n_out)
    middle = float(np.mean(half_pixel - centroid - slope * (outputs - (taps.n_out - 1) / 2)))
    # Rounded: the last digits are those of coordinates in float32.
    return Placement(taps.n_in, taps.n_out, round(middle, 4) + 0.0, round(distance / (distance - slope), 6))


def _slope(outputs: NDArray[np.int64], half_pixel: Array, centroid: Array, n_out: int) -> float:
    """By how much the distance grows from one output to the next; 0 where single outputs stray as far as that."""
    if len(outputs) < 3 or np.ptp(centroid) < 1e-6:
        return 0.0
    away = half_pixel - centroid
    centred = outputs - outputs.mean()
    slope = float(centred @ away / (centred @ centred))
    stray = float(np.abs(away - away.mean() - slope * centred).max())
    # A filter's weights are those of whole pixels, which moves centroids a little, here one way and there the other.
    return slope if abs(slope) * (n_out - 1) / 2 > 2 * stray + 0.6 / len(outputs) else 0.0
