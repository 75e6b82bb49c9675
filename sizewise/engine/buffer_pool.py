"""Buffer pool for results: large blocks are kept and reused, since fresh pages cost more than the resize.

The system maps new memory page by page, at the first write; for a large result that takes as long as computing it. A
block is reused only when this module holds the only reference to it: an array made from it, or any view of that, holds
another, so memory that a user can still see is never overwritten. Where references are not counted, or not reliably
while other threads run (PyPy, Python without the global interpreter lock), every result is new memory.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from math import prod

import numpy as np

from ..memory_limits import physical_memory
from .packing import CACHE_LINE, Array

MIN_BYTES = 1 << 20  # below which the ordinary allocator does as well
MAX_BYTES = min(1 << 28, physical_memory() // 16)  # of all blocks together, beside a cache line for each
MAX_IDLE_SECONDS = 60.0  # after which an unused block goes, at the next large result
MAX_OVERSIZE = 4  # a block is not used for a result smaller than 1 / MAX_OVERSIZE of it


def has_reference_counts() -> bool:
    """Return whether the interpreter counts references, and no other thread can change them meanwhile.

    >>> has_reference_counts() in (True, False)
    True
    """
    return _COUNTS and (_is_gil_enabled is None or _is_gil_enabled())


_COUNTS = hasattr(sys, "getrefcount")
_is_gil_enabled = getattr(sys, "_is_gil_enabled", None)  # from Python 3.13 on


class Block:
    """A block of memory, its usable size, the offset of its first cache line, and when it was used last."""

    __slots__ = ("memory", "offset", "size", "used")

    def __init__(self, n_bytes: int) -> None:
        self.memory = np.empty(n_bytes + CACHE_LINE, np.uint8)
        self.size = n_bytes
        self.offset = -self.memory.__array_interface__["data"][0] % CACHE_LINE
        self.used = 0.0

    def reference_count(self) -> int:
        """Return the number of references to the memory."""
        return sys.getrefcount(self.memory)

    def is_free(self, n_bytes: int) -> bool:
        """Return whether a result of n_bytes fits, not too loosely, and the memory has no other references."""
        return n_bytes <= self.size <= MAX_OVERSIZE * n_bytes and self.reference_count() == _UNUSED


_UNUSED = Block(1).reference_count() if _COUNTS else 0  # of a block without other references
_blocks: list[Block] = []  # the most recently used last
_lock = threading.Lock()


def empty(shape: tuple[int, ...], dtype: np.dtype, n_bytes: int | None = None) -> Array:
    """Return an uninitialized array, as np.empty does; pass `n_bytes` if it is known.

    Large arrays begin at a cache line. They come with cold caches, so this path is kept short.

    >>> empty((2, 3), np.dtype(np.float32)).shape
    (2, 3)
    """
    n_bytes = prod(shape) * dtype.itemsize if n_bytes is None else n_bytes
    if not (MIN_BYTES <= n_bytes <= MAX_BYTES and has_reference_counts()):
        return np.empty(shape, dtype)
    with _lock:  # not acquire, try and finally: a signal handler may raise between the first two
        if not (_blocks and _blocks[-1].is_free(n_bytes)):
            _move_free_block_last(n_bytes)
        block = _blocks[-1]
        block.used = now = time.monotonic()
        while _blocks[0].used < now - MAX_IDLE_SECONDS:
            del _blocks[0]
        return np.ndarray(shape, dtype, block.memory, block.offset)


def clear() -> None:
    """Release all blocks; those in use live on with the arrays that use them."""
    with _lock:
        _blocks.clear()


def _move_free_block_last(n_bytes: int) -> None:
    """Make the last block a free one: the most recently used, which may still be in the cache, or a new one."""
    for position in reversed(range(len(_blocks))):
        if _blocks[position].is_free(n_bytes):
            _blocks.append(_blocks.pop(position))
            return
    _blocks.append(Block(n_bytes))
    while sum(block.size for block in _blocks) > MAX_BYTES:
        del _blocks[0]


def _reset_after_fork() -> None:
    """Replace the lock, which a thread of the parent may hold; drop blocks, which a write would copy first."""
    global _lock
    _lock = threading.Lock()
    clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
