"""Mapping of labels by the geometry of the resize that an image goes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..label_maps import LabelMaps
from ..label_masks import Chain, Window
from .document import LabelImage, Shape, Size

if TYPE_CHECKING:
    from ..files.fit import Placement
    from ..files.resizing import Recipe
    from ..geometry import Geometry
    from ..plan import Plan
    from ..preprocess import Preprocessor

Points = NDArray[np.float64]
MapOf = Callable[[Size], "ImageMap"]


@dataclass(frozen=True)
class ImageMap:
    """Where the labels of an image go; `resized` is the size after the resize alone, without crops and margins.

    >>> import sizewise as sw
    >>> halved = ImageMap(sw.make_plan((48, 64), (24, 32)), (24, 32))
    >>> halved.points(np.array([[10.0, 20.0]])), halved.scale
    (array([[ 5., 10.]]), (0.5, 0.5))
    """

    maps: LabelMaps
    resized: Size

    @property
    def geometry(self) -> Geometry:
        """The map of each axis, in array order."""
        return self.maps.geometry

    @property
    def input_size(self) -> Size:
        """(height, width) of the image."""
        return _size(self.geometry.input_size)

    @property
    def output_size(self) -> Size:
        """(height, width) of the result."""
        return _size(self.geometry.output_size)

    @property
    def scale(self) -> tuple[float, float]:
        """The scale along each axis."""
        rows, columns = self.geometry.axes
        return rows.scale, columns.scale

    @property
    def shift(self) -> tuple[float, float]:
        """The shift along each axis, in output pixels."""
        rows, columns = self.geometry.axes
        return rows.shift, columns.shift

    def points(self, points: Points) -> Points:
        """Return points (x, y) of the result."""
        mapped: Points = self.maps.map_points(points)
        return mapped

    def apply(self, image: LabelImage) -> LabelImage:
        """Return the labels of the result."""
        shapes = tuple(self._shape(shape) for shape in image.shapes)
        area = image.area_scale * abs(self.scale[0] * self.scale[1])
        return replace(image, size=self.output_size, shapes=shapes, area_scale=area)

    def _shape(self, shape: Shape) -> Shape:
        mask = None if shape.mask is None else self.maps.map_masks(shape.mask.astype(np.uint8)).astype(bool)
        return replace(shape, points=self.points(shape.points), mask=mask)


def of_recipe(recipe: Recipe) -> MapOf:
    """Return where `sizewise resize` puts images of a size."""
    return lambda size: of_placement(recipe, recipe.placement(size))


def of_placement(recipe: Recipe, placement: Placement) -> ImageMap:
    """Return where an image goes that is resized with this placement."""
    plan = recipe.plan(placement.input_size, placement.size if recipe.scale is None else None)
    if placement.size == placement.output_size:
        return ImageMap(plan, _size(placement.size))
    window = Window(placement.size, placement.output_size, [-start for start in placement.start])
    return ImageMap(Chain(placement.input_size, [plan, window]), _size(placement.size))


def of_preprocessor(pre: Preprocessor) -> MapOf:
    """Return where a preprocessor puts images of a size."""

    def map_of(size: Size) -> ImageMap:
        links: list[Plan | Window] = []
        resized = size
        for step, before in zip(pre.steps, pre.sizes(size)[:-1], strict=True):
            links += step.links(before)
            resized = step.output_size(before) if step.name == "resize" else resized
        return ImageMap(Chain(size, links), resized)

    return map_of


def _size(lengths: tuple[int, ...]) -> Size:
    height, width = lengths
    return height, width
