"""Memory for results: large blocks are kept for a while and used again, since fresh pages cost more than the resize.

A system maps new memory page by page as it is first written; for a large result that takes as long as computing it. A
block is used again only when nobody but this module refers to it: an array made from it, or any view of that, holds a
reference to the block, so that what a user still has is never written over. Where references are not counted, or cannot
be counted while other threads run (PyPy, Python without its global lock), every result is new memory.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..memory_limits import physical_memory
from .packing import CACHE_LINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST = 1 << 20  # bytes below which the ordinary allocator does as well
MOST = min(1 << 28, physical_memory() // 16)  # bytes kept at most, in all, beside a cache line for each block
LONGEST = 60.0  # seconds after which a block that was not used goes, with the next large result
SPACIOUS = 4  # a block is not spent on a result less than 1 / SPACIOUS of its size


def counted() -> bool:
    """Whether the interpreter counts references, and nobody changes them meanwhile.

    >>> counted() in (True, False)
    True
    """
    return _COUNTS and (_is_locked is None or _is_locked())


_COUNTS = hasattr(sys, "getrefcount")
_is_locked = getattr(sys, "_is_gil_enabled", None)  # whether the global lock is there; it is, where nobody says


class Kept:
    """A block, how much of it can be used from its first cache line on, where that is, and when it was used last."""

    __slots__ = ("block", "first", "size", "used")

    def __init__(self, n_bytes: int) -> None:
        self.block = np.empty(n_bytes + CACHE_LINE, np.uint8)
        self.size = n_bytes
        self.first = -self.block.__array_interface__["data"][0] % CACHE_LINE
        self.used = 0.0

    def references(self) -> int:
        """How many refer to the block."""
        return sys.getrefcount(self.block)

    def is_free(self, n_bytes: int) -> bool:
        """Whether so many bytes fit, none too loosely, and nobody else refers to the block."""
        return n_bytes <= self.size <= SPACIOUS * n_bytes and self.references() == _ALONE


_ALONE = Kept(1).references() if hasattr(sys, "getrefcount") else 0  # of a block that nobody else refers to
_kept: list[Kept] = []  # those used last go last
_busy = threading.Lock()


def empty(shape: tuple[int, ...], dtype: np.dtype, n_bytes: int | None = None) -> NDArray:
    """An array to be filled, as np.empty gives it. `n_bytes` where it is known.

    What is made of a block begins with a cache line. Large calls find the processor's caches full of other things, and
    wait for all that is run here: so it is little.

    >>> empty((2, 3), np.dtype(np.float32)).shape
    (2, 3)
    """
    n_bytes = prod(shape) * dtype.itemsize if n_bytes is None else n_bytes
    if not (SMALLEST <= n_bytes <= MOST and counted()):
        return np.empty(shape, dtype)
    with _busy:  # and not acquire, try and finally: a signal handler may raise between the first two
        if not (_kept and _kept[-1].is_free(n_bytes)):
            _put_last(n_bytes)
        kept = _kept[-1]
        kept.used = now = time.monotonic()
        while _kept[0].used < now - LONGEST:
            del _kept[0]
        return np.ndarray(shape, dtype, kept.block, kept.first)


def forget() -> None:
    """Gives back all blocks; those that are in use live on with the arrays that use them."""
    with _busy:
        _kept.clear()


def _put_last(n_bytes: int) -> None:
    """Sees to it that the last block is free: the one used last of those that are, which may be near; or a new one."""
    for position in reversed(range(len(_kept))):
        if _kept[position].is_free(n_bytes):
            _kept.append(_kept.pop(position))
            return
    _kept.append(Kept(n_bytes))
    while sum(kept.size for kept in _kept) > MOST:
        del _kept[0]


def _begin_anew() -> None:
    """In a forked child: the lock may be held for ever, and writing into a block would copy it first."""
    global _busy
    _busy = threading.Lock()
    forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
