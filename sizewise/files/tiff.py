"""TIFF encoder: any depth, with color profile and EXIF, in strips, uncompressed or deflated."""

from __future__ import annotations

import io
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import TiffTags
from PIL.TiffImagePlugin import ImageFileDirectory_v2

from .picture import Picture

_STRIP_BYTES = 1 << 18  # uncompressed
_PHOTOMETRIC = {"L": 1, "RGB": 2, "P": 3, "CMYK": 5}
_SAMPLE_FORMATS = {"b": 1, "u": 1, "i": 2, "f": 3}


def encode(picture: Picture, exif: dict[int, Any]) -> bytes:
    """Return a little-endian TIFF file of the picture, deflated unless the source file is not compressed."""
    is_raw = picture.metadata.encoding.get("compression") == "raw"
    # The predictor stores differences of neighboring pixels, which deflate better.
    predict = not is_raw and picture.bands != "P" and picture.pixels.dtype in (np.uint8, np.uint16)
    rows = max(1, _STRIP_BYTES // max(1, picture.pixels.nbytes // picture.size[0]))  # of a strip
    strips = _strips(picture.pixels, rows, is_raw, predict)
    tags = ImageFileDirectory_v2(prefix=b"II")
    for tag, value in _metadata_tags(picture, exif).items():
        tags[tag] = value
    layout = _layout_tags(picture, [len(strip) for strip in strips])
    layout += [(259, TiffTags.SHORT, 1 if is_raw else 8), (278, TiffTags.LONG, rows)]
    if predict:
        layout.append((317, TiffTags.SHORT, 2))
    for tag, kind, values in layout:
        tags.tagtype[tag] = kind
        tags[tag] = values
    file = io.BytesIO()
    tags.save(file)
    file.writelines(strips)
    return file.getvalue()


def _strips(original: NDArray, step: int, is_raw: bool, predict: bool) -> list[bytes]:
    pixels = np.packbits(original, axis=1) if original.dtype == bool else original
    if predict:
        pixels = original.copy()
        pixels[:, 1:] -= original[:, :-1]
    little = pixels.astype(pixels.dtype.newbyteorder("<"), copy=False)
    strips = [np.ascontiguousarray(little[first : first + step]).tobytes() for first in range(0, len(little), step)]
    return strips if is_raw else [zlib.compress(strip, 6) for strip in strips]


def _layout_tags(picture: Picture, counts: list[int]) -> list[tuple[int, int, Any]]:
    """Return number, type and values of the tags that describe the pixels."""
    pixels, short, long = picture.pixels, TiffTags.SHORT, TiffTags.LONG
    bits = 1 if pixels.dtype == bool else 8 * pixels.dtype.itemsize
    bands = pixels.shape[2] if pixels.ndim == 3 else 1
    tags: list[tuple[int, int, Any]] = [
        (256, long, picture.size[1]),
        (257, long, picture.size[0]),
        (258, short, (bits,) * bands),
        (262, short, _PHOTOMETRIC[picture.bands.removesuffix("A")]),
        (273, long, tuple(np.cumsum([0, *counts[:-1]]).tolist())),  # Pillow adds the length of the tags
        (277, short, bands),
        (279, long, tuple(counts)),
        (284, short, 1),
        (339, short, (_SAMPLE_FORMATS[pixels.dtype.kind],) * bands),
    ]
    if picture.has_alpha:
        tags.append((338, short, 2))  # not premultiplied
    if picture.palette is not None:  # all reds, all greens, all blues, in 16 bits
        colors = np.zeros((256, 3), np.uint16)
        colors[: len(picture.palette)] = picture.palette[:, :3].astype(np.uint16) * 257
        tags.append((320, short, tuple(colors.T.ravel().tolist())))
    return tags


def _metadata_tags(picture: Picture, exif: dict[int, Any]) -> dict[int, Any]:
    metadata, tags = picture.metadata, dict[int, Any]()
    if metadata.dpi:
        tags |= {282: metadata.dpi[0], 283: metadata.dpi[1], 296: 2}
    tags |= exif
    if metadata.icc:
        tags[34675] = metadata.icc
    if metadata.xmp:
        tags[700] = metadata.xmp
    return tags
