"""How large the processor's largest cache is: what is written beyond that had better go past it."""

from __future__ import annotations

import os
from functools import cache

USUAL = 32 << 20  # bytes, where the system does not say
LEAST = 8 << 20  # bytes: some virtual machines list none but the smaller ones
_LISTED = "/sys/devices/system/cpu/cpu0/cache"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@cache
def largest() -> int:
    """The bytes of the largest cache. Read once: it takes files.

    >>> largest() > 100_000
    True
    """
    try:
        names = os.listdir(_LISTED)
    except OSError:
        names = []
    listed = max(map(_size, names), default=0)
    return max(listed, LEAST) if listed else USUAL


def _size(cache_name: str) -> int:
    """Return the bytes that the file of a cache names, such as 32768K; 0 where it names none."""
    try:
        with open(os.path.join(_LISTED, cache_name, "size"), encoding="ascii") as file:
            words = file.read().strip()
        return int(words[:-1]) * _UNITS[words[-1]] if words[-1:] in _UNITS else int(words)
    except (OSError, ValueError):
        return 0
