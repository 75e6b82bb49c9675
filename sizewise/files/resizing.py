"""Resizing of file contents: pictures with alpha or palettes, and arrays of any rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .. import api, dialects
from ..backends.pillow import DIALECTS
from ..compat import pillow
from ..errors import ArgumentError, FileError
from ..plan import Plan
from . import fit
from .colors import Color, fill_value, number_for
from .draft import Draft
from .fit import Placement
from .picture import Picture


@dataclass(frozen=True)
class Recipe:
    """The resize of all files: to `size` by the rule `fit`, or by `scale`; and the arguments of `sw.resize`.

    `pad` is the color around a letterboxed picture; `axes` are those of arrays (None: the default of `sw.resize`).
    With `draft`, JPEG files are decoded at a reduced size.
    """

    size: tuple[int, ...] | None = None
    scale: float | None = None
    fit: str = "stretch"
    pad: Color = None
    method: str = "bilinear"
    dialect: str = "standard"
    antialias: bool | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    axes: tuple[int, ...] | None = None
    draft: bool = False

    def __post_init__(self) -> None:
        """Raise ArgumentError for arguments that are invalid for every file."""
        if self.size is None and self.scale is None:
            raise ArgumentError("give --size 480x640 or --scale 0.5; neither is given")
        if self.size is not None and self.scale is not None:
            raise ArgumentError("give --size or --scale; both are given")
        if self.scale is not None and self.fit != "stretch":
            raise ArgumentError(f"--fit {self.fit} is for --size; --scale keeps the aspect anyway")
        dialect = dialects.get(self.dialect)
        dialect.resolve_antialias(dialect.resolve_method(self.method), self.antialias)
        dialect.fill_options(self.options)
        if self.draft and (name := next((name for name in ("box", "translation") if name in self.options), None)):
            raise ArgumentError(
                f"--option {name} is in pixels of the file, which --draft changes; leave one of them out"
            )
        if self.size is not None:
            self._require_valid(self.size)
        elif not 0 < (self.scale or 0) < math.inf:
            raise ArgumentError(f"--scale is {self.scale}; it must be a positive number, such as 0.5")

    def _require_valid(self, size: tuple[int, ...]) -> None:
        text = "x".join(map(str, size))
        if self.axes is None and len(size) != 2:
            raise ArgumentError(f"--size is {text}; give a height and a width, like 480x640, or --scale 0.5")
        if self.axes is not None and len(size) != len(self.axes):
            raise ArgumentError(f"--size is {text}, and --axes names {len(self.axes)}; give one length for each")
        fit.place(size, size, self.fit)
        if not all(1 <= length < 2**31 for length in size):
            raise ArgumentError(f"--size is {text}; every length must be 1 to 2147483647")

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `sw.resize` and `sw.make_plan`, apart from sizes."""
        return {"method": self.method, "antialias": self.antialias, "dialect": self.dialect, **self.options}

    def placement(self, input_size: tuple[int, ...]) -> Placement:
        """Return the size that an image is resized to, and its offset in the result."""
        if self.size is None:
            output_size = self.plan(input_size, None).output_size
            return Placement(input_size, output_size, (0,) * len(input_size), output_size)
        if len(self.size) != len(input_size):
            raise ArgumentError(f"--size has {len(self.size)} lengths for {len(input_size)} axes; give one for each")
        return fit.place(input_size, self.size, self.fit)

    def plan(self, input_size: tuple[int, ...], size: tuple[int, ...] | None) -> Plan:
        """Return the plan of a resize to that size, or by the scale for None."""
        return api.make_plan(input_size, size, scale=self.scale if size is None else None, **self.arguments)


def resize_picture(picture: Picture, recipe: Recipe, threads: int | None = None) -> tuple[Picture, Placement]:
    """Return the resized picture and its placement.

    Methods that select pixels keep palettes and single bits; others convert them to colors. Colors are weighted by
    alpha, so that those of transparent pixels do not bleed.
    """
    if picture.draft is None or picture.draft.scale == 1:
        placement = recipe.placement(picture.size)
    else:
        placement = recipe.placement(picture.draft.file_size)
        picture, recipe = _prepare_draft(picture, picture.draft, recipe, placement.size)
    size = placement.size if recipe.scale is None else None
    plan = recipe.plan(picture.size, size)
    if plan.output_size != placement.size:
        raise FileError(f"with its options, dialect {recipe.dialect!r} changes {placement.size} to {plan.output_size}")
    picture = picture if plan.is_selection else picture.expand()

    def resize(x: Any) -> NDArray:
        if plan.request.dialect == "pillow":
            return _resize_like_pillow(x, plan)
        return _resize(x, size, recipe, threads, (0, 1))

    resized = _resize_bands(picture, plan, resize)
    return replace(picture, pixels=placement.apply(resized, (0, 1), fill_value(picture, recipe.pad))), placement


def _prepare_draft(picture: Picture, draft: Draft, recipe: Recipe, size: tuple[int, ...]) -> tuple[Picture, Recipe]:
    """Return the picture and the recipe that resize the part of a draft that the file covers to `size`.

    Pillow's dialect resizes fractions of pixels, as `Image.thumbnail` does; for others, the part is rounded to pixels.
    """
    plain = replace(recipe, size=size, scale=None, fit="stretch", draft=False)
    height, width = picture.size
    if draft.box == (0.0, 0.0, float(width), float(height)):
        return picture, plain
    if recipe.dialect in DIALECTS:
        return picture, replace(plain, options={**plain.options, "box": draft.box})
    return replace(picture, pixels=draft.crop(picture.pixels)), plain


def axes_of(shape: tuple[int, ...], recipe: Recipe) -> tuple[int, ...] | None:
    """Return the axes of an array to resize: the recipe's, or those of `sw.resize`; None if it has too few."""
    axes = recipe.axes or ((0, 1) if len(shape) == 2 else (-3, -2))
    return axes if max(axes) < len(shape) and min(axes) >= -len(shape) else None


def resize_array(array: NDArray, recipe: Recipe, threads: int | None = None) -> tuple[NDArray, Placement | None]:
    """Return the array resized along the recipe's axes by `sw.resize`, and its placement.

    An array without those axes, such as the labels of images, is returned unchanged, with None.
    """
    axes = axes_of(array.shape, recipe)
    if axes is None:
        return array, None
    placement = recipe.placement(tuple(array.shape[axis] for axis in axes))
    resized = _resize(array, placement.size if recipe.scale is None else None, recipe, threads, axes)
    return placement.apply(resized, axes, number_for(resized.dtype, recipe.pad)), placement


def _resize(x: NDArray, size: tuple[int, ...] | None, recipe: Recipe, threads: int | None, axes: Any) -> NDArray:
    scale = recipe.scale if size is None else None
    resized: NDArray = api.resize(x, size, scale=scale, axes=axes, threads=threads, **recipe.arguments)
    return resized


def _resize_bands(picture: Picture, plan: Plan, resize: Callable[[Any], NDArray]) -> NDArray:
    """Return the resized pixels: all bands alike, or colors weighted by alpha if some pixels are transparent."""
    pixels = picture.pixels
    if not picture.has_alpha or plan.is_selection or (pixels[..., -1] == picture.max_value).all():
        return resize(pixels)
    if plan.request.dialect == "pillow" and pixels.dtype == np.uint8:
        return resize(Image.fromarray(np.ascontiguousarray(pixels)))  # premultiplied as in Pillow
    return _resize_premultiplied(picture, resize)


def _resize_premultiplied(picture: Picture, resize: Callable[[NDArray], NDArray]) -> NDArray:
    """Return colors weighted by alpha, computed in floats; alpha itself is resized like any band."""
    alpha, dtype = picture.pixels[..., -1:], np.float32 if picture.pixels.dtype == np.uint8 else np.float64
    opacity: NDArray = np.divide(alpha, picture.max_value, dtype=dtype)
    sums, total = resize(picture.pixels[..., :-1] * opacity), resize(opacity)
    resized_alpha = resize(alpha)
    is_visible = (total > 0) & (resized_alpha > 0)
    colors = np.divide(sums, total, out=np.zeros_like(sums), where=is_visible)
    rounded = np.rint(np.clip(colors, 0, picture.max_value)).astype(picture.pixels.dtype)
    return np.concatenate([rounded, resized_alpha], axis=-1)


def _resize_like_pillow(x: Any, plan: Plan) -> NDArray:
    """Return an array or image resized bit for bit like Image.resize, for all modes of Pillow."""
    options: dict[str, Any] = dict(plan.request.options)
    method = pillow.Resampling[plan.request.method.upper()]
    return np.asarray(pillow.resize(x, plan.output_size[::-1], method, **options))
