"""Memory for results: large blocks are kept for a while and used again, since fresh pages cost more than the resize.

A system maps new memory page by page as it is first written; for a large result that takes as long as computing it. A
block is used again only when nobody but this module refers to it: an array made from it, or any view of that, holds a
reference to the block, so that what a user still has is never written over.
"""

from __future__ import annotations

import sys
import threading
from math import prod

import numpy as np
from numpy.typing import NDArray

SMALLEST = 1 << 20  # bytes below which the ordinary allocator does as well
MOST = 1 << 28  # bytes kept at most, in all
SPACIOUS = 4  # a block is not spent on a result less than 1 / SPACIOUS of its size

_blocks: list[NDArray[np.uint8]] = []
_busy = threading.Lock()


def empty(shape: tuple[int, ...], dtype: np.dtype) -> NDArray:
    """An array to be filled, as np.empty gives it.

    >>> empty((2, 3), np.dtype(np.float32)).shape
    (2, 3)
    """
    n_bytes = prod(shape) * dtype.itemsize
    if not SMALLEST <= n_bytes <= MOST:
        return np.empty(shape, dtype)
    return _block(n_bytes)[:n_bytes].view(dtype).reshape(shape)


def _block(n_bytes: int) -> NDArray[np.uint8]:
    """At least so many bytes that nobody else refers to: a block that was kept, or a new one."""
    if not _busy.acquire(blocking=False):  # never waits: a fork may have left it held for ever
        return np.empty(n_bytes, np.uint8)
    try:
        for position in reversed(range(len(_blocks))):  # the one used last first: it may still be in a cache
            size = _blocks[position].size
            if n_bytes <= size <= SPACIOUS * n_bytes and _references(position) == _NOBODY_ELSE:
                _blocks.append(_blocks.pop(position))  # those used last go last
                return _blocks[-1]
        block = np.empty(n_bytes, np.uint8)
        _blocks.append(block)
        while sum(kept.size for kept in _blocks) > MOST:
            del _blocks[0]
        return block
    finally:
        _busy.release()


def _references(position: int) -> int:
    return sys.getrefcount(_blocks[position])


# The list's own reference, and that of the question; more where the interpreter counts in another way.
_blocks.append(np.empty(1, np.uint8))
_NOBODY_ELSE = _references(0)
_blocks.clear()
