"""The kernels as a custom call inside XLA's compiled programs on the CPU, through its C interface.

XLA calls with the address of a frame: where the input and the result lie in memory, and the words that were given when
the program was compiled. The kernels read and write that memory itself; nothing is copied. The structures are those of
xla/ffi/api/c_api.h, which comes with jaxlib. They may change with it, so that only versions known here are used, and
structures are read only if they have the size they should.
"""

from __future__ import annotations

import atexit
import re
from ast import literal_eval
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    addressof,
    byref,
    c_char,
    c_char_p,
    c_int,
    c_int64,
    c_size_t,
    c_uint32,
    c_void_p,
    cast,
    string_at,
)  # fmt: skip
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..errors import UnsupportedError
from ..kernels import load
from . import _above
from . import numpy as arrays

TESTED = ((0, 1), (0, 2), (0, 3))  # versions of the interface, those of jaxlib 0.8, 0.9 and 0.10
_METADATA = 1  # the extension by which XLA asks for the version
_EXECUTE = 3  # the stage in which buffers hold numbers
_BUFFER, _STRING = 1, 4  # types of arguments and results, and of attributes
_ABORTED, _INTERNAL = 10, 13  # codes of errors
_NAMES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64",
}  # fmt: skip
_DTYPES = {**{code: np.dtype(name) for code, name in _NAMES.items()}, 16: np.dtype(ml_dtypes.bfloat16)}


class _Version(Structure):
    _fields_ = (("size", c_size_t), ("extension", c_void_p), ("major", c_int), ("minor", c_int))


class _Metadata(Structure):
    _fields_ = (("size", c_size_t), ("version", _Version), ("traits", c_uint32))


class _Extension(Structure):
    _fields_ = (("size", c_size_t), ("kind", c_int), ("next", c_void_p), ("metadata", POINTER(_Metadata)))


class _Error(Structure):
    _fields_ = (("size", c_size_t), ("extension", c_void_p), ("message", c_char_p), ("code", c_int))


class _Api(Structure):
    _fields_ = (
        ("size", c_size_t), ("extension", c_void_p), ("version", _Version), ("internal", c_void_p),
        ("create_error", CFUNCTYPE(c_void_p, POINTER(_Error))),
    )  # fmt: skip


class _Buffer(Structure):
    _fields_ = (
        ("size", c_size_t), ("extension", c_void_p), ("dtype", c_int), ("data", c_void_p), ("rank", c_int64),
        ("shape", POINTER(c_int64)),
    )  # fmt: skip


class _Buffers(Structure):
    _fields_ = (
        ("size", c_size_t), ("extension", c_void_p), ("count", c_int64), ("kinds", POINTER(c_int)),
        ("values", POINTER(POINTER(_Buffer))),
    )  # fmt: skip


class _Bytes(Structure):
    _fields_ = (("data", c_void_p), ("length", c_size_t))


class _Words(Structure):
    _fields_ = (
        ("size", c_size_t), ("extension", c_void_p), ("count", c_int64), ("kinds", POINTER(c_int)), ("names", c_void_p),
        ("values", POINTER(POINTER(_Bytes))),
    )  # fmt: skip


class _Frame(Structure):
    _fields_ = (
        ("size", c_size_t), ("extension", POINTER(_Extension)), ("api", POINTER(_Api)), ("context", c_void_p),
        ("stage", c_int), ("arguments", _Buffers), ("results", _Buffers), ("words", _Words),
    )  # fmt: skip


def _length(structure: type[Structure]) -> int:
    """The size that XLA gives to a structure: up to the end of its last field, without what is added to align it."""
    last = getattr(structure, structure._fields_[-1][0])
    return int(last.offset + last.size)


_LENGTHS = {kind: _length(kind) for kind in (_Frame, _Buffers, _Words, _Buffer, _Extension, _Metadata, _Error)}


def _checked(structure: Any) -> Any:
    """The structure, if it is as long as it should be."""
    expected = _LENGTHS[type(structure)]
    if structure.size != expected:
        kind = type(structure).__name__.strip("_")
        raise UnsupportedError(f"XLA's structure {kind} has {structure.size} bytes here, not {expected}")
    return structure


def _run(address: int, answer: int) -> None:
    """What XLA's call of the frame at that address asks for; the answer is 0, or an error of XLA's own."""
    said = c_int64.from_address(answer)
    frame = _Frame.from_address(address)
    try:
        _checked(frame)
        if frame.extension and frame.extension.contents.kind == _METADATA:
            _describe(_checked(frame.extension.contents).metadata.contents)
        elif frame.stage == _EXECUTE:
            _resize(frame)
        said.value = 0
    except BaseException as failure:  # nothing may pass into XLA, which knows no exceptions
        message = f"sizewise: {type(failure).__name__}: {failure}".encode()
        said.value = frame.api.contents.create_error(byref(_error(message, _INTERNAL)))


def _describe(metadata: _Metadata) -> None:
    """Says which version of the interface this is written for."""
    _checked(metadata).version.major, metadata.version.minor = _used[-1]
    metadata.traits = 0


def _resize(frame: _Frame) -> None:
    """Fills the result of a frame from its input."""
    text, axes, threads = _read(_words(_checked(frame.words)))
    x, out = _array(_checked(frame.arguments)), _array(_checked(frame.results))
    recipe = arrays.recipe(_above.read(text), x.shape, x.dtype, axes)
    if recipe.result != out.dtype:  # 64 bits are not for those who have switched them off
        out[...] = recipe(x, None, threads)
    elif recipe.quick is not None and threads is None:
        recipe.quick(x, out)
    else:
        recipe(x, out, threads)


def _words(words: _Words) -> bytes:
    """The one attribute of a frame, a text."""
    if words.count != 1 or words.kinds[0] != _STRING:
        raise UnsupportedError("XLA gives other attributes than the one text that was written")
    text = words.values[0].contents
    return string_at(text.data, text.length)


@lru_cache(maxsize=128)
def _read(words: bytes) -> tuple[str, tuple[int, ...], int | None]:
    text, axes, threads = literal_eval(words.decode())
    return text, axes, threads


def _array(buffers: _Buffers) -> NDArray:
    """The one buffer of a frame's input or result, as an array in the same memory."""
    if buffers.count != 1 or buffers.kinds[0] != _BUFFER:
        raise UnsupportedError(f"XLA gives {buffers.count} buffers instead of 1")
    buffer = _checked(buffers.values[0].contents)
    dtype, shape = _DTYPES[buffer.dtype], tuple(buffer.shape[: buffer.rank])
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, _memory(shape, dtype).from_address(buffer.data))


@lru_cache(maxsize=128)
def _memory(shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """The type of so much memory; kept, since making a type takes longer than all the rest."""
    return c_char * (int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)


def _error(message: bytes, code: int) -> _Error:
    return _Error(_LENGTHS[_Error], None, message, code)


_used: list[tuple[int, int]] = []  # the version of the headers, once they were read
_run_in_c = CFUNCTYPE(None, c_int64, c_int64)(_run)
_NO_ANSWER = _error(b"sizewise: Python was interrupted, or has ended", _ABORTED)


def version(include: str) -> tuple[int, int]:
    """The version of the interface in the headers in that folder."""
    header = (Path(include) / "xla" / "ffi" / "api" / "c_api.h").read_text(encoding="utf-8")
    major, minor = (int(found) for found in re.findall(r"#define XLA_FFI_API_(?:MAJOR|MINOR) (\d+)", header))
    return major, minor


def handler(include: str) -> int:
    """The address of what XLA calls, if its headers, in that folder, are of a version known here."""
    found = version(include)
    if found not in TESTED:
        known = ", ".join(f"{major}.{minor}" for major, minor in TESTED)
        raise UnsupportedError(f"its C interface is of version {found[0]}.{found[1]}, and known are {known}")
    _used.append(found)
    address: int = _guard().address
    return address


@cache
def _guard() -> Any:
    """`_run` as a C function, kept for ever; not called any more once Python ends."""
    if not load().__name__.endswith(".loops"):
        raise UnsupportedError("there is no Numba to make a C function")
    from ..kernels.callbacks import Guard

    path = _Frame.api.offset, _Api.create_error.offset
    guard = Guard(cast(_run_in_c, c_void_p).value or 0, path, addressof(_NO_ANSWER))
    atexit.register(guard.close)
    return guard
