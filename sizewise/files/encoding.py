"""Images: a picture as the bytes of a file."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from ..errors import FileError
from . import deep, metadata, tiff
from .formats import HOLDS
from .picture import Picture

_QUALITY = 90  # of a JPEG that does not come from one


def suited(picture: Picture, format: str, behind: tuple[int, int, int] | None) -> Picture:
    """The picture as that format can hold it; `behind` is the colour for alpha that the format does not have."""
    wider = picture.expanded()
    for candidate in (picture, wider, wider.coloured()):
        if candidate.kind in HOLDS[format]:
            return candidate
    if wider.has_alpha and behind is not None and ("RGB", wider.kind[1]) in HOLDS[format]:
        return wider.over(behind)
    bands, dtype = wider.kind
    others = ", ".join(name for name in HOLDS if wider.kind in HOLDS[name]) or "npy"
    what = f"{format} cannot hold {bands} of {dtype}"
    if wider.has_alpha and ("RGB", dtype) in HOLDS[format]:
        raise FileError(f"{what}: it has no alpha; give the colour behind it (--pad white), or write {others}")
    raise FileError(f"{what}; write {others}")


def encode(picture: Picture, format: str, quality: int | None = None) -> bytes:
    """The bytes of a file of that format, which can hold the picture (`suited`).

    >>> picture = Picture(np.array([[[1, 2, 3]]], np.uint8), "RGB")
    >>> np.asarray(Image.open(io.BytesIO(encode(picture, "png")))).tolist()
    [[[1, 2, 3]]]
    """
    about, tags = picture.about, metadata.exif_for(picture.about, picture.size)
    if format == "tiff":
        return tiff.encode(picture, tags)
    words: dict[str, Any] = {"exif": metadata.exif_bytes(tags), "icc_profile": about.icc or None}
    if format == "png":
        words |= {"pnginfo": metadata.png_info(about), "dpi": about.dpi}
        if picture.palette is not None and picture.palette.shape[1] == 4:
            words["transparency"] = picture.palette[:, 3].tobytes()
        if picture.pixels.dtype == np.uint16 and picture.bands != "L":
            one = replace(picture, pixels=picture.pixels[:1, :1].astype(np.uint8))
            return deep.png(picture.pixels, _saved(one, "PNG", words))
    elif format == "jpeg":
        words |= {"xmp": about.xmp, "comment": about.comment, "dpi": about.dpi or (0, 0), **_jpeg(picture, quality)}
    else:
        words |= {"xmp": about.xmp, "quality": 100 if quality is None else quality, "lossless": quality is None}
        words["exact"] = True  # the colours of transparent pixels, too
    return _saved(picture, format.upper(), words)


def _jpeg(picture: Picture, quality: int | None) -> dict[str, Any]:
    """How a JPEG is coded: as the one it comes from, unless the quality is given."""
    coding = picture.about.coding if "qtables" in picture.about.coding else {}
    if quality is None and coding:
        return coding
    plain = {"quality": _QUALITY if quality is None else quality, "subsampling": coding.get("subsampling", 0)}
    return plain | {"progressive": coding.get("progressive", False)}


def _saved(picture: Picture, format: str, words: dict[str, Any]) -> bytes:
    pixels, file = np.ascontiguousarray(picture.pixels), io.BytesIO()
    if picture.bands == "CMYK" or picture.palette is not None:
        image = Image.frombytes(picture.bands, picture.size[::-1], pixels.tobytes())
        if picture.palette is not None:
            image.putpalette(np.ascontiguousarray(picture.palette[:, :3]).tobytes())
    else:
        image = Image.fromarray(pixels)
    try:
        image.save(file, format, **words)
    except ValueError as error:
        raise FileError(f"{error} ({format}); --metadata strip leaves it out") from error
    return file.getvalue()
