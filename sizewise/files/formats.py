"""File formats: name endings, the pixels that each can store, and the errors of decoders."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import PurePath

from PIL import Image, UnidentifiedImageError

from ..errors import CODECS, FileError, is_raised_by, unknown_name

# Format -> name endings; the first is used for output.
ENDINGS = {
    "png": (".png",),
    "jpeg": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "webp": (".webp",),
    "tiff": (".tif", ".tiff"),
    "npy": (".npy",),
    "npz": (".npz",),
}
_FORMATS = {ending: name for name, endings in ENDINGS.items() for ending in endings}
READABLE = (*_FORMATS, ".gif", ".bmp")
_IMAGES = tuple(ending for ending in READABLE if ending not in (".npy", ".npz"))
SHARDS = (".tar", ".parquet")  # files of many images
# First bytes of image files -> name ending.
_STARTS = {
    b"\x89PNG": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"II*\0": ".tif",
    b"MM\0*": ".tif",
    b"GIF8": ".gif",
    b"BM": ".bmp",
}

# Pairs of Pillow's name of the bands and a dtype. "P" are indices into a palette, "PA" into one with alpha.
_GRAY_AND_RGB = {(bands, "uint8") for bands in ("L", "RGB")}
_UP_TO_16_BITS = {("LA", "uint8"), *((bands, dtype) for bands in ("L", "RGB", "RGBA") for dtype in ("uint8", "uint16"))}
STORES = {
    "png": {("L", "bool"), ("P", "uint8"), ("PA", "uint8"), ("LA", "uint16"), *_UP_TO_16_BITS},
    "jpeg": {("CMYK", "uint8"), *_GRAY_AND_RGB},
    "webp": {("RGB", "uint8"), ("RGBA", "uint8")},
    "tiff": {("L", "bool"), ("L", "int32"), ("L", "float32"), ("P", "uint8"), ("CMYK", "uint8"), *_UP_TO_16_BITS},
}


def format_of(path: str | os.PathLike[str]) -> str | None:
    """Return the format of a name's ending, if it can be written; else None."""
    return _FORMATS.get(PurePath(path).suffix.lower())


def is_readable(name: str) -> bool:
    """Return whether a name ends like an image or array file, or a shard of them."""
    return PurePath(name).suffix.lower() in READABLE or is_shard(name)


def is_shard(path: str | os.PathLike[str]) -> bool:
    """Return whether a name ends like a file of many images."""
    return PurePath(path).suffix.lower() in SHARDS


def is_image(name: str) -> bool:
    """Return whether a name ends like an image file."""
    return PurePath(name).suffix.lower() in _IMAGES


def ending_for(data: bytes) -> str:
    """Return the name ending of an image file by its first bytes; empty if they are unknown."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return ".webp"
    return next((ending for start, ending in _STARTS.items() if data.startswith(start)), "")


def output_name(name: str, format: str | None) -> str:
    """Return the name of the output: with the ending of the format, or of PNG if the input's cannot be written.

    The name of a shard stays: the format is that of the images in it.
    """
    wanted = format or format_of(name) or "png"
    if wanted not in ENDINGS:
        raise unknown_name("format", wanted, ENDINGS)
    if is_shard(name) or format_of(name) == wanted:
        return name
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{PurePath(last).stem}{ENDINGS[wanted][0]}"


@contextlib.contextmanager
def decode_errors(name: str) -> Iterator[None]:
    """Raise FileError, with the name of the file, for errors of decoders in this block."""
    try:
        yield
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        raise FileError(f"cannot read {name!r}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """Return why a file could not be decoded, in one line."""
    if isinstance(error, UnidentifiedImageError):
        return "not an image in a supported format (PNG, JPEG, WebP, TIFF, GIF, BMP)"
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, Image.DecompressionBombError | Image.DecompressionBombWarning):
        limit = text.partition(", could be")[0]
        return f"{limit[:1].lower()}{limit[1:]}; it may be a bomb (sizewise resize --max-pixels allows more)"
    if isinstance(error, MemoryError):
        return "it does not fit in memory"
    return f"its pixels are damaged ({text})" if text.startswith("decoder error") else text
