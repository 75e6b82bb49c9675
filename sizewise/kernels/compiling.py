"""How kernels are compiled: lazily, without the lock of the interpreter, and kept on disk.

Numba's disk cache watches only the file of the function it stores: were `vectors.py` to change, old machine code that
contains its old words would be loaded in silence. So the cache directory carries a digest of every kernel file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache


@cache
def directory() -> str | None:
    """Where machine code is kept: SIZEWISE_CACHE, NUMBA_CACHE_DIR, the package or the user's cache; else nowhere."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted(here.glob("*.py")):
        digest.update(source.read_bytes())
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~")) / ".cache")
    given = os.environ.get("SIZEWISE_CACHE") or os.environ.get("NUMBA_CACHE_DIR")
    for place in [Path(given)] if given else [here / "__pycache__", home / "sizewise"]:
        folder = place / f"kernels-{digest.hexdigest()[:16]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    return None


class ForgivingCache(FunctionCache):
    """Numba's disk cache, except that what cannot be read is compiled again, and what cannot be written is not kept.

    A full disk, a quota or a truncated file is no reason for a resize to fail.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The stored machine code, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes pickle raise
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores machine code, if that can be done."""
        try:
            super().save_overload(sig, data)
        except Exception:  # OSError, or what a damaged index makes pickle raise
            return


def inlined(function: Callable[..., Any]) -> Any:
    """The function as a part of the kernels that call it: for the few lines inside their innermost loops."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled at its first call and kept on disk where there is a place to write."""
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    folder = directory()
    if folder is None:
        return compiled
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder  # read once, while the cache is made
    try:
        compiled._cache = ForgivingCache(function)
    except RuntimeError:  # Numba found no place after all
        return compiled
    finally:
        numba.config.CACHE_DIR = before
    return compiled
