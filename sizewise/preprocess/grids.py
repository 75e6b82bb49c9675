"""Distance of two grids: how far apart two resizes or recipes put the same point of an image."""

from __future__ import annotations

from ..geometry import AxisGeometry, Geometry

MIN_DISTANCE = 0.005  # output pixels: smaller ones do not matter to labels


def distance(a: Geometry, b: Geometry) -> float | None:
    """Return how far apart two maps put a point of the image at most, in output pixels; None for different sizes.

    >>> import sizewise as sw
    >>> image = sw.make_plan((16, 16), (4, 4), dialect="torch")
    >>> mask = sw.make_plan((16, 16), (4, 4), "nearest", dialect="torch")
    >>> distance(image.geometry, mask.geometry)
    0.375
    """
    if (a.input_size, a.output_size) != (b.input_size, b.output_size):
        return None
    return max(map(_axis_distance, a.axes, b.axes, a.input_size))


def _axis_distance(a: AxisGeometry, b: AxisGeometry, n_in: int) -> float:
    return float(max(abs(a.apply(position) - b.apply(position)) for position in (0.0, float(n_in))))
