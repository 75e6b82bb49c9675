"""The file formats there are: by which ending a name tells its format, and what a format can hold."""

from __future__ import annotations

import os
from pathlib import PurePath

from ..errors import unknown_name

# Format -> the endings of its names; the first is what we write.
ENDINGS = {
    "png": (".png",),
    "jpeg": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "webp": (".webp",),
    "tiff": (".tif", ".tiff"),
    "npy": (".npy",),
    "npz": (".npz",),
}
_ONLY_READ = (".gif", ".bmp")
_FORMATS = {ending: name for name, endings in ENDINGS.items() for ending in endings}
READABLE = (*_FORMATS, *_ONLY_READ)

# What each image format holds: pairs of Pillow's word for the bands and a dtype. "P" are indices
# into a palette, "PA" into one with alpha.
_EIGHT = {(bands, "uint8") for bands in ("L", "RGB")}
_DEEP = {("LA", "uint8"), *((bands, dtype) for bands in ("L", "RGB", "RGBA") for dtype in ("uint8", "uint16"))}
HOLDS = {
    "png": {("L", "bool"), ("P", "uint8"), ("PA", "uint8"), ("LA", "uint16"), *_DEEP},
    "jpeg": {("CMYK", "uint8"), *_EIGHT},
    "webp": {("RGB", "uint8"), ("RGBA", "uint8")},
    "tiff": {("L", "bool"), ("L", "int32"), ("L", "float32"), ("P", "uint8"), ("CMYK", "uint8"), *_DEEP},
}


def of_name(path: str | os.PathLike[str]) -> str | None:
    """The format that the ending of a name tells, among those we write; None for others.

    >>> of_name("a/b.JPG"), of_name("a.gif"), of_name("a")
    ('jpeg', None, None)
    """
    return _FORMATS.get(PurePath(path).suffix.lower())


def is_readable(name: str) -> bool:
    """Whether a name ends as an image or an array does.

    >>> is_readable("photo.JPEG"), is_readable("notes.txt")
    (True, False)
    """
    return PurePath(name).suffix.lower() in READABLE


def renamed(name: str, format: str | None) -> str:
    """A file's name as the output has it: with an ending of the format, or of PNG if its own is none that we write.

    >>> renamed("a.png", None), renamed("a.png", "jpeg"), renamed("a.JPEG", "jpeg"), renamed("a.tar.gif", None)
    ('a.png', 'a.jpg', 'a.JPEG', 'a.tar.png')
    """
    wanted = format or of_name(name) or "png"
    if wanted not in ENDINGS:
        raise unknown_name("format", wanted, ENDINGS)
    return name if of_name(name) == wanted else f"{PurePath(name).stem}{ENDINGS[wanted][0]}"
