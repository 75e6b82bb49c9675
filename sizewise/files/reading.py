"""Reading of image and array files, by their contents."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

from numpy.typing import NDArray
from PIL import Image

from ..errors import FileError, SizewiseError
from ..memory_limits import require_memory
from . import arrays, decode
from .draft import ResizedSize
from .picture import Picture

Contents = Picture | NDArray | dict[str, NDArray]
Name = str | os.PathLike[str]


def read_pixels(path: Name) -> NDArray:
    """Return the upright pixels of an image, or the array of an NPY file: (height, width) or (height, width, bands).

    Palettes are converted to colors, CMYK to RGB, single bits to 0 and 255. 16-bit images stay 16-bit.
    """
    contents = read(path)
    if isinstance(contents, Picture):
        return contents.expand().pixels if contents.bands != "CMYK" else decode.cmyk_to_rgb(contents.pixels)
    if isinstance(contents, dict):
        if len(contents) != 1:
            raise FileError(f"{os.fspath(path)!r} holds {len(contents)} arrays; give a file with one")
        return next(iter(contents.values()))
    return contents


def read(path: Name) -> Contents:
    """Return a picture, an array (NPY), or arrays by name (NPZ)."""
    return parse(read_bytes(path), os.fspath(path))


def parse(data: bytes, name: str, resized_size: ResizedSize | None = None) -> Contents:
    """Return the contents of a file from its bytes; with `resized_size`, a JPEG is decoded as a draft."""
    if data.startswith(b"\x93NUMPY"):
        return arrays.read_npy(data, name)
    if data.startswith(b"PK") or PurePath(name).suffix.lower() == ".npz":
        return arrays.read_npz(data, name)
    if PurePath(name).suffix.lower() == ".npy":
        raise FileError(f"cannot read {name!r}: it does not begin like an NPY file")
    return decode.read(data, name, resized_size)


def read_shapes(path: Name, is_upright: bool = True) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of an NPZ by name, or under "" that of an NPY or the size of an image."""
    name, data = os.fspath(path), read_bytes(path)
    if data.startswith((b"\x93NUMPY", b"PK")):
        return arrays.read_shapes(data, name)
    return {"": decode.read_size(data, name, is_upright)}


def is_turned(path: Name) -> bool:
    """Return whether `read` rotates or flips an image by its EXIF orientation, as `Image.open` alone does not."""
    name, data = os.fspath(path), read_bytes(path)
    return not data.startswith((b"\x93NUMPY", b"PK")) and decode.is_turned(data, name)


def read_bytes(path: Name) -> bytes:
    """Return the bytes of a regular file; raise FileError if it changes meanwhile."""
    with open_file(path) as file:
        n_bytes = os.fstat(file.fileno()).st_size
        require_memory(n_bytes, "reading {!r}", os.fspath(path))
        data = file.read(n_bytes + 1)
        if len(data) != n_bytes:
            raise _changed(path)
        return data


def begins_with(path: Name, start: bytes) -> bool:
    """Return whether a regular file begins with these bytes."""
    with open_file(path) as file:
        return file.read(len(start)) == start


@contextlib.contextmanager
def open_file(path: Name) -> Iterator[BinaryIO]:
    """Yield a regular file to read; raise FileError if it cannot be read, or changes meanwhile."""
    name = os.fspath(path)
    try:
        # Without O_NONBLOCK, opening a pipe would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise FileError(f"cannot read {name!r}: not a regular file")
            yield file
            after = os.fstat(descriptor)
    except SizewiseError as error:
        raise FileError(str(error)) from error
    except (OSError, ValueError, MemoryError) as error:  # ValueError: a name with a NUL in it
        raise FileError(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _changed(path)


def _changed(path: Name) -> FileError:
    return FileError(f"cannot read {os.fspath(path)!r}: it changed while it was read; try again")


@contextlib.contextmanager
def limit_pixels(pixels: int | None) -> Iterator[None]:
    """Set the maximal number of pixels of images that are read in this block; None for Pillow's limit."""
    before = Image.MAX_IMAGE_PIXELS
    try:
        Image.MAX_IMAGE_PIXELS = before if pixels is None else pixels
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = before
