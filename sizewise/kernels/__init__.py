"""Kernels: arrays and integers in, nothing else known.

`passes` runs one pass over an array of any strides and dtype; `loops` holds the Numba kernels, `fallback` the same in
NumPy, `threads` the workers. Numba is imported at the first call, never at import.
"""

from __future__ import annotations

import importlib
import warnings
from functools import cache
from types import ModuleType

from ..errors import SizewiseWarning


@cache
def load() -> ModuleType:
    """The module of kernels to use: Numba's, or NumPy's (with one warning) where Numba cannot be used."""
    try:
        if importlib.import_module("numba").config.DISABLE_JIT:
            raise RuntimeError("NUMBA_DISABLE_JIT is set")
        return importlib.import_module(".loops", __name__)
    except Exception as failure:  # a broken or fake Numba fails in many ways, not by ImportError alone
        reason = f"{type(failure).__name__}: {failure}"
    warnings.warn(
        f"Numba cannot be used ({reason}); Sizewise runs on NumPy, with the same results but slower",
        SizewiseWarning,
        stacklevel=2,
    )
    return importlib.import_module(".fallback", __name__)
