"""Memory of one image after another: kept by the C library, instead of given back and mapped anew each time.

A system maps memory page by page as it is first written, which for photographs takes half as long as to decode and
resize them. That is for a command that ends when its files are done; a library leaves its process as it is.
"""

from __future__ import annotations

import ctypes

_TRIM, _MAP = -1, -3  # malloc.h: M_TRIM_THRESHOLD and M_MMAP_THRESHOLD
_BYTES = 1 << 30  # of free memory that is kept, and of a block that is mapped by itself


def keep_freed() -> bool:
    """Asks for it, for the rest of the process, and says whether the C library here understands that: glibc does."""
    try:
        ask = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # TypeError: Windows, where the C library has a name
        return False
    return bool(ask(_MAP, _BYTES) and ask(_TRIM, _BYTES))
