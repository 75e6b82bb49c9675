"""Frames as XLA makes them, to call the handler of the custom call without XLA.

The structures are those of xla/ffi/api/c_api.h, which comes with jaxlib.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_int64,
    c_size_t,
    c_uint32,
    c_void_p,
    cast,
    pointer,
)  # fmt: skip
from typing import Any

import numpy as np

CODES = {"uint8": 6, "float32": 11, "float64": 12, "bfloat16": 16, "complex64": 15}
EXECUTE = 3


class Version(Structure):
    _fields_ = (("size", c_size_t), ("extensions", c_void_p), ("major", c_int), ("minor", c_int))


class Metadata(Structure):
    _fields_ = (("size", c_size_t), ("version", Version), ("traits", c_uint32))


class Extension(Structure):
    _fields_ = (("size", c_size_t), ("type", c_int), ("next", c_void_p), ("metadata", POINTER(Metadata)))


class Error(Structure):
    _fields_ = (("size", c_size_t), ("extensions", c_void_p), ("message", c_char_p), ("code", c_int))


CreateError = CFUNCTYPE(c_void_p, POINTER(Error))


class Api(Structure):
    _fields_ = (
        ("size", c_size_t), ("extensions", c_void_p), ("version", Version), ("internal", c_void_p),
        ("create_error", CreateError),
    )  # fmt: skip


class Buffer(Structure):
    _fields_ = (
        ("size", c_size_t), ("extensions", c_void_p), ("dtype", c_int), ("data", c_void_p), ("rank", c_int64),
        ("dims", POINTER(c_int64)),
    )  # fmt: skip


class Buffers(Structure):
    _fields_ = (
        ("size", c_size_t), ("extensions", c_void_p), ("count", c_int64), ("types", POINTER(c_int)),
        ("values", POINTER(POINTER(Buffer))),
    )  # fmt: skip


class Text(Structure):
    _fields_ = (("data", c_char_p), ("size", c_size_t))


class Attributes(Structure):
    _fields_ = (
        ("size", c_size_t), ("extensions", c_void_p), ("count", c_int64), ("types", POINTER(c_int)),
        ("names", c_void_p), ("values", POINTER(POINTER(Text))),
    )  # fmt: skip


class Frame(Structure):
    _fields_ = (
        ("size", c_size_t), ("extensions", POINTER(Extension)), ("api", POINTER(Api)), ("context", c_void_p),
        ("stage", c_int), ("arguments", Buffers), ("results", Buffers), ("attributes", Attributes),
    )  # fmt: skip


def sized(kind: type[Structure], *values: Any) -> Any:
    """Return a structure that says its size as XLA does: up to the end of the last field, without padding."""
    last = getattr(kind, kind._fields_[-1][0])
    return kind(last.offset + last.size, *values)


def buffer(array: np.ndarray) -> Any:
    dims = (c_int64 * array.ndim)(*array.shape)
    return sized(Buffer, None, CODES[array.dtype.name], array.ctypes.data, array.ndim, dims)


def one(kind: type[Structure], type_code: int, value: Any, *names: Any) -> Any:
    """Return a list of one argument, result or attribute."""
    return sized(kind, None, 1, pointer(c_int(type_code)), *names, pointer(pointer(value)))


class Call:
    """A call of the handler: `run()` returns its error as (message, code), or None."""

    def __init__(self, address: int, x: np.ndarray, out: np.ndarray, text: object) -> None:
        self.errors: list[tuple[str, int]] = []
        self.handler = CFUNCTYPE(c_void_p, c_void_p)(address)
        self.x, self.out, message = x, out, repr(text).encode()
        self.api = sized(Api, None, Version(), None, CreateError(self._record))
        self.source, self.target, self.text = buffer(x), buffer(out), Text(message, len(message))
        self.frame = sized(
            Frame, None, pointer(self.api), None, EXECUTE, one(Buffers, 1, self.source), one(Buffers, 1, self.target),
            one(Attributes, 4, self.text, None),
        )  # fmt: skip

    def _record(self, error: Any) -> int:
        self.errors.append((error.contents.message.decode(), error.contents.code))
        return 1

    def run(self) -> tuple[str, int] | None:
        failed = self.handler(cast(byref(self.frame), c_void_p))
        return self.errors.pop() if failed else None
