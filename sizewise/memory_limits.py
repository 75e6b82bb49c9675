"""Memory of this machine, memory left for this process, and a check before large allocations."""

from __future__ import annotations

import os
import sys
from functools import cache

from . import cgroups
from .errors import ArgumentError, format_count

MIN_CHECKED_BYTES = 1 << 27  # smaller allocations are not checked


@cache
def physical_memory() -> int:
    """Return the bytes of memory of this machine, or of its address space if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


def available_memory() -> int:
    """Return the bytes that this process can still allocate, within its control groups and its limits.

    Systems that overcommit memory kill processes that use what malloc promised. Takes about 0.1 ms.
    """
    known = (physical_memory(), _free_memory(), cgroups.memory_left(), _address_space_left())
    return max(0, min(n for n in known if n is not None))


def _free_memory() -> int | None:
    """Return the bytes that are free or can be freed (page cache, swap); None if the system does not report them."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            sizes = {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines)}
        return sizes["MemAvailable"] + sizes["SwapFree"]
    except (OSError, ValueError, IndexError, KeyError):
        return None


def _address_space_left() -> int | None:
    """Return the bytes left of the address space limit (ulimit -v); None without a limit."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        with open("/proc/self/statm", encoding="ascii") as sizes:
            return limit - int(sizes.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None


def require_memory(n_bytes: int, what: str, *values: object) -> None:
    """Raise ArgumentError, before anything is allocated, if n_bytes do not fit in the memory left for this process.

    `what` names the allocation, with a {} for each of `values`; it is formatted only for the error.
    """
    if n_bytes <= MIN_CHECKED_BYTES:
        return
    memory = physical_memory()
    limit = f"this machine has {memory:,} bytes of memory"
    if n_bytes <= memory:
        free = available_memory()
        if n_bytes <= free:
            return
        limit = f"this process can allocate {free:,} of this machine's {memory:,} bytes of memory now"
    elif n_bytes > sys.maxsize:
        limit = f"the address space ends at {sys.maxsize:,} bytes"
    raise ArgumentError(f"{what.format(*values)} would take {format_count(n_bytes)} bytes; {limit}")
