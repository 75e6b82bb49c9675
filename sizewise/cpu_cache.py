"""The size of the last-level cache: larger results are written with non-temporal stores."""

from __future__ import annotations

import os
from functools import cache

DEFAULT_BYTES = 32 << 20  # bytes, where the system does not say
MIN_BYTES = 8 << 20  # bytes: some virtual machines list none but the smaller ones
_LISTED = "/sys/devices/system/cpu/cpu0/cache"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@cache
def last_level_cache_bytes() -> int:
    """Return the bytes of the largest cache. Read once: it takes files."""
    try:
        names = os.listdir(_LISTED)
    except OSError:
        names = []
    listed = max(map(_size, names), default=0)
    return max(listed, MIN_BYTES) if listed else DEFAULT_BYTES


def _size(cache_name: str) -> int:
    """Return the bytes that the file of a cache names, such as 32768K; 0 where it names none."""
    try:
        with open(os.path.join(_LISTED, cache_name, "size"), encoding="ascii") as file:
            text = file.read().strip()
        return int(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else int(text)
    except (OSError, ValueError):
        return 0
