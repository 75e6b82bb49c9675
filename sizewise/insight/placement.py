"""Placement: the shift and stretch of an axis relative to half-pixel centers, from its taps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..taps import Taps

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Placement:
    """The shift and stretch of an axis relative to half-pixel centers, where output o is at h(o) = (o + 0.5) * n_in /
    n_out - 0.5 of the input.

    Output o is centered on the centroid c(o) of its taps, sum(w * i) / sum(w). `shift` is the mean of h(o) - c(o), in
    input pixels: above 0, the image moves towards larger indices (down, right). `stretch` is the magnification about
    the middle relative to n_out / n_in: not 1 where the distance between outputs differs from n_in / n_out.

    Outputs that read the first or the last pixel are ignored if there are others: the border moves their centroids,
    but not the image. All count where each output is a copy of one input.
    """

    n_in: int
    n_out: int
    shift: float = 0.0
    stretch: float = 1.0

    @property
    def shift_out(self) -> float:
        """The shift in output pixels."""
        return self.shift * self.n_out / self.n_in

    @property
    def edge_out(self) -> float:
        """How far the stretch alone moves the first and the last output, in output pixels."""
        return abs(self.stretch - 1) * (self.n_out - 1) / 2

    def coordinates(self, outputs: NDArray[np.int64]) -> Array:
        """Return the input coordinates of outputs, by the shift and stretch alone."""
        centered = (outputs + 0.5 - self.n_out / 2) * (self.n_in / self.n_out / self.stretch)
        where: Array = centered + (self.n_in - 1) / 2 - self.shift
        return where


def centroids(taps: Taps) -> Array:
    """Return the input coordinate that each output is centered on."""
    sums = taps.weights.sum(axis=1)
    inside: Array = taps.weights @ np.arange(taps.width, dtype=float) / np.where(sums == 0, 1.0, sums)
    return taps.start + inside


def placement(taps: Taps) -> Placement:
    """Return the placement of an axis."""
    outputs = np.flatnonzero(np.abs(taps.weights.sum(axis=1)) > 1e-6)
    if not taps.is_selection:
        last = taps.start + taps.count
        inner = outputs[(taps.start[outputs] > 0) & (last[outputs] < taps.n_in)]
        outputs = inner if len(inner) else outputs
    if not len(outputs):
        return Placement(taps.n_in, taps.n_out)
    centroid = centroids(taps)[outputs]
    distance = taps.n_in / taps.n_out  # between outputs
    half_pixel = (outputs + 0.5) * distance - 0.5
    slope = _slope(outputs, half_pixel, centroid, taps.n_out)
    middle = float(np.mean(half_pixel - centroid - slope * (outputs - (taps.n_out - 1) / 2)))
    # Rounded: float32 coordinates have no more digits.
    return Placement(taps.n_in, taps.n_out, round(middle, 4) + 0.0, round(distance / (distance - slope), 6))


def _slope(outputs: NDArray[np.int64], half_pixel: Array, centroid: Array, n_out: int) -> float:
    """Return the change of h(o) - c(o) per output; 0 where it is within the scatter of single outputs."""
    if len(outputs) < 3 or np.ptp(centroid) < 1e-6:
        return 0.0
    away = half_pixel - centroid
    centered = outputs - outputs.mean()
    slope = float(centered @ away / (centered @ centered))
    scatter = float(np.abs(away - away.mean() - slope * centered).max())
    # Sampling a filter at pixel centers moves centroids a little in both directions.
    return slope if abs(slope) * (n_out - 1) / 2 > 2 * scatter + 0.6 / len(outputs) else 0.0
