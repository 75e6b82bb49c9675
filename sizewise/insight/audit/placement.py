"""Placement: how far a resize moves the image against half-pixel centres, which move nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...plan import Plan
from ...taps import Taps


@dataclass(frozen=True)
class Placement:
    """Along one axis, in input pixels: `shift` is how far the image moves as a whole, `drift` the most at one output.

    >>> import sizewise as sw
    >>> [placed(sw.make_plan((16,), (4,), dialect="tfjs", half_pixel_centers=half))[0] for half in (True, False)]
    [Placement(shift=0.0, drift=0.0), Placement(shift=-1.5, drift=1.5)]
    """

    shift: float
    drift: float


def placed(plan: Plan) -> tuple[Placement, ...]:
    """The placement of each axis of a plan.

    The mean over all outputs of where each one reads, less where its centre lies in the input.
    """
    return tuple(map(_axis, plan.taps))


def _axis(taps: Taps) -> Placement:
    weights, sums = taps.weights, taps.weights.sum(axis=1)
    read = sums != 0  # outputs outside of the image read nothing
    if not read.any():
        return Placement(0.0, 0.0)
    along = (weights * np.arange(weights.shape[1])).sum(axis=1)[read] / sums[read]
    centre = (np.arange(taps.n_out)[read] + 0.5) * (taps.n_in / taps.n_out) - 0.5
    apart = taps.start[read] + along - centre
    return Placement(round(float(apart.mean()), 9) + 0.0, round(float(np.abs(apart).max()), 9))
