"""Kernels: arrays and integers in, nothing else known.

`passes` runs one pass over an array of any strides and dtype, in `tiles` where it must; `costs` says what that costs.
`loops` holds the Numba kernels, `fallback` the same in NumPy, `threads` the workers, `disk` the machine code. Numba is
imported at the first call, never at import.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from types import ModuleType
from typing import NamedTuple

from ..errors import SizewiseWarning
from ..forking import import_module

OLDEST = (0, 60)  # of the versions of Numba that the kernels are made for


class MachineCode(NamedTuple):
    """Kernels loaded from disk, compiled, and compiled but not kept by this process; where they lie, and their size."""

    loaded: int = 0
    compiled: int = 0
    lost: int = 0
    folder: str | None = None
    n_bytes: int = 0


def machine_code() -> MachineCode:
    """What this process has compiled so far; nothing, where Numba is not used."""
    if not load().__name__.endswith(".loops"):
        return MachineCode()
    compiling, disk = (import_module(f".{name}", __name__) for name in ("compiling", "disk"))
    folder = disk.directory()
    return MachineCode(**compiling.counts(), folder=None if folder is None else str(folder), n_bytes=disk.size())


@cache
def load() -> ModuleType:
    """The module of kernels to use: Numba's, or NumPy's (with one warning) where Numba cannot be used."""
    try:
        numba = import_module("numba")
        if numba.config.DISABLE_JIT:
            raise RuntimeError("NUMBA_DISABLE_JIT is set")
        if tuple(map(int, re.findall(r"\d+", numba.__version__)[:2])) < OLDEST:
            raise RuntimeError(f"it is Numba {numba.__version__}, older than {'.'.join(map(str, OLDEST))}")
        return import_module(".loops", __name__)
    except Exception as failure:  # a broken or fake Numba fails in many ways, not by ImportError alone
        reason = f"{type(failure).__name__}: {failure}"
    warnings.warn(
        f"Numba cannot be used ({reason}); Sizewise runs on NumPy, with the same results but slower",
        SizewiseWarning,
        stacklevel=2,
    )
    return import_module(".fallback", __name__)
