"""NPY and NPZ files. Pickled objects are rejected, because unpickling can run any code."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from PIL import Image

from .formats import decode_errors

_MAX_HEADER_BYTES = 1 << 16  # NumPy reads no longer ones


def read_npy(data: bytes, name: str) -> NDArray:
    """Return the array in the bytes of an NPY file; errors mention `name`."""
    with decode_errors(name):
        shape, dtype, start, is_fortran = _header(data)
        count = math.prod(shape)
        if count * dtype.itemsize > len(data) - start:
            raise ValueError(f"it ends early: {shape} of {dtype} are {count * dtype.itemsize:,} bytes")
        array = np.frombuffer(data, dtype, count, start)
        return array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)


def read_npz(data: bytes, name: str) -> dict[str, NDArray]:
    """Return the arrays in the bytes of an NPZ file, by name."""
    with decode_errors(name), zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len({entry.filename for entry in entries}) < len(entries):
            raise ValueError("it has two arrays of one name")
        if others := [entry.filename for entry in entries if not entry.filename.endswith(".npy")]:
            raise ValueError(f"it holds {others[0]!r}, which is no array")
        _require_unpacked_size(sum(entry.file_size for entry in entries), len(data))
        parts = {entry.filename: archive.read(entry) for entry in entries}  # zipfile checks sizes and checksums
    return {key.removesuffix(".npy"): read_npy(part, f"{name}/{key}") for key, part in parts.items()}


def read_shapes(data: bytes, name: str) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array in an NPY or NPZ file, by name; that of an NPY is ""."""
    with decode_errors(name):
        if not zipfile.is_zipfile(io.BytesIO(data)):
            return {"": _header(data)[0]}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {
                entry.filename.removesuffix(".npy"): _header(archive.open(entry).read(_MAX_HEADER_BYTES))[0]
                for entry in archive.infolist()
            }


def encode_npy(array: NDArray) -> bytes:
    """Return the bytes of an NPY file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def encode_npz(arrays: Mapping[str, NDArray]) -> bytes:
    """Return the bytes of an NPZ file, compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, array in arrays.items():
            archive.writestr(f"{key}.npy", encode_npy(array))
    return file.getvalue()


def _header(data: bytes) -> tuple[tuple[int, ...], np.dtype, int, bool]:
    """Return shape, dtype, offset of the elements, and whether they are in Fortran order."""
    file = io.BytesIO(data)
    major, _ = npy.read_magic(file)
    read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    shape, is_fortran, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are not read, since they can run any code")
    if min(shape, default=0) < 0:
        raise ValueError(f"its shape is {shape}")
    return shape, dtype, file.tell(), is_fortran


def _require_unpacked_size(n_bytes: int, packed: int) -> None:
    """Raise ValueError for an archive that unpacks to more than a 64-bit RGB image of Pillow's maximal size."""
    limit = None if Image.MAX_IMAGE_PIXELS is None else 3 * 8 * Image.MAX_IMAGE_PIXELS
    if limit is not None and n_bytes > max(limit, packed):
        raise ValueError(
            f"{packed:,} bytes unpack to {n_bytes:,}, more than {limit:,}; it may be a decompression bomb "
            "(sizewise resize --max-pixels allows more)"
        )
