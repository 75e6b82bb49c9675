"""How kernels are compiled: lazily, without the lock of the interpreter, and kept on disk.

Numba's disk cache watches only the file of the function it stores: were `vectors.py` to change, old machine code that
contains its old words would be loaded in silence. So the cache directory carries a digest of every kernel file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba


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


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled at its first call and kept on disk where there is a place to write."""
    folder = directory()
    if folder is None:
        return numba.njit(nogil=True, error_model="numpy")(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder  # read once, while the function is decorated
    try:
        return numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    finally:
        numba.config.CACHE_DIR = before
