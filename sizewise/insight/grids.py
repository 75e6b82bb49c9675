"""Grids: how far off boxes scaled by the sizes are, and how far apart two resizes put the same point."""

from __future__ import annotations

from ..geometry import AxisGeometry, Geometry
from ..preprocess.grids import MIN_DISTANCE, distance

__all__ = ["MIN_DISTANCE", "distance", "scaling_error"]


def scaling_error(geometry: Geometry) -> float:
    """Return how far off a point of the image is at most, in output pixels, if it is scaled by n_out / n_in.

    >>> import sizewise as sw
    >>> scaling_error(sw.make_plan((16, 16), (4, 4), dialect="tensorflow1").geometry)
    0.375
    """
    lengths = zip(geometry.output_size, geometry.input_size, strict=True)
    by_sizes = tuple(AxisGeometry(n_out / n_in, 0.0) for n_out, n_in in lengths)
    return distance(geometry, Geometry(geometry.input_size, geometry.output_size, by_sizes)) or 0.0
