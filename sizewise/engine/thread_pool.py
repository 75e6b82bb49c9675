"""Worker threads: cuts a range of rows into bands and runs them side by side.

Own daemon workers, made at the first use and made anew after a fork. Knows nothing of what it runs.
"""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Band = Callable[[int, int], None]
SMALL = 0.25  # of the first piece: what the last may be to be left to the caller
EVEN = 0.75  # of all rows: what is cut into one piece for each thread; the rest goes to whoever has time

_tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_workers = 0
_growing = threading.Lock()


def run(
    band: Band, n_rows: int, threads: int, multiple: int = 1, least: int = 1, most: int | None = None, ahead: int = 0
) -> None:
    """Calls band(first, last) over 0 .. n_rows, piece by piece, on at most so many threads, of which the caller is one.

    Whoever is free takes the next piece: one core may be slower than another, or slower to wake up. For how large they
    are see `_pieces`. Ctrl-C is noticed between two of them, and ends them all. When it returns, or raises, nobody is
    writing any more.

    >>> run(lambda first, last: print(first, last), 20, threads=1)
    0 20
    """
    run_bands(band, split_rows(n_rows, threads, multiple, least, most or n_rows, ahead))


def run_bands(band: Band, bands: Bands) -> None:
    """Calls band(first, last) for pieces that are cut already; see `run`."""
    work = _Work(band, bands.pieces)
    n_others = bands.n_threads - 1
    if n_others <= 0:
        work.run()
        return
    tasks = [_Task(work, bands.left_to_caller) for _ in range(n_others)]
    try:
        if _workers >= n_others or _grow(n_others):
            for task in tasks:
                _tasks.put(task.run)
        work.run()
    except BaseException:
        work.stopped = True
        raise
    finally:
        _settle(tasks, work)
    for task in tasks:
        if task.failure is not None:
            raise task.failure


def _left_to_the_caller(pieces: tuple[tuple[int, int], ...]) -> int:
    """How many of the last pieces no worker takes: one, if it is small. To sleep, and to be woken, would take longer.

    >>> _left_to_the_caller(((0, 40), (40, 80))), _left_to_the_caller(((0, 40), (40, 80), (80, 90)))
    (0, 1)
    """
    sizes = [last - first for first, last in (pieces[0], pieces[-1])]
    return 1 if sizes[1] <= sizes[0] * SMALL else 0


class Bands(NamedTuple):
    """First and last row of each band, in the order in which they are taken; for how many threads; and how many of the
    last bands are left to the caller. `edges` are the same bands for the native pool."""

    pieces: tuple[tuple[int, int], ...]
    n_threads: int
    left_to_caller: int
    edges: NDArray[np.int64]

    @property
    def native(self) -> tuple[NDArray[np.int64], int, int]:
        """The same as arguments of the native pool."""
        return self.edges, self.n_threads, self.left_to_caller


@lru_cache(maxsize=128)
def split_rows(n_rows: int, threads: int, multiple: int, least: int, most: int, ahead: int) -> Bands:
    """The pieces of so many rows for at most so many threads.

    >>> split_rows(80, 2, 8, 80, 80, 0)[:3]
    (((0, 40), (40, 80)), 2, 0)
    """
    pieces = _pieces(n_rows, threads, multiple, least, most, ahead)
    n_threads = min(threads, len(pieces))
    return Bands(pieces, n_threads, _left_to_the_caller(pieces), np.array(pieces, np.int64))


def _pieces(n_rows: int, threads: int, multiple: int, least: int, most: int, ahead: int) -> tuple[tuple[int, int], ...]:
    """Where pieces begin and end, in the order in which they are taken.

    They begin at multiples of `multiple`. How large they are says `_ever_smaller`, where there are many times `least`
    rows, and else `_shares`; what has more than `most` is cut once more.

    >>> _pieces(80, 2, 8, 80, 80, 0), _pieces(80, 2, 8, 80, 80, 16), _pieces(20, 4, 8, 20, 20, 0)
    (((0, 40), (40, 80)), ((0, 48), (48, 80)), ((0, 8), (8, 16), (16, 20)))
    """
    n, least, most = (-(-rows // multiple) for rows in (n_rows, least, most))
    n_bands = max(1, min(threads, n))
    if n_bands > 1 and n * (1 - EVEN) >= 2 * n_bands * least:
        sizes = _ever_smaller(n, n_bands, least)
    else:
        sizes = _shares(n, n_bands, ahead // multiple)
    edges = [0]
    for size in sizes:
        first, n_parts = edges[-1], -(-size // most)
        edges += [first + size * (part + 1) // n_parts for part in range(n_parts)]
    return tuple((first * multiple, min(last * multiple, n_rows)) for first, last in pairwise(edges))


def _ever_smaller(n: int, n_bands: int, least: int) -> list[int]:
    """One size for each thread, which make the larger part of all, then ever smaller ones, so that all end together.

    >>> _ever_smaller(100, 2, 4)
    [38, 38, 6, 4, 4, 4, 4, 2]
    """
    sizes = [-(-int(n * EVEN) // n_bands)] * n_bands
    left = n - sum(sizes)
    while left > 0:
        sizes.append(min(left, max(least, left // (2 * n_bands))))
        left -= sizes[-1]
    return sizes


def _shares(n: int, n_bands: int, ahead: int) -> list[int]:
    """One size for each thread: the caller's is the first, and larger by `ahead`.

    It has done those by the time that a sleeping worker is awake, so that both end together and the caller need not
    sleep.

    >>> _shares(10, 2, 0), _shares(10, 2, 2), _shares(10, 3, 0)
    ([5, 5], [6, 4], [4, 3, 3])
    """
    own = min(-(-n // n_bands) + ahead * (n_bands - 1) // n_bands, n - n_bands + 1)
    return [own, *((n - own) * (b + 1) // (n_bands - 1) - (n - own) * b // (n_bands - 1) for b in range(n_bands - 1))]


class _Work:
    """What all threads of a call have in common: the function, the pieces that are left, and whether to go on."""

    __slots__ = ("_band", "_pieces", "stopped")

    def __init__(self, band: Band, pieces: Iterable[tuple[int, int]]) -> None:
        self._band, self._pieces, self.stopped = band, deque(pieces), False

    def run(self, leave: int = 0) -> None:
        """Runs pieces for as long as there are more than `leave`; after a failure in any nobody begins another."""
        try:
            while not self.stopped and len(self._pieces) > leave:
                try:
                    first, last = self._pieces.popleft()
                except IndexError:  # somebody else was faster
                    return
                self._band(first, last)
        except BaseException:
            self.stopped = True
            raise


class _Task:
    """The share of one worker; or nobody's, if the caller claims it first, to take it away."""

    __slots__ = ("_done", "_ended", "_leave", "_owner", "_work", "failure")

    def __init__(self, work: _Work, leave: int) -> None:
        self._work: _Work | None = work
        self._leave = leave
        self._owner: dict[str, int] = {}
        self._ended, self._done = False, threading.Lock()
        self._done.acquire()
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Runs pieces, unless another thread has claimed it."""
        if not self._claim():
            return
        work, self._work = self._work, None  # a task that still waits in the queue holds nothing any more
        try:
            if work is not None:
                work.run(self._leave)
        except BaseException as failure:
            self.failure = failure
        finally:
            del work  # before the caller goes on: whoever looks then finds that nobody here holds its arrays
            self._ended = True
            self._done.release()

    def settle(self) -> None:
        """Waits until the task is done, or takes it away so that nobody ever begins it. May be begun again."""
        if self._claim():  # by the thread that waits here, now or before: then it is not running
            self._work = None
        elif not self._ended:
            self._done.acquire()

    def _claim(self) -> bool:
        """Whether the task is this thread's: in one step, so that no interruption leaves it claimed by nobody."""
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
