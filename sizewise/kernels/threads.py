"""Worker threads: splits a range of rows into bands and runs them side by side.

Own daemon workers, made at the first use and made anew after a fork. Knows nothing of what it runs.

How many: `threads=` or SIZEWISE_THREADS where they are given. Else one inside a worker of somebody's pool, since the
pool has filled the cores already; and everywhere else the cores this process may run on and has the time of.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise

from .. import cgroups
from ..errors import ArgumentError, shown

Band = Callable[[int, int], None]
MOST = 1024  # threads, however many are asked for

_tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_workers = 0
_growing = threading.Lock()


def available() -> int:
    """The number of threads used by default, in the place it is asked: at least 1.

    >>> available() >= 1
    True
    """
    given = os.environ.get("SIZEWISE_THREADS", "").strip()
    if given:
        return checked(given, "SIZEWISE_THREADS")
    return 1 if in_pool() else min(_cores(), _quota())


def in_pool() -> bool:
    """Whether this is a worker of somebody else's pool, of processes or of threads.

    Processes: every child that multiprocessing has started (Pool, ProcessPoolExecutor, torch's DataLoader). Threads:
    those that ThreadPoolExecutor or ThreadPool have started, or a pool derived from them (Dask, joblib). A thread that
    a program starts by itself is none: it may be the only one with work to do.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> ThreadPoolExecutor(1).submit(in_pool).result()
    True
    """
    processes = sys.modules.get("multiprocessing.process")  # whoever is in a pool has imported it
    if processes is not None and processes.parent_process() is not None:
        return True
    thread = threading.current_thread()
    return thread is not threading.main_thread() and (
        type(thread).__module__ in _POOLS or getattr(getattr(thread, "_target", None), "__module__", None) in _POOLS
    )


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
    return cgroups.cores() or sys.maxsize


def checked(threads: object, name: str = "threads") -> int:
    """A number of threads, at most `MOST`; or an error that says what is allowed."""
    try:
        count = int(threads) if isinstance(threads, str) else threads.__index__()  # type: ignore[attr-defined]
    except Exception:  # whatever somebody's own class raises
        count = 0
    if isinstance(threads, bool) or count < 1:
        raise ArgumentError(f"{name} must be an integer of at least 1, not {shown(threads)}")
    return min(int(count), MOST)


def run(band: Band, n_rows: int, threads: int, multiple: int = 1, at_once: int | None = None, ahead: int = 0) -> None:
    """Calls band(first, last) over 0 .. n_rows, cut into at most `threads` bands; the caller does its share.

    Bands begin at multiples of `multiple`; the last takes what remains. The caller's own is larger by `ahead` rows: it
    has done those by the time that a sleeping worker is awake, so that all end together and the caller need not sleep.
    Each is done in pieces of `at_once` rows: Ctrl-C is noticed between two of them, and ends them all. When it returns,
    or raises, nobody is writing any more.

    >>> run(lambda first, last: print(first, last), 20, threads=1)
    0 20
    """
    edges = _edges(n_rows, threads, multiple, ahead)
    work = _Work(band, at_once or n_rows)
    if len(edges) == 2:
        work.run(0, n_rows)
        return
    tasks = [_Task(work.run, first, last) for first, last in pairwise(edges[1:])]
    try:
        if _grow(len(tasks)):
            for task in tasks:
                _tasks.put(task.run)
        work.run(edges[0], edges[1])
        for task in tasks:  # whatever no worker has begun
            task.run()
    finally:
        _settle(tasks, work)
    for task in tasks:
        if task.failure is not None:
            raise task.failure


@lru_cache(maxsize=128)
def _edges(n_rows: int, threads: int, multiple: int, ahead: int) -> tuple[int, ...]:
    """Where bands begin, and where the last ends.

    >>> _edges(80, 2, 8, 0), _edges(80, 2, 8, 16), _edges(20, 4, 8, 0)
    ((0, 40, 80), (0, 48, 80), (0, 8, 16, 20))
    """
    n_blocks = -(-n_rows // multiple)
    n_bands = max(1, min(threads, n_blocks))
    own = min(-(-n_blocks // n_bands) + ahead * (n_bands - 1) // (n_bands * multiple), n_blocks - n_bands + 1)
    others = [own + (n_blocks - own) * b // (n_bands - 1) for b in range(n_bands - 1)] if n_bands > 1 else []
    return (0, *(edge * multiple for edge in others), n_rows)


class _Work:
    """What all bands of a call have in common: the function, the size of its pieces, and whether to go on."""

    __slots__ = ("_at_once", "_band", "stopped")

    def __init__(self, band: Band, at_once: int) -> None:
        self._band, self._at_once, self.stopped = band, max(at_once, 1), False

    def run(self, first: int, last: int) -> None:
        """Runs one band, piece by piece; after a failure in any of them nobody begins another piece."""
        try:
            for begin in range(first, last, self._at_once):
                if self.stopped:
                    return
                self._band(begin, min(begin + self._at_once, last))
        except BaseException:
            self.stopped = True
            raise


class _Task:
    """One band, run by whoever claims it first."""

    __slots__ = ("_band", "_done", "_ended", "_first", "_last", "_owner", "failure")

    def __init__(self, band: Band, first: int, last: int) -> None:
        self._band: Band | None = band
        self._first, self._last = first, last
        self._owner: dict[str, int] = {}
        self._ended, self._done = False, threading.Lock()
        self._done.acquire()
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Runs the band, unless another thread has claimed it."""
        if not self._claim():
            return
        band, self._band = self._band, None  # a task that still waits in the queue holds nothing any more
        try:
            if band is not None:
                band(self._first, self._last)
        except BaseException as failure:
            self.failure = failure
        finally:
            del band  # before the caller goes on: whoever looks then finds that nobody here holds its arrays
            self._ended = True
            self._done.release()

    def settle(self) -> None:
        """Waits until the band is done, or takes it away so that nobody ever begins it. May be begun again."""
        if self._claim():  # by the thread that waits here, now or before: then it is not running
            self._band = None
        elif not self._ended:
            self._done.acquire()

    def _claim(self) -> bool:
        """Whether the band is this thread's: in one step, so that no interruption leaves it claimed by nobody."""
        own = threading.get_ident()
        return self._owner.setdefault("thread", own) == own


def _settle(tasks: list[_Task], work: _Work) -> None:
    """Settles all tasks; an interruption while waiting is kept until nobody is writing."""
    interruption: BaseException | None = None
    waiting = list(tasks)
    while waiting:
        try:
            waiting[-1].settle()
            waiting.pop()
        except BaseException as caught:
            interruption, work.stopped = caught, True
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
    _quota.cache_clear()  # the child may have been put into a group of its own


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
