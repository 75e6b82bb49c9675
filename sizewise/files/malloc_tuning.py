"""malloc settings for one large image after another: freed memory stays mapped in the process.

Mapping the pages of a photograph takes half as long as decoding and resizing it. The settings are for commands, which
end after their files; the library does not change those of its process.
"""

from __future__ import annotations

import ctypes

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_BYTES = 1 << 30


def keep_freed() -> bool:
    """Keep freed memory for the rest of the process; return whether the C library supports it, as glibc does."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # TypeError: Windows, where the C library has a name
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _BYTES) and mallopt(_M_TRIM_THRESHOLD, _BYTES))
