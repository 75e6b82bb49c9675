"""How kernels are compiled: lazily, without the lock of the interpreter, and kept on disk (see `disk`)."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import sigutils, types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

from .. import forking
from . import disk

_kernels: list[Any] = []  # all that were made, for `counts`
# Numba's own switches that change the machine code: bounds checks (NUMBA_BOUNDSCHECK=1), words for a debugger, effort.
_SWITCHES = tuple(str(getattr(numba.config, name, None)) for name in ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "OPT"))
_PLAIN = (int, float, str, bytes, bool, type(None), type, np.dtype, types.Type)


class KernelCache(NullCache):
    """The machine code of one kernel on disk, as Numba asks for it.

    What cannot be read is compiled again, and what cannot be written is not kept.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.failures = 0  # how often something could not be kept

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The stored machine code, or None."""
        target_context.refresh()
        try:
            stored = disk.read(self._name(signature, target_context.codegen()))
            return None if stored is None else CompileResult._rebuild(target_context, *stored)
        except Exception:  # whatever another Numba may do differently
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Stores machine code, if that can be done."""
        try:
            if result.lifted or result.library.has_dynamic_globals:
                raise ValueError("machine code that holds addresses of this process")
            kept = disk.write(self._name(signature, result.codegen), dumps(result._reduce()))
        except Exception:  # whatever another Numba may do differently
            kept = False
        self.failures += not kept

    def _name(self, signature: Any, codegen: Any) -> str:
        """A file name for the kernel, the types of its arguments, the processor with its features, and the switches."""
        arguments, _ = sigutils.normalize_signature(signature)
        key = repr((_described(self._function), tuple(arguments), codegen.magic_tuple(), _SWITCHES))
        if " at 0x" in key:  # the type of a function argument, for instance
            raise ValueError(f"{key} holds an address of this process")
        return f"{self._function.__name__}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.nbc"


def _described(value: Any) -> Any:
    """A function and all that it encloses, in words that are the same in every process."""
    function = getattr(value, "py_func", None) or getattr(value, "_defn", value)  # of a kernel, or of an intrinsic
    if isinstance(function, FunctionType):
        enclosed = tuple(_described(cell.cell_contents) for cell in function.__closure__ or ())
        return function.__module__, function.__qualname__, function.__code__.co_firstlineno, enclosed
    if isinstance(value, tuple):
        return tuple(map(_described, value))
    if isinstance(value, _PLAIN):
        return repr(value)
    raise ValueError(f"a kernel that encloses {value!r} has no name that lasts")


def inlined(function: Callable[..., Any]) -> Any:
    """The function as a part of the kernels that call it: for the few lines inside their innermost loops."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled at its first call and kept on disk where there is a place to write."""
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    compiled._cache = KernelCache(function)
    _kernels.append(compiled)
    return compiled


def code(kernel: Any, *args: Any) -> Callable[..., None] | None:
    """The machine code of a kernel that was called with such arguments: it takes others of these sizes alone, unlooked.

    To look at them takes Numba half a microsecond in every call. None where it has no such code.
    """
    made = kernel.overloads.get(tuple(map(numba.typeof, args)))
    return None if made is None else made.entry_point


def counts() -> dict[str, int]:
    """How often machine code was loaded, was compiled, and could not be kept, so far in this process."""
    return {
        "loaded": sum(sum(made.stats.cache_hits.values()) for made in _kernels),
        "compiled": sum(sum(made.stats.cache_misses.values()) for made in _kernels),
        "lost": sum(made._cache.failures for made in _kernels),
    }


def _spare_scipy() -> None:
    """Loads the part of Numba that would import SciPy's linear algebra, which takes longer than all the rest, without.

    Numba only wants to know whether it is there. Whoever compiles linear algebra imports it then: the function that
    asks is put back at once. Where anything is not as expected, Numba does as it always does.
    """
    if "numba.np.arraymath" in sys.modules or importlib.util.find_spec("scipy") is None:
        return
    try:
        linalg: Any = importlib.import_module("numba.np.linalg")
        ask = linalg.ensure_blas
    except (ImportError, AttributeError):
        return
    linalg.ensure_blas = lambda: None
    try:
        arraymath: Any = importlib.import_module("numba.np.arraymath")
        arraymath.ensure_blas = ask
    except ImportError:
        pass
    finally:
        linalg.ensure_blas = ask


_spare_scipy()
if hasattr(global_compiler_lock, "_lock"):
    forking.wait_for(global_compiler_lock._lock)
