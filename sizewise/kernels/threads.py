"""Worker threads: splits a range of rows into bands and runs them side by side.

Own daemon workers, made at the first use and made anew after a fork. Knows nothing of what it runs.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from itertools import pairwise

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
    except (AttributeError, TypeError, ValueError):
        count = 0
    if isinstance(threads, bool) or count < 1:
        raise ArgumentError(f"{name} must be an integer of at least 1, not {threads!r}")
    return int(count)


def run(band: Band, n_rows: int, threads: int) -> None:
    """Calls band(first, last) over 0 .. n_rows, cut into at most `threads` bands; the caller does its share.

    When it returns, or raises (Ctrl-C included), nobody is writing any more.
    """
    n_bands = max(1, min(threads, n_rows))
    if n_bands == 1:
        band(0, n_rows)
        return
    edges = [n_rows * b // n_bands for b in range(n_bands + 1)]
    tasks = [_Task(band, first, last) for first, last in pairwise(edges[1:])]
    try:
        if _grow(len(tasks)):
            for task in tasks:
                _tasks.put(task.run)
        band(edges[0], edges[1])
        for task in tasks:  # whatever no worker has begun
            task.run()
    finally:
        _settle(tasks)
    for task in tasks:
        if task.failure is not None:
            raise task.failure


class _Task:
    """One band, run by whoever claims it first."""

    __slots__ = ("_band", "_claim", "_done", "_first", "_last", "failure")

    def __init__(self, band: Band, first: int, last: int) -> None:
        self._band, self._first, self._last = band, first, last
        self._claim, self._done = threading.Lock(), threading.Lock()
        self._done.acquire()
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Runs the band, unless somebody has claimed it."""
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._band(self._first, self._last)
        except BaseException as failure:
            self.failure = failure
        finally:
            self._done.release()

    def settle(self) -> None:
        """Waits until the band is done, or takes it away so that nobody ever begins it."""
        if not self._claim.acquire(blocking=False):
            self._done.acquire()
            self._done.release()


def _settle(tasks: list[_Task]) -> None:
    """Settles all tasks; an interruption while waiting is kept until nobody is writing."""
    interruption: BaseException | None = None
    waiting = list(tasks)
    while waiting:
        try:
            waiting[-1].settle()
            waiting.pop()
        except BaseException as caught:
            interruption = caught
    if interruption is not None:
        raise interruption


def _grow(count: int) -> int:
    """The number of workers, after an attempt to have `count` of them."""
    global _workers
    if _workers < count:
        with _growing:
            try:
                while _workers < count:
                    name = f"sizewise-{_workers + 1}"
                    threading.Thread(target=_work, args=(_tasks,), name=name, daemon=True).start()
                    _workers += 1
            except RuntimeError:  # the system has no more threads to give; those there are will do
                pass
    return _workers


def _work(tasks: queue.SimpleQueue[Callable[[], None]]) -> None:
    while True:
        tasks.get()()


def _forget() -> None:
    """In a forked child: the parent's workers do not exist here, and its lock may be held for ever."""
    global _tasks, _workers, _growing
    _tasks, _workers, _growing = queue.SimpleQueue(), 0, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
