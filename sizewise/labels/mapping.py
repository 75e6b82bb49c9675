"""Mapping of labels by the geometry of the resize that an image goes through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .document import LabelImage, Shape, Size

if TYPE_CHECKING:
    from ..files.fit import Placement
    from ..files.resizing import Recipe
    from ..preprocess import Preprocessor

Points = NDArray[np.float64]
MapOf = Callable[[Size], "ImageMap"]


@dataclass(frozen=True)
class ImageMap:
    """Where an image of `input_size` goes in a result of `output_size`: x -> scale * x + shift along each axis.

    All are in array order (height, width). `deviation` is how far single outputs read from that line, in output pixels.
    `resized` is the size after the resize alone, without crops and margins.
    """

    input_size: Size
    output_size: Size
    resized: Size
    scale: tuple[float, float]
    shift: tuple[float, float]
    deviation: tuple[float, float] = (0.0, 0.0)

    def points(self, points: Points) -> Points:
        """Return points (x, y) of the result."""
        mapped: Points = points * self.scale[::-1] + self.shift[::-1]
        return mapped

    def mask(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the result: each pixel is the one of the input where its center comes from."""
        result = np.zeros(self.output_size, bool)
        inside, sources = [], []
        for n_in, n_out, scale, shift in zip(self.input_size, self.output_size, self.scale, self.shift, strict=True):
            source = np.floor((np.arange(n_out) + 0.5 - shift) / scale).astype(np.int64)
            inside.append(np.flatnonzero((source >= 0) & (source < n_in)))
            sources.append(source[inside[-1]])
        result[np.ix_(*inside)] = mask[np.ix_(*sources)]
        return result

    def apply(self, image: LabelImage) -> LabelImage:
        """Return the labels in the result."""
        shapes = tuple(self._shape(shape) for shape in image.shapes)
        area = image.area_scale * self.scale[0] * self.scale[1]
        return replace(image, size=self.output_size, shapes=shapes, area_scale=area)

    def _shape(self, shape: Shape) -> Shape:
        mask = None if shape.mask is None else self.mask(shape.mask)
        return replace(shape, points=self.points(shape.points), mask=mask)


def of_recipe(recipe: Recipe) -> MapOf:
    """Return where `sizewise resize` puts images of a size."""
    return lambda size: map_of_placement(recipe, recipe.placement(size))


def map_of_placement(recipe: Recipe, placement: Placement) -> ImageMap:
    """Return where an image went that was resized with this placement."""
    plan = recipe.plan(placement.input_size, placement.size if recipe.scale is None else None)
    axes = plan.geometry.axes
    return ImageMap(
        _size(placement.input_size),
        _size(placement.output_size),
        _size(placement.size),
        (axes[0].scale, axes[1].scale),
        (axes[0].shift + placement.start[0], axes[1].shift + placement.start[1]),
        (axes[0].deviation, axes[1].deviation),
    )


def of_preprocessor(pre: Preprocessor) -> MapOf:
    """Return where a preprocessor puts images of a size."""

    def map_of(size: Size) -> ImageMap:
        axes, sizes = pre.geometry(size).axes, pre.sizes(size)
        resized = [after for step, after in zip(pre.steps, sizes[1:], strict=True) if step.name == "resize"]
        return ImageMap(
            size,
            sizes[-1],
            resized[-1] if resized else size,
            (axes[0].scale, axes[1].scale),
            (axes[0].shift, axes[1].shift),
            (axes[0].deviation, axes[1].deviation),
        )

    return map_of


def _size(lengths: Sequence[int]) -> Size:
    height, width = lengths
    return height, width
