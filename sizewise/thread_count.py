"""Default number of threads of a resize, and the check of `threads=`.

SIZEWISE_THREADS if it is set; 1 in a worker of another pool, which already fills the cores; otherwise the number of
cores in the affinity mask and CPU quota of this process.
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
    is_worker = _is_child() if any_thread else is_pool_worker()
    return 1 if is_worker else min(_cores(), _quota())


def _is_set() -> bool:
    """Return whether SIZEWISE_THREADS may be set; faster than os.environ.get, which catches a KeyError."""
    variables = getattr(os.environ, "_data", None)  # CPython's dict of encoded variables
    return variables is None or _KEY in variables


_KEY = getattr(os.environ, "encodekey", str)("SIZEWISE_THREADS")


def is_pool_worker() -> bool:
    """Return whether this is a worker of another pool of processes or threads.

    Processes: all children started by multiprocessing (Pool, ProcessPoolExecutor, torch's DataLoader). Threads: those
    of ThreadPoolExecutor, ThreadPool and pools derived from them (Dask, joblib). A thread that a program starts itself
    is not a worker: it may be the only one with work.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> ThreadPoolExecutor(1).submit(is_pool_worker).result()
    True
    """
    if _is_child():
        return True
    if _local.is_worker is None:
        _local.is_worker = _is_worker(threading.current_thread())
    return _local.is_worker


def _is_child() -> bool:
    """Return whether multiprocessing started this process."""
    processes = sys.modules.get("multiprocessing.process")  # always imported in these processes
    return processes is not None and processes.parent_process() is not None


def is_main_thread() -> bool:
    """Return whether this is the main thread, the only one that handles signals."""
    return threading.get_ident() == threading.main_thread().ident


def _is_worker(thread: threading.Thread) -> bool:
    """Return whether a thread belongs to a thread pool."""
    return thread is not threading.main_thread() and (
        type(thread).__module__ in _POOLS or getattr(getattr(thread, "_target", None), "__module__", None) in _POOLS
    )


class _Local(threading.local):
    """Whether the current thread is a pool worker; None until it is known."""

    is_worker: bool | None = None


_local = _Local()
# Modules whose thread classes or thread functions are those of workers.
_POOLS = frozenset({"concurrent.futures.thread", "multiprocessing.dummy", "distributed.threadpoolexecutor"})


def _cores() -> int:
    """Return the number of cores in the affinity mask; not cached, since it may change and takes 0.5 us."""
    if _affinity is not None:
        return len(_affinity(0))
    return _count() or 1


# From Python 3.13 on, process_cpu_count is the affinity or PYTHON_CPU_COUNT.
_count: Callable[[], int | None] = getattr(os, "process_cpu_count", os.cpu_count)
_affinity = None if hasattr(os, "process_cpu_count") else getattr(os, "sched_getaffinity", None)


@cache
def _quota() -> int:
    """Return the number of cores whose CPU time this process may use; cached, since it reads files."""
    return cgroups.cpu_limit() or sys.maxsize


def require_threads(threads: object, name: str = "threads") -> int:
    """Return a number of threads, clipped to MAX_THREADS; raise ArgumentError if it is no integer of at least 1."""
    try:
        count = int(threads) if isinstance(threads, str) else threads.__index__()  # type: ignore[attr-defined]
    except CONVERSION_ERRORS:
        count = 0
    if isinstance(threads, bool) or count < 1:
        raise ArgumentError(f"{name} must be an integer of at least 1, not {short_repr(threads)}")
    return min(int(count), MAX_THREADS)


def _reset_after_fork() -> None:
    global _local
    _local = _Local()
    _quota.cache_clear()  # the child may be in another control group


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
