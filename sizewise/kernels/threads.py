"""Worker threads: splits a range of rows into bands and runs them side by side.

Own daemon workers, made at the first use and made anew after a fork. Knows nothing of what it runs.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable

from ..errors import ArgumentError

Band = Callable[[int, int], None]

_tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_workers = 0
_growing = threading.Lock()


def available() -> int:
    """The number of threads used by default: SIZEWISE_THREADS, or the cores this process may run on."""
    given = os.environ.get("SIZEWISE_THREADS", "").strip()
    if given:
        return checked(given, "SIZEWISE_THREADS")
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def checked(threads: object, name: str = "threads") -> int:
    """A number of threads, or an error that says what is allowed."""
    try:
        count = int(threads) if isinstance(threads, str) else threads.__index__()  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        count = 0
    if isinstance(threads, bool) or count < 1:
        raise ArgumentError(f"{name} must be an integer of at least 1, not {threads!r}")
    return int(count)


def run(band: Band, n_rows: int, threads: int) -> None:
    """Calls band(first, last) over 0 .. n_rows in at most `threads` bands at a time; the caller takes one of them."""
    n_bands = max(1, min(threads, n_rows))
    edges = [n_rows * b // n_bands for b in range(n_bands + 1)]
    if n_bands == 1:
        band(0, n_rows)
        return
    _grow(n_bands - 1)
    failures: list[BaseException] = []
    pending = [threading.Lock() for _ in range(n_bands - 1)]
    for done, first, last in zip(pending, edges[1:], edges[2:], strict=False):
        done.acquire()
        _tasks.put(_task(band, first, last, done, failures))
    try:
        band(edges[0], edges[1])
    finally:  # whatever happens here, nobody may still be writing when the caller goes on
        for done in pending:
            done.acquire()
    if failures:
        raise failures[0]


def _task(band: Band, first: int, last: int, done: threading.Lock, failures: list[BaseException]) -> Callable[[], None]:
    def task() -> None:
        try:
            band(first, last)
        except BaseException as failure:
            failures.append(failure)
        finally:
            done.release()

    return task


def _grow(count: int) -> None:
    """Makes sure that at least `count` workers wait for tasks."""
    global _workers
    if _workers >= count:
        return
    with _growing:
        while _workers < count:
            _workers += 1
            threading.Thread(target=_work, args=(_tasks,), name=f"sizewise-{_workers}", daemon=True).start()


def _work(tasks: queue.SimpleQueue[Callable[[], None]]) -> None:
    while True:
        tasks.get()()


def _forget() -> None:
    """In a forked child: the parent's workers do not exist here, and its lock may be held for ever."""
    global _tasks, _workers, _growing
    _tasks, _workers, _growing = queue.SimpleQueue(), 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
