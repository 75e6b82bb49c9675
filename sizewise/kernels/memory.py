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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..room import physical_memory
from .packing import CACHE_LINE

SMALLEST = 1 << 20  # bytes below which the ordinary allocator does as well
MOST = min(1 << 28, physical_memory() // 16)  # bytes kept at most, in all
LONGEST = 60.0  # seconds after which a block that was not used goes, with the next large result
SPACIOUS = 4  # a block is not spent on a result less than 1 / SPACIOUS of its size


class Kept(NamedTuple):
    """A block, and when it was used last."""

    block: NDArray[np.uint8]
    used: float


_kept: list[Kept] = []  # those used last go last
_nobodys = [Kept(np.empty(1, np.uint8), 0.0)]  # one that nobody else refers to, to compare with
_busy = threading.Lock()


def empty(shape: tuple[int, ...], dtype: np.dtype) -> NDArray:
    """An array to be filled, as np.empty gives it.

    >>> empty((2, 3), np.dtype(np.float32)).shape
    (2, 3)
    """
    n_bytes = prod(shape) * dtype.itemsize
    if not SMALLEST <= n_bytes <= MOST - CACHE_LINE or not _counts_references():
        return np.empty(shape, dtype)
    block = _block(n_bytes + CACHE_LINE)
    first = -block.__array_interface__["data"][0] % CACHE_LINE  # rows of many lengths then begin where cache lines do
    return block[first : first + n_bytes].view(dtype).reshape(shape)


def forget() -> None:
    """Gives back all blocks; those that are in use live on with the arrays that use them."""
    with _busy:
        _kept.clear()


def _block(n_bytes: int) -> NDArray[np.uint8]:
    """At least so many bytes that nobody else refers to: a block that was kept, or a new one."""
    if not _busy.acquire(blocking=False):  # another thread is here: new memory costs less than to wait
        return np.empty(n_bytes, np.uint8)
    try:
        position, now = _free(n_bytes), time.monotonic()
        block = np.empty(n_bytes, np.uint8) if position is None else _kept.pop(position).block
        _kept.append(Kept(block, now))
        while _kept[0].used < now - LONGEST or sum(kept.block.size for kept in _kept) > MOST:
            del _kept[0]
        return block
    finally:
        _busy.release()


def _free(n_bytes: int) -> int | None:
    """Where a block of a fitting size is that nobody refers to; the one used last, which may still be in a cache."""
    for position in reversed(range(len(_kept))):
        fits = n_bytes <= _kept[position].block.size <= SPACIOUS * n_bytes
        if fits and _references(_kept, position) == _references(_nobodys, 0):
            return position
    return None


def _references(kept: list[Kept], position: int) -> int:
    return sys.getrefcount(kept[position].block)


def _counts_references() -> bool:
    """Whether the interpreter counts references, and nobody changes them meanwhile."""
    return hasattr(sys, "getrefcount") and getattr(sys, "_is_gil_enabled", _always)()


def _always() -> bool:
    return True


def _begin_anew() -> None:
    """In a forked child: the lock may be held for ever, and writing into a block would copy it first."""
    global _busy
    _busy = threading.Lock()
    forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
