"""Resizing what a file holds: pictures, with their alpha and their palettes, and arrays of any rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .. import api, dialects
from ..compat import pillow
from ..errors import ArgumentError, FileError
from ..plan import Plan
from . import fit
from .colours import Colour, fill
from .fit import Placement
from .picture import Picture


@dataclass(frozen=True)
class Recipe:
    """How every file is to be resized: to `size` by the rule `fit`, or by `scale`; and with whose pixels.

    `pad` is the colour around a letterboxed picture; `axes` are those of arrays, which `sw.resize` chooses if None.

    >>> Recipe(scale=0.5).placement((100, 200)).output_size
    (50, 100)
    """

    size: tuple[int, ...] | None = None
    scale: float | None = None
    fit: str = "stretch"
    pad: Colour = None
    method: str = "bilinear"
    dialect: str = "standard"
    antialias: bool | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    axes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Refuses words that no file could be resized by."""
        if (self.size is None) == (self.scale is None):
            raise ArgumentError("give --size or --scale, one of them")
        if self.scale is not None and self.fit != "stretch":
            raise ArgumentError(f"--fit {self.fit} is for --size; --scale keeps the aspect anyway")
        dialect = dialects.get(self.dialect)
        dialect.resolve_antialias(dialect.resolve_method(self.method), self.antialias)
        dialect.fill_options(self.options)
        if self.size is not None:
            self._require_lengths(self.size)
            fit.place(self.size, self.size, self.fit)
            if not all(1 <= length < 2**31 for length in self.size):
                raise ArgumentError(f"--size is {'x'.join(map(str, self.size))}; every length must be 1 to 2147483647")
        elif not 0 < (self.scale or 0) < math.inf:
            raise ArgumentError(f"--scale is {self.scale}; it must be a positive number, such as 0.5")

    def _require_lengths(self, size: tuple[int, ...]) -> None:
        shown = "x".join(map(str, size))
        if self.axes is None and len(size) != 2:
            raise ArgumentError(f"--size is {shown}; give a height and a width, like 480x640, or --scale 0.5")
        if self.axes is not None and len(size) != len(self.axes):
            raise ArgumentError(f"--size is {shown}, and --axes names {len(self.axes)}; give one length for each")

    def placement(self, input_size: tuple[int, ...]) -> Placement:
        """What size an image is resized to, and where that lands in the result."""
        if self.size is None:
            output_size = self.plan(input_size, None).output_size
            return Placement(input_size, output_size, (0,) * len(input_size), output_size)
        if len(self.size) != len(input_size):
            raise ArgumentError(f"--size has {len(self.size)} lengths for {len(input_size)} axes; give one for each")
        return fit.place(input_size, self.size, self.fit)

    def plan(self, input_size: tuple[int, ...], size: tuple[int, ...] | None) -> Plan:
        """The plan of a resize to that size, or by the scale if it is None."""
        scale = self.scale if size is None else None
        words: dict[str, Any] = {"scale": scale, "antialias": self.antialias, "dialect": self.dialect, **self.options}
        return api.make_plan(input_size, size, self.method, **words)


def resize_picture(picture: Picture, recipe: Recipe, threads: int | None = None) -> tuple[Picture, Placement]:
    """The picture resized, and where it landed.

    Palettes and single bits are picked, where the method picks pixels, and else mixed as colours. Colours are mixed by
    how opaque they are, so that those of transparent pixels do not bleed.

    >>> resized, _ = resize_picture(Picture(np.zeros((4, 6), bool), "L"), Recipe(size=(2, 3)))
    >>> resized.kind, resized.size
    (('L', 'uint8'), (2, 3))
    """
    placement = recipe.placement(picture.size)
    asked = placement.size if recipe.scale is None else None
    plan = recipe.plan(picture.size, asked)
    if plan.output_size != placement.size:
        raise FileError(f"with its options, dialect {recipe.dialect!r} makes {plan.output_size} of {placement.size}")
    picture = picture if plan.is_selection else picture.expanded()
    resized = _pixels(picture, plan, recipe, asked, threads)
    placed = placement.apply(resized, (0, 1), fill(picture, recipe.pad))
    return replace(picture, pixels=placed), placement


def axes_of(shape: tuple[int, ...], recipe: Recipe) -> tuple[int, ...] | None:
    """Which axes of an array are resized: the recipe's, or as `sw.resize` chooses; None if it has too few.

    >>> axes_of((8, 9, 3), Recipe(size=(4, 3))), axes_of((8,), Recipe(size=(4, 3)))
    ((-3, -2), None)
    """
    axes = recipe.axes or ((0, 1) if len(shape) == 2 else (-3, -2))
    return axes if max(axes) < len(shape) and min(axes) >= -len(shape) else None


def resize_array(array: NDArray, recipe: Recipe, threads: int | None = None) -> tuple[NDArray, Placement | None]:
    """The array resized along the recipe's axes, as `sw.resize` does, and where it landed.

    One without those axes, such as the labels beside images, is kept as it is, and lands nowhere.

    >>> resize_array(np.zeros((8, 9, 3), np.int16), Recipe(size=(4, 3)))[0].shape
    (4, 3, 3)
    """
    axes = axes_of(array.shape, recipe)
    if axes is None:
        return array, None
    placement = recipe.placement(tuple(array.shape[axis] for axis in axes))
    size = placement.size if recipe.scale is None else None
    number = recipe.pad if isinstance(recipe.pad, float) else 0.0
    if isinstance(recipe.pad, tuple):
        raise FileError("an array is padded with a number, not with a colour: --pad 0")
    resized = _resize(array, size, recipe, threads, axes)
    return placement.apply(resized, axes, np.asarray(number).astype(array.dtype)), placement


def _resize(x: NDArray, size: tuple[int, ...] | None, recipe: Recipe, threads: int | None, axes: Any) -> NDArray:
    scale = recipe.scale if size is None else None
    words: dict[str, Any] = {"antialias": recipe.antialias, "dialect": recipe.dialect, **recipe.options}
    resized: NDArray = api.resize(x, size, recipe.method, scale=scale, axes=axes, threads=threads, **words)
    return resized


def _pixels(picture: Picture, plan: Plan, recipe: Recipe, size: Any, threads: int | None) -> NDArray:
    """The picture's pixels resized, all bands alike or by how opaque they are."""

    def resize(x: Any) -> NDArray:
        if plan.request.dialect == "pillow":
            return _as_pillow(x, plan)
        return _resize(x, size, recipe, threads, (0, 1))

    pixels = picture.pixels
    if not picture.has_alpha or plan.is_selection or (pixels[..., -1] == picture.most).all():
        return resize(pixels)
    if plan.request.dialect == "pillow" and pixels.dtype == np.uint8:
        return resize(Image.fromarray(np.ascontiguousarray(pixels)))  # it is premultiplied as Pillow does it
    return _blended(picture, resize)


def _blended(picture: Picture, resize: Callable[[NDArray], NDArray]) -> NDArray:
    """Colours weighted by how opaque they are, in floats; alpha itself as any other band."""
    alpha, dtype = picture.pixels[..., -1:], np.float32 if picture.pixels.dtype == np.uint8 else np.float64
    opaque: NDArray = np.divide(alpha, picture.most, dtype=dtype)
    mixed, share = resize(picture.pixels[..., :-1] * opaque), resize(opaque)
    resized_alpha = resize(alpha)
    seen = (share > 0) & (resized_alpha > 0)
    colours = np.divide(mixed, share, out=np.zeros_like(mixed), where=seen)
    rounded = np.rint(np.clip(colours, 0, picture.most)).astype(picture.pixels.dtype)
    return np.concatenate([rounded, resized_alpha], axis=-1)


def _as_pillow(x: Any, plan: Plan) -> NDArray:
    """An array or an image as Pillow's own Image.resize makes it: bit for bit, for the modes that it has."""
    words: dict[str, Any] = dict(plan.request.options)
    method = pillow.Resampling[plan.request.method.upper()]
    return np.asarray(pillow.resize(x, plan.output_size[::-1], method, **words))
