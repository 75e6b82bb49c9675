"""Colors of --pad: parsed, and converted to the bands and the range of a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageColor

from ..errors import ArgumentError, FileError
from .picture import Picture

Color = float | tuple[int, ...] | None  # a gray level, or red, green, blue (and alpha), all 0 to 255


def parse(given: str) -> Color:
    """Return a color by name or code, or a number: a gray level of 0 to 255, or any value for arrays."""
    try:
        return float(given)
    except ValueError:
        pass
    try:
        return tuple(ImageColor.getrgb(given))
    except ValueError:
        raise ArgumentError(
            f"--pad is {given!r}; write a color like white, #ff8800 or 'rgb(255, 136, 0)', or a number like 114"
        ) from None


def rgb(color: Color) -> tuple[int, int, int] | None:
    """Return a color as red, green and blue of 0 to 255, or None."""
    if color is None:
        return None
    parts = (color,) * 3 if isinstance(color, float) else color[:3]
    if not all(0 <= part <= 255 for part in parts):
        given = f"{color:g}" if isinstance(color, float) else color
        raise FileError(f"--pad must be 0 to 255 for this image, got {given}")
    red, green, blue = map(round, parts)
    return red, green, blue


def number_for(dtype: np.dtype, color: Color) -> float:
    """Return a number that elements of a dtype without a known range are padded with; by default 0."""
    if isinstance(color, tuple):
        raise FileError("an array, or a picture of 32-bit numbers, is padded with a number, not with a color: --pad 0")
    if color is None or dtype.kind not in "iu":
        return color or 0
    limits = np.iinfo(dtype)
    if not limits.min <= color <= limits.max:
        raise FileError(f"--pad must be {limits.min} to {limits.max} for {dtype}, got {color:g}")
    return round(color)


def fill_value(picture: Picture, color: Color) -> Any:
    """Return a color as a pixel of the picture; by default black, or transparent if it has alpha."""
    if picture.palette is not None:
        return _palette_index(picture.palette, color)
    if picture.pixels.dtype in (np.int32, np.float32):
        return number_for(picture.pixels.dtype, color)
    red, green, blue = rgb(color) or (0, 0, 0)
    bands = picture.bands.removesuffix("A")
    values = np.array(Image.new("RGB", (1, 1), (red, green, blue)).convert(bands)).reshape(-1).tolist()
    if picture.has_alpha:
        values.append(0 if color is None else color[3] if isinstance(color, tuple) and len(color) == 4 else 255)
    scaled = np.rint(np.array(values) * (picture.max_value / 255)).astype(picture.pixels.dtype)
    return scaled if picture.pixels.ndim == 3 else scaled[0]


def _palette_index(palette: np.ndarray, color: Color) -> int:
    """Return the index of a color in a palette; 0 for None."""
    wanted = rgb(color)
    found = np.flatnonzero((palette[:, :3] == wanted).all(axis=1)) if wanted else [0]
    if not len(found):
        raise FileError(f"the palette has no color {wanted}; pad with one that it has, or use a method that blends")
    return int(found[0])
