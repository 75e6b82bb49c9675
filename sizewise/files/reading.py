"""Reading a file once and whole, whatever it holds: an image, an array, or arrays by name."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import PurePath

from numpy.typing import NDArray
from PIL import Image

from ..errors import FileError, SizewiseError
from ..memory_limits import require_memory
from . import arrays, images
from .picture import Picture

Contents = Picture | NDArray | dict[str, NDArray]
Name = str | os.PathLike[str]


def read_pixels(path: Name) -> NDArray:
    """The pixels of an image, upright, or the array of an NPY file: (height, width) or (height, width, bands).

    Colours instead of the indices of a palette, and 0 and 255 instead of single bits. 16 bits stay 16 bits.

    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.png")
    >>> Image.new("RGB", (6, 4), "red").save(path)
    >>> pixels = read_pixels(path)
    >>> pixels.shape, pixels.dtype, pixels[0, 0].tolist()
    ((4, 6, 3), dtype('uint8'), [255, 0, 0])
    """
    contents = read(path)
    if isinstance(contents, Picture):
        return contents.expanded().pixels
    if isinstance(contents, dict):
        if len(contents) != 1:
            raise FileError(f"{os.fspath(path)!r} holds {len(contents)} arrays; give a file with one")
        return next(iter(contents.values()))
    return contents


def read(path: Name) -> Contents:
    """What a file holds: a picture, an array (NPY), or arrays by name (NPZ).

    >>> import tempfile, numpy as np
    >>> path = os.path.join(tempfile.mkdtemp(), "a.npy")
    >>> np.save(path, np.arange(3))
    >>> read(path)
    array([0, 1, 2])
    """
    name, data = os.fspath(path), whole_file(path)
    if data.startswith(b"\x93NUMPY"):
        return arrays.read_npy(data, name)
    if data.startswith(b"PK") or PurePath(name).suffix.lower() == ".npz":
        return arrays.read_npz(data, name)
    if PurePath(name).suffix.lower() == ".npy":
        raise FileError(f"cannot read {name!r}: it does not begin as an NPY file does")
    return images.read(data, name)


def sizes(path: Name) -> dict[str, tuple[int, ...]]:
    """The shape of each array in a file, or under "" of its only one, or the (height, width) of its picture.

    >>> import tempfile, numpy as np
    >>> path = os.path.join(tempfile.mkdtemp(), "a.npz")
    >>> np.savez(path, x=np.zeros((4, 6)), y=np.zeros(4))
    >>> sizes(path)
    {'x': (4, 6), 'y': (4,)}
    """
    name, data = os.fspath(path), whole_file(path)
    if data.startswith((b"\x93NUMPY", b"PK")):
        return arrays.shapes(data, name)
    return {"": images.size(data, name)}


def whole_file(path: Name) -> bytes:
    """The bytes of a file, all from the same moment: one that changes while it is read is refused."""
    name = os.fspath(path)
    try:
        # Without O_NONBLOCK, a pipe that nobody writes to would be waited for here.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(number, "rb") as file:
            before = os.fstat(number)
            if not stat.S_ISREG(before.st_mode):
                raise FileError(f"cannot read {name!r}: not a regular file")
            require_memory(before.st_size, "reading {!r}", name)
            data = file.read(before.st_size + 1)
            after = os.fstat(number)
    except SizewiseError as error:
        raise FileError(str(error)) from error
    except (OSError, ValueError, MemoryError) as error:  # ValueError: a name with a NUL in it
        raise FileError(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}") from error
    if len(data) != before.st_size or (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise FileError(f"cannot read {name!r}: it changed while it was read; try again")
    return data


@contextlib.contextmanager
def at_most(pixels: int | None) -> Iterator[None]:
    """Within this, images may have so many pixels, instead of as many as Pillow thinks safe; None for Pillow's own.

    >>> with at_most(4_000_000_000):
    ...     Image.MAX_IMAGE_PIXELS
    4000000000
    """
    before = Image.MAX_IMAGE_PIXELS
    try:
        Image.MAX_IMAGE_PIXELS = before if pixels is None else pixels
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = before
