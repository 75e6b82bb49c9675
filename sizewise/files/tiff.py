"""TIFF as we write it: any depth, with a colour profile and EXIF, in strips, as they are or deflated."""

from __future__ import annotations

import io
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import TiffTags
from PIL.TiffImagePlugin import ImageFileDirectory_v2

from .picture import Picture

_STRIP = 1 << 18  # bytes before they are deflated
_PHOTOMETRIC = {"L": 1, "RGB": 2, "P": 3, "CMYK": 5}
_FORMATS = {"b": 1, "u": 1, "i": 2, "f": 3}


def encode(picture: Picture, exif: dict[int, Any]) -> bytes:
    """A TIFF file of the picture, little-endian; deflated, unless the file it comes from was not compressed.

    >>> from PIL import Image
    >>> picture = Picture(np.arange(6, dtype=np.uint16).reshape(2, 3), "L")
    >>> np.asarray(Image.open(io.BytesIO(encode(picture, {})))).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    plain = picture.about.coding.get("compression") == "raw"
    strips = _strips(picture, plain)
    tags = ImageFileDirectory_v2(prefix=b"II")
    for tag, value in _about(picture, exif).items():
        tags[tag] = value
    for tag, kind, values in _layout(picture, plain, [len(strip) for strip in strips]):
        tags.tagtype[tag] = kind
        tags[tag] = values
    file = io.BytesIO()
    tags.save(file)
    file.writelines(strips)
    return file.getvalue()


def _rows(picture: Picture) -> int:
    """How many rows a strip has."""
    return max(1, _STRIP // max(1, picture.pixels.nbytes // picture.size[0]))


def _strips(picture: Picture, plain: bool) -> list[bytes]:
    pixels, step = picture.pixels, _rows(picture)
    if pixels.dtype == bool:
        pixels = np.packbits(pixels, axis=1)
    elif _differs(picture, plain):
        pixels = pixels.copy()
        pixels[:, 1:] -= picture.pixels[:, :-1]
    little = pixels.astype(pixels.dtype.newbyteorder("<"), copy=False)
    strips = [np.ascontiguousarray(little[first : first + step]).tobytes() for first in range(0, len(little), step)]
    return strips if plain else [zlib.compress(strip, 6) for strip in strips]


def _differs(picture: Picture, plain: bool) -> bool:
    """Whether each pixel is written as its difference from the one before it, which deflates better."""
    return not plain and picture.bands != "P" and picture.pixels.dtype in (np.uint8, np.uint16)


def _layout(picture: Picture, plain: bool, counts: list[int]) -> list[tuple[int, int, Any]]:
    """The tags that say how the pixels lie: number, type and values of each."""
    pixels, short, long = picture.pixels, TiffTags.SHORT, TiffTags.LONG
    bits = 1 if pixels.dtype == bool else 8 * pixels.dtype.itemsize
    bands = pixels.shape[2] if pixels.ndim == 3 else 1
    starts = np.cumsum([0, *counts[:-1]]).tolist()  # after the tags: whoever writes those adds their length
    tags: list[tuple[int, int, Any]] = [
        (256, long, picture.size[1]),
        (257, long, picture.size[0]),
        (258, short, (bits,) * bands),
        (259, short, 1 if plain else 8),
        (262, short, _PHOTOMETRIC[picture.bands.removesuffix("A")]),
        (273, long, tuple(starts)),
        (277, short, bands),
        (278, long, _rows(picture)),
        (279, long, tuple(counts)),
        (284, short, 1),
        (339, short, (_FORMATS[pixels.dtype.kind],) * bands),
    ]
    if _differs(picture, plain):
        tags.append((317, short, 2))
    if picture.has_alpha:
        tags.append((338, short, 2))  # the colours are not premultiplied
    if picture.palette is not None:
        tags.append((320, short, tuple(_colour_map(picture.palette).tolist())))
    return tags


def _colour_map(palette: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """All reds, all greens, all blues, in 16 bits."""
    colours = np.zeros((256, 3), np.uint16)
    colours[: len(palette)] = palette[:, :3].astype(np.uint16) * 257
    return colours.T.ravel()


def _about(picture: Picture, exif: dict[int, Any]) -> dict[int, Any]:
    tags: dict[int, Any] = {}
    if picture.about.dpi:
        tags |= {282: picture.about.dpi[0], 283: picture.about.dpi[1], 296: 2}
    tags |= exif
    if picture.about.icc:
        tags[34675] = picture.about.icc
    if picture.about.xmp:
        tags[700] = picture.about.xmp
    return tags
