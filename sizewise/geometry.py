"""Geometry: where the pixels of an image are after a resize, a crop or a margin, as numbers per axis."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from .dialects import grids
from .errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .dialects import Request
    from .plan import Plan
    from .taps import Taps

ORIGINS = ("edge", "center")
MIN_DEVIATION = 1e-9  # of a pixel: smaller ones are rounding errors of the sums that find them
MIN_ROW_SUM = 1e-6  # of an output that reads something
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class AxisGeometry:
    """The map of one axis, output = scale * input + shift, in coordinates where pixel 0 covers 0 .. 1.

    `deviation` is how far the centroid of a single output lies from this line at most, in output pixels: 0 where taps
    are symmetric, up to about half an input pixel where outputs are copies of single pixels. Outputs whose taps the
    border clips are not counted if there are others.

    >>> AxisGeometry(0.5, 0.0).apply(3.0)
    1.5
    """

    scale: float
    shift: float
    deviation: float = 0.0

    @property
    def deviation_in(self) -> float:
        """The deviation in input pixels."""
        return self.deviation / abs(self.scale)

    @property
    def inverse(self) -> AxisGeometry:
        """The map from the output to the input."""
        return AxisGeometry(1.0 / self.scale, -self.shift / self.scale + 0.0, self.deviation_in)

    def apply(self, position: Any) -> Any:
        """Return a position in the input as one in the output."""
        return position * self.scale + self.shift

    def undo(self, position: Any) -> Any:
        """Return a position in the output as one in the input."""
        return (position - self.shift) / self.scale

    def then(self, after: AxisGeometry) -> AxisGeometry:
        """Return this map followed by another; deviations add up."""
        deviation = self.deviation * abs(after.scale) + after.deviation
        return AxisGeometry(self.scale * after.scale, self.shift * after.scale + after.shift, deviation)


@dataclass(frozen=True)
class Geometry:
    """The map of each axis, in array order, between an input and an output of these sizes.

    >>> import sizewise as sw
    >>> sw.make_plan((480, 640), (224, 224), "nearest", dialect="torch").geometry
    Geometry 480x640 -> 224x224
    axis   scale      shift      deviation (out)   (in)
    0      0.466667   0.466667   0.266667          0.571429
    1      0.35       0.475      0.15              0.428571
    """

    input_size: tuple[int, ...]
    output_size: tuple[int, ...]
    axes: tuple[AxisGeometry, ...]

    @property
    def deviation(self) -> float:
        """The largest deviation of all axes, in output pixels."""
        return max(axis.deviation for axis in self.axes)

    @property
    def is_identity(self) -> bool:
        """Whether every pixel stays where it is."""
        return self.input_size == self.output_size and all(axis == AxisGeometry(1.0, 0.0) for axis in self.axes)

    @property
    def inverse(self) -> Geometry:
        """The map from the output to the input."""
        return Geometry(self.output_size, self.input_size, tuple(axis.inverse for axis in self.axes))

    def then(self, after: Geometry) -> Geometry:
        """Return this map followed by another; deviations add up."""
        if after.input_size != self.output_size:
            raise ArgumentError(f"a map of {after.input_size} cannot follow one to {self.output_size}")
        axes = tuple(one.then(other) for one, other in zip(self.axes, after.axes, strict=True))
        return Geometry(self.input_size, after.output_size, axes)

    def __repr__(self) -> str:
        rows = [("axis", "scale", "shift", "deviation (out)", "(in)")]
        for number, axis in enumerate(self.axes):
            facts = (axis.scale, axis.shift, axis.deviation, axis.deviation_in)
            rows.append((str(number), *(f"{fact:.6g}" for fact in facts)))  # type: ignore[arg-type]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["   ".join(cell.ljust(n) for cell, n in zip(row, widths, strict=True)).rstrip() for row in rows]
        sizes = ("x".join(map(str, size)) for size in (self.input_size, self.output_size))
        return "\n".join([f"Geometry {' -> '.join(sizes)}", *lines])


def offset(input_size: tuple[int, ...], output_size: tuple[int, ...], first: Sequence[int]) -> Geometry:
    """Return the geometry of a crop or a margin: pixel `first` of the input is pixel 0 of the output.

    >>> offset((8,), (4,), (2,)).axes[0].shift
    -2.0
    """
    return Geometry(input_size, output_size, tuple(AxisGeometry(1.0, 0.0 - one) for one in first))


def plan_geometry(plan: Plan) -> Geometry:
    """Return the geometry of a plan, of its transpose, or of a tile.

    >>> import sizewise as sw
    >>> plan_geometry(sw.make_plan((8,), (4,)).T).axes
    (AxisGeometry(scale=2.0, shift=0.0, deviation=0.0),)
    """
    if isinstance(windows := getattr(plan, "windows", None), tuple):
        parent, inputs = plan.parent, [one.start for one in plan.inputs]  # type: ignore[attr-defined]
        before = offset(parent.input_size, plan.input_size, inputs).inverse
        after = offset(parent.output_size, plan.output_size, [one.start for one in windows])
        return before.then(parent.geometry).then(after)
    if plan.transposed:
        forward: Geometry = plan.T.geometry
        return forward.inverse
    if not plan.is_from_request:
        raise ArgumentError("plans built from custom taps have no grid; use make_plan")
    return geometry_of(plan.request, plan.taps)


def geometry_of(request: Request, taps: tuple[Taps, ...]) -> Geometry:
    """Return the geometry of a resize: the grid that its dialect states, and how far the taps are from it.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((8,), (4,))
    >>> geometry_of(plan.request, plan.taps).axes
    (AxisGeometry(scale=0.5, shift=0.0, deviation=0.0),)
    """
    axes = tuple(_axis(step, first, one) for (step, first), one in zip(grids(request), taps, strict=True))
    return Geometry(request.input_size, request.output_size, axes)


def _axis(step: Fraction, first: Fraction | None, taps: Taps) -> AxisGeometry:
    """Return the map of an axis whose output o is centered at `first + o * step` of the input."""
    if taps.is_identity:
        return AxisGeometry(1.0, 0.0)
    counted, centroid = _centroids(taps)
    if first is None:
        first = Fraction(float(np.mean(centroid - counted * float(step)))) if len(counted) else HALF
    grid = float(first) + counted * float(step)
    inside = (grid >= 0) & (grid <= taps.n_in)  # an output outside is clipped, too, if it copies a pixel of the border
    away = np.abs(centroid - grid).max(initial=0.0, where=inside if inside.any() else True) / abs(float(step))
    deviation = float(away) if away > MIN_DEVIATION * max(1.0, taps.n_out / 1e5) else 0.0
    return AxisGeometry(float(1 / step), float(HALF - first / step), deviation)


def _centroids(taps: Taps) -> tuple[np.ndarray, np.ndarray]:
    """Return the outputs that the border does not clip, all if it clips each, and the centroids of their taps.

    An output of several taps that reads the first or last pixel may be clipped; a copy of one pixel is not.
    """
    sums = taps.weights.sum(axis=1)
    outputs = np.flatnonzero(np.abs(sums) > MIN_ROW_SUM)
    if taps.width > 1:
        stop = taps.start + taps.count
        inner = outputs[(taps.start[outputs] > 0) & (stop[outputs] < taps.n_in)]
        outputs = inner if len(inner) else outputs
    inside = taps.weights[outputs] @ (np.arange(taps.width) + 0.5) / sums[outputs]
    return outputs, taps.start[outputs] + inside
