"""The kernels as a custom call inside XLA's programs on the CPU.

XLA calls a C function of the native core (`_core/xla.cpp`) with its buffers and with the text that was given when the
program was compiled. That function runs the kernel on XLA's memory, without Python. It calls `_resize`, below, for the
first call of each kind, and for resizes that take more than one kernel call. XLA's C interface may change with jaxlib,
so only tested versions are used.
"""

from __future__ import annotations

import atexit
import os
import re
import time
from ast import literal_eval
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .. import _core, plan_text
from ..engine.executor import executor_for
from ..errors import UnsupportedError
from ..thread_count import default_threads

TESTED = ((0, 1), (0, 2), (0, 3))  # versions of the interface, those of jaxlib 0.8, 0.9 and 0.10
_NAMES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64",
}  # fmt: skip
_DTYPES = {**{code: np.dtype(name) for code, name in _NAMES.items()}, 16: np.dtype(ml_dtypes.bfloat16)}

Buffer = tuple[memoryview, int, bytes]  # memory, XLA's code of the dtype, shape as int64
Registration = tuple[Any, bytes, int, int]  # native call, bands, their threads, how many are left to the caller


def _resize(text: bytes, x: Buffer, out: Buffer) -> Registration | None:
    """Fill `out` from `x`; return the one native call that does it, if there is one, for the next time."""
    plan, axes, threads = _read(text)
    source, target = _array(*x), _array(*out)
    executor = executor_for(plan_text.from_text(plan), source.shape, source.dtype, axes)
    if executor.result != target.dtype:  # a dialect returns float64, and jax_enable_x64 is off
        target[...] = executor(source, None, threads)
        return None
    executor(source, target, threads)
    call = executor.call
    if call is None or call.native is None:
        return None
    bands = call.bands(threads or default_threads(any_thread=True))
    return call.native, bands.edges.tobytes(), bands.n_threads, bands.left_to_caller


@lru_cache(maxsize=128)
def _read(text: bytes) -> tuple[str, tuple[int, ...], int | None]:
    plan, axes, threads = literal_eval(text.decode())
    return plan, axes, threads


def _array(memory: memoryview, code: int, shape: bytes) -> NDArray:
    """Return an array in XLA's memory."""
    return np.ndarray(tuple(memoryview(shape).cast("q")), _DTYPES[code], memory)


def version(include: str) -> tuple[int, int]:
    """Return the version of the interface in the headers in that folder."""
    header = (Path(include) / "xla" / "ffi" / "api" / "c_api.h").read_text(encoding="utf-8")
    major, minor = (int(found) for found in re.findall(r"#define XLA_FFI_API_(?:MAJOR|MINOR) (\d+)", header))
    return major, minor


def handler(include: str) -> int:
    """Return the address of the function that XLA calls; raise if the headers in that folder are of another version."""
    found = version(include)
    if found not in TESTED:
        known = ", ".join(f"{major}.{minor}" for major, minor in TESTED)
        raise UnsupportedError(f"its C interface is of version {found[0]}.{found[1]}, and known are {known}")
    module = _core.native()
    if module is None:
        raise UnsupportedError(f"there is no native core: {_core.core_info().reason}")
    _close_at_exit(module)
    address: int = module.xla_handler(*found, _resize)
    return address


@cache
def _close_at_exit(module: ModuleType) -> None:
    """Have the handler call Python no more once Python ends: a thread that asks for the GIL then never returns."""
    process = os.getpid()

    def close() -> None:
        while os.getpid() == process and module.xla_close() > 0:
            time.sleep(0.001)

    atexit.register(close)
