"""Encoding of pictures as image files."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from ..errors import FileError
from . import metadata, png16, tiff
from .formats import STORES
from .picture import Picture

_JPEG_QUALITY = 90  # unless the source is a JPEG


def convert_for_format(picture: Picture, format: str, background: tuple[int, int, int] | None) -> Picture:
    """Return the picture in a form that the format can store; `background` replaces alpha if it has none."""
    wider = picture.expand()
    for candidate in (picture, wider, wider.to_rgb()):
        if candidate.kind in STORES[format]:
            return candidate
    bands, dtype = wider.kind
    loses_alpha = wider.has_alpha and ("RGB", dtype) in STORES[format]
    if loses_alpha and background is not None:
        return wider.flatten(background)
    others = ", ".join(name for name in STORES if wider.kind in STORES[name]) or "npy"
    hint = ": it has no alpha; give the color behind it (--pad white), or" if loses_alpha else ";"
    raise FileError(f"{format} cannot store {bands} of {dtype}{hint} write {others}")


def encode(picture: Picture, format: str, quality: int | None = None) -> bytes:
    """Return the bytes of a file of that format, which can store the picture (see `convert_for_format`)."""
    meta, tags = picture.metadata, metadata.exif_for_size(picture.metadata, picture.size)
    if format == "tiff":
        return tiff.encode(picture, tags)
    arguments: dict[str, Any] = {"exif": metadata.exif_bytes(tags), "icc_profile": meta.icc or None}
    if format == "png":
        arguments |= {"pnginfo": metadata.png_info(meta), "dpi": meta.dpi}
        if picture.palette is not None and picture.palette.shape[1] == 4:
            arguments["transparency"] = picture.palette[:, 3].tobytes()
        if picture.pixels.dtype == np.uint16 and picture.bands != "L":
            pixel = replace(picture, pixels=picture.pixels[:1, :1].astype(np.uint8))
            return png16.encode(picture.pixels, _save(pixel, "PNG", arguments))
    elif format == "jpeg":
        arguments |= {"xmp": meta.xmp, "comment": meta.comment, "dpi": meta.dpi or (0, 0)}
        arguments |= _jpeg_arguments(picture, quality)
    else:
        arguments |= {"xmp": meta.xmp, "quality": 100 if quality is None else quality, "lossless": quality is None}
        arguments["exact"] = True  # keep the colors of transparent pixels
    return _save(picture, format.upper(), arguments)


def _jpeg_arguments(picture: Picture, quality: int | None) -> dict[str, Any]:
    """Return Pillow's arguments for a JPEG: those of the source, if it is one, unless the quality is given."""
    source = picture.metadata.encoding if "qtables" in picture.metadata.encoding else {}
    if quality is None and source:
        return source
    return {
        "quality": _JPEG_QUALITY if quality is None else quality,
        "subsampling": source.get("subsampling", 0),
        "progressive": source.get("progressive", False),
    }


def _save(picture: Picture, format: str, arguments: dict[str, Any]) -> bytes:
    pixels, file = np.ascontiguousarray(picture.pixels), io.BytesIO()
    if picture.bands == "CMYK" or picture.palette is not None:
        image = Image.frombytes(picture.bands, picture.size[::-1], pixels.tobytes())
        if picture.palette is not None:
            image.putpalette(np.ascontiguousarray(picture.palette[:, :3]).tobytes())
    else:
        image = Image.fromarray(pixels)
    try:
        image.save(file, format, **arguments)
    except ValueError as error:
        raise FileError(f"{error} ({format}); --metadata strip leaves it out") from error
    return file.getvalue()
