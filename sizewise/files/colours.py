"""Colours in words, and in the numbers of a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageColor

from ..errors import ArgumentError, FileError
from .picture import Picture

Colour = float | tuple[int, ...] | None  # a grey, red, green, blue (and alpha) of 0 to 255, or none given


def parse(given: str) -> Colour:
    """A colour in words, or a number: a grey of 0 to 255, or for arrays their own.

    >>> parse("white"), parse("#ff000080"), parse("114")
    ((255, 255, 255), (255, 0, 0, 128), 114.0)
    """
    try:
        return float(given)
    except ValueError:
        pass
    try:
        return tuple(ImageColor.getrgb(given))
    except ValueError:
        raise ArgumentError(
            f"--pad is {given!r}; write a colour like white, #ff8800 or 'rgb(255, 136, 0)', or a number like 114"
        ) from None


def rgb(colour: Colour) -> tuple[int, int, int] | None:
    """A colour as red, green and blue of 0 to 255; None if none was given.

    >>> rgb(114.0), rgb((1, 2, 3, 4)), rgb(None)
    ((114, 114, 114), (1, 2, 3), None)
    """
    if colour is None:
        return None
    red, green, blue = (round(colour),) * 3 if isinstance(colour, float) else colour[:3]
    if not all(0 <= part <= 255 for part in (red, green, blue)):
        raise FileError(f"--pad {colour:g} is no grey of a picture, which are 0 to 255")
    return red, green, blue


def fill(picture: Picture, colour: Colour) -> Any:
    """A colour as the numbers of a pixel of the picture; by default black, and transparent where that can be.

    >>> fill(Picture(np.zeros((4, 6, 3), np.uint16), "RGB"), (255, 0, 0)).tolist()
    [65535, 0, 0]
    """
    if picture.palette is not None:
        return _index(picture.palette, colour)
    if picture.pixels.dtype in (np.int32, np.float32):  # numbers of no known range: a number as it is
        if isinstance(colour, tuple):
            raise FileError("a picture of 32-bit numbers is padded with a number, not with a colour: --pad 0")
        return colour or 0
    red, green, blue = rgb(colour) or (0, 0, 0)
    alpha = 0 if colour is None else colour[3] if isinstance(colour, tuple) and len(colour) == 4 else 255
    bands = picture.bands.removesuffix("A")
    values = np.array(Image.new("RGB", (1, 1), (red, green, blue)).convert(bands)).reshape(-1).tolist()
    if picture.has_alpha:
        values.append(alpha)
    scaled = np.rint(np.array(values) * (picture.most / 255)).astype(picture.pixels.dtype)
    return scaled if picture.pixels.ndim == 3 else scaled[0]


def _index(palette: np.ndarray, colour: Colour) -> int:
    """Which entry of a palette a colour is; the first if none was given."""
    wanted = rgb(colour)
    found = np.flatnonzero((palette[:, :3] == wanted).all(axis=1)) if wanted else [0]
    if not len(found):
        raise FileError(f"the palette has no colour {wanted}; pad with one that it has, or resize with colours mixed")
    return int(found[0])
