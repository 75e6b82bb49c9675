"""Arrays in files: NPY, and NPZ, which holds many by name. Never with pickled objects, which could run any code."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from PIL import Image

from ..errors import CODECS, FileError, is_raised_by

_HEADER = 1 << 16  # more than the longest header that NumPy reads


def read_npy(data: bytes, name: str) -> NDArray:
    """The array in the bytes of an NPY file; `name` is for the error if there is none.

    >>> read_npy(encode_npy(np.arange(3)), "a.npy").tolist()
    [0, 1, 2]
    """
    try:
        shape, dtype, start, fortran = _header(io.BytesIO(data))
        count = math.prod(shape)
        if count * dtype.itemsize > len(data) - start:
            raise ValueError(f"it ends early: {shape} of {dtype} are {count * dtype.itemsize:,} bytes")
        array = np.frombuffer(data, dtype, count, start)
        return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        raise FileError(f"cannot read {name!r}: {' '.join(str(error).split())}") from error


def read_npz(data: bytes, name: str) -> dict[str, NDArray]:
    """The arrays in the bytes of an NPZ file, by name.

    >>> {key: array.tolist() for key, array in read_npz(encode_npz({"x": np.arange(2)}), "a.npz").items()}
    {'x': [0, 1]}
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len({entry.filename for entry in archive.infolist()}) < len(archive.infolist()):
                raise ValueError("it has two arrays of one name")
            _require_small(sum(entry.file_size for entry in archive.infolist()), len(data))
            parts = {entry.filename: _member(archive, entry) for entry in archive.infolist()}
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        raise FileError(f"cannot read {name!r}: {' '.join(str(error).split())}") from error
    return {key.removesuffix(".npy"): read_npy(part, f"{name}/{key}") for key, part in parts.items()}


def shapes(data: bytes, name: str) -> dict[str, tuple[int, ...]]:
    """The shape of each array in an NPY or NPZ file; an NPY's has no name.

    >>> shapes(encode_npy(np.zeros((4, 6))), "a.npy")
    {'': (4, 6)}
    """
    try:
        if not zipfile.is_zipfile(io.BytesIO(data)):
            return {"": _header(io.BytesIO(data))[0]}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {
                entry.filename.removesuffix(".npy"): _header(io.BytesIO(archive.open(entry).read(_HEADER)))[0]
                for entry in archive.infolist()
            }
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        raise FileError(f"cannot read {name!r}: {' '.join(str(error).split())}") from error


def encode_npy(array: NDArray) -> bytes:
    """The bytes of an NPY file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def encode_npz(arrays: Mapping[str, NDArray]) -> bytes:
    """The bytes of an NPZ file, compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, array in arrays.items():
            archive.writestr(f"{key}.npy", encode_npy(array))
    return file.getvalue()


def _header(file: io.BytesIO) -> tuple[tuple[int, ...], np.dtype, int, bool]:
    """Shape, dtype, where the numbers begin, and whether they lie in Fortran's order."""
    major, _ = npy.read_magic(file)
    read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    shape, fortran, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are not read, since they can run any code")
    if min(shape, default=0) < 0:
        raise ValueError(f"its shape is {shape}")
    return shape, dtype, file.tell(), fortran


def _require_small(n_bytes: int, packed: int) -> None:
    """Refuses an archive that unpacks to as much as an image of 64-bit RGB that Pillow would not open."""
    limit = None if Image.MAX_IMAGE_PIXELS is None else 3 * 8 * Image.MAX_IMAGE_PIXELS
    if limit is not None and n_bytes > max(limit, packed):
        raise ValueError(
            f"{packed:,} bytes unpack to {n_bytes:,}, more than {limit:,}; it may be made to fill the memory "
            "(sizewise resize --max-pixels allows more)"
        )


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """An entry's bytes: as many as it says, which zipfile checks, along with their sum."""
    if not entry.filename.endswith(".npy"):
        raise ValueError(f"it holds {entry.filename!r}, which is no array")
    return archive.read(entry)
