"""The number of threads a resize uses by default, and the check of the number a caller gives.

`threads=` or SIZEWISE_THREADS where they are given. Otherwise 1 inside a worker of another pool, which has filled the
cores already; and everywhere else the cores that this process may run on and has the CPU time of.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import cache

from . import cgroups
from .errors import CONVERSION_ERRORS, ArgumentError, short_repr

MAX_THREADS = 1024


def default_threads(*, any_thread: bool = False) -> int:
    """Return the default number of threads, at least 1: on the calling thread, or on any thread of this process.

    >>> default_threads(any_thread=True) >= default_threads() >= 1
    True
    """
    given = os.environ.get("SIZEWISE_THREADS", "").strip() if _is_set() else ""
    if given:
        return require_threads(given, "SIZEWISE_THREADS")
    is_worker = _is_child() if any_thread else in_pool()
    return 1 if is_worker else min(_cores(), _quota())


def _is_set() -> bool:
    """Whether SIZEWISE_THREADS may be set. For what is not, os.environ itself raises an exception, and catches it."""
    variables = getattr(os.environ, "_data", None)  # where it has them, as far as that is known
    return variables is None or _KEY in variables


_KEY = getattr(os.environ, "encodekey", str)("SIZEWISE_THREADS")


def in_pool() -> bool:
    """Whether this is a worker of somebody else's pool, of processes or of threads.

    Processes: every child that multiprocessing has started (Pool, ProcessPoolExecutor, torch's DataLoader). Threads:
    those that ThreadPoolExecutor or ThreadPool have started, or a pool derived from them (Dask, joblib). A thread that
    a program starts by itself is none: it may be the only one with work to do.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> ThreadPoolExecutor(1).submit(in_pool).result()
    True
    """
    if _is_child():
        return True
    if _here.is_worker is None:
        _here.is_worker = _is_worker(threading.current_thread())
    return _here.is_worker


def _is_child() -> bool:
    """Return whether multiprocessing has started this process."""
    processes = sys.modules.get("multiprocessing.process")  # imported in every such process
    return processes is not None and processes.parent_process() is not None


def is_main_thread() -> bool:
    """Return whether this is the main thread, the only one that handles signals."""
    return threading.get_ident() == threading.main_thread().ident


def _is_worker(thread: threading.Thread) -> bool:
    """Whether this is a thread of somebody else's pool."""
    return thread is not threading.main_thread() and (
        type(thread).__module__ in _POOLS or getattr(getattr(thread, "_target", None), "__module__", None) in _POOLS
    )


class _Here(threading.local):
    """Whether a thread is one of a pool, once it has asked: that never changes, and is long to find out."""

    is_worker: bool | None = None


_here = _Here()
# The modules whose threads are workers: of their class, or running one of their functions.
_POOLS = frozenset({"concurrent.futures.thread", "multiprocessing.dummy", "distributed.threadpoolexecutor"})


def _cores() -> int:
    """The cores this process may run on. Asked each time, which takes half a microsecond: it may change."""
    if _affinity is not None:
        return len(_affinity(0))
    return _count() or 1


# From Python 3.13 on it is the affinity, or what the user said in its place; before, what the system has.
_count: Callable[[], int | None] = getattr(os, "process_cpu_count", os.cpu_count)
_affinity = None if hasattr(os, "process_cpu_count") else getattr(os, "sched_getaffinity", None)


@cache
def _quota() -> int:
    """The cores this process has the time of. Read once: it takes files."""
    return cgroups.cpu_limit() or sys.maxsize


def require_threads(threads: object, name: str = "threads") -> int:
    """Return a number of threads, at most MAX_THREADS; raise ArgumentError for anything that is none."""
    try:
        count = int(threads) if isinstance(threads, str) else threads.__index__()  # type: ignore[attr-defined]
    except CONVERSION_ERRORS:
        count = 0
    if isinstance(threads, bool) or count < 1:
        raise ArgumentError(f"{name} must be an integer of at least 1, not {short_repr(threads)}")
    return min(int(count), MAX_THREADS)


def _reset_after_fork() -> None:
    global _here
    _here = _Here()
    _quota.cache_clear()  # the child may have been put into a group of its own


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
