"""How much memory there is: of the machine, and what this process can still have of it."""

from __future__ import annotations

import os
import sys
from functools import cache

from . import cgroups


@cache
def physical_memory() -> int:
    """Bytes of memory of this machine, or of its address space where the system does not say.

    >>> physical_memory() > 1_000_000
    True
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


def free_memory() -> int:
    """Bytes that this process can still have: what is free, within its control groups and its limits.

    Systems that give more than they have kill those who use it. Takes about 0.1 ms, and all of it changes.

    >>> 0 <= free_memory() <= sys.maxsize
    True
    """
    known = (physical_memory(), _unused(), cgroups.memory(), _addresses())
    return max(0, min(n for n in known if n is not None))


def _unused() -> int | None:
    """What the system could give without taking it from others: free, filled by files, or on the disk."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            sizes = {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines)}
        return sizes["MemAvailable"] + sizes["SwapFree"]
    except (OSError, ValueError, IndexError, KeyError):
        return None


def _addresses() -> int | None:
    """What the limit of the process's addresses leaves (ulimit -v), if it has one."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        with open("/proc/self/statm", encoding="ascii") as sizes:
            return limit - int(sizes.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None
