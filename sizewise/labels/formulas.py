"""Usual formulas of boxes and points, which know the sizes only, beside what a resize really does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .document import Shape
from .mapping import ImageMap

Points = NDArray[np.float64]


@dataclass(frozen=True)
class Formula:
    """A usual formula: its name, how it is written, and x -> scale * x + shift along each axis (height, width)."""

    name: str
    text: str
    scale: tuple[float, float]
    shift: tuple[float, float]
    indices: bool = False  # applied to indices of pixels, whose 0 is the center of pixel 0

    def points(self, points: Points) -> Points:
        """Return points (x, y) as the formula has them."""
        offset = 0.5 if self.indices else 0.0
        mapped: Points = (points - offset) * self.scale[::-1] + self.shift[::-1] + offset
        return mapped

    def error(self, shape: Shape, mapping: ImageMap) -> float:
        """Return how far the formula is off for a label, in output pixels; NaN coordinates do not count."""
        with np.errstate(invalid="ignore"):  # of infinities
            away = np.abs(self.points(shape.points) - mapping.points(shape.points))
        return float(np.nanmax(away, initial=0.0)) if np.isfinite(away).any() else 0.0


def usual(mapping: ImageMap) -> tuple[Formula, ...]:
    """Return the formulas that programs use for such a resize: by the sizes, and by one factor for both axes.

    Margins are half of what is left, not rounded to pixels; or none where the image stands at the start.
    """
    by_sizes = _scales(mapping)
    margin = "" if mapping.resized == mapping.output_size else " + margin"
    shift = _margins(mapping, by_sizes)
    found = [
        Formula("sizes", f"x * n_out / n_in{margin}", by_sizes, shift),
        Formula("sizes of indices", f"index * n_out / n_in{margin}", by_sizes, shift, indices=True),
    ]
    if (factor := _one_factor(mapping)) is not None:
        both = factor, factor
        found.append(Formula("one factor", f"x * factor{margin}", both, _margins(mapping, both)))
    return tuple(found)


def _scales(mapping: ImageMap) -> tuple[float, float]:
    (height, width), (n_height, n_width) = mapping.resized, mapping.input_size
    return height / n_height, width / n_width


def _margins(mapping: ImageMap, scale: tuple[float, float]) -> tuple[float, float]:
    """Return half of what is left along each axis, where the result is centered."""
    lengths = zip(mapping.output_size, mapping.input_size, scale, strict=True)
    half = [(n_out - factor * n_in) / 2 for n_out, n_in, factor in lengths]
    is_centered = [abs(real - middle) <= abs(real) for real, middle in zip(mapping.shift, half, strict=True)]
    top, left = (middle if centered else 0.0 for middle, centered in zip(half, is_centered, strict=True))
    return top, left


def _one_factor(mapping: ImageMap) -> float | None:
    """Return the factor of a resize that keeps the aspect: its lengths are those of the input times it, rounded."""
    best = None
    for factor in dict.fromkeys(_scales(mapping)):
        error = max(abs(n * factor - resized) for n, resized in zip(mapping.input_size, mapping.resized, strict=True))
        if error <= 1 and (best is None or error < best[0]):
            best = error, factor
    return None if best is None else best[1]
