"""Bands of rows, and the threads that run them where Python does the work: `staging`, and the NumPy fallback.

The kernels run their bands on the native pool (`_core/thread_pool.cpp`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .packing import Indices, readonly

RunBand = Callable[[int, int], None]  # of the first row, and the one behind the last

MAX_TAIL_FRACTION = 0.25  # of the first band: a last band no larger than this is left to the caller
EVEN_FRACTION = 0.75  # of all rows: these are divided evenly; the rest goes to the threads that are done first
MAX_THREADS = 16  # in Python: more would wait for the interpreter lock


class Bands(NamedTuple):
    """First row of each band and the row behind its last, in the order in which they are taken; for how many threads;
    and how many of the last bands are left to the caller."""

    edges: Indices
    n_threads: int
    left_to_caller: int


def run(
    band: RunBand, n_rows: int, n_threads: int, multiple: int = 1, min_rows: int = 1, max_rows: int | None = None,
    head_start: int = 0,
) -> None:  # fmt: skip
    """Call band(first, last) for bands of 0 .. n_rows on at most `n_threads` threads, of which the caller is one.

    >>> run(lambda first, last: print(first, last), 20, n_threads=1)
    0 20
    """
    run_bands(band, split_rows(n_rows, n_threads, multiple, min_rows, max_rows or n_rows, head_start))


def run_bands(band: RunBand, bands: Bands) -> None:
    """Call band(first, last) for each band; a thread that is done takes the next, since cores may differ in speed.

    Ctrl-C is noticed between two bands and ends them all. When this returns or raises, no thread runs any more.
    """
    work = _Work(band, bands)
    n_helpers = min(bands.n_threads, MAX_THREADS) - 1
    helpers = [threading.Thread(target=work.help, name="sizewise", daemon=True) for _ in range(n_helpers)]
    try:
        with suppress(RuntimeError):  # the system has no more threads
            for helper in helpers:
                helper.start()
        work.run()
    finally:
        work.wait()
    if work.failure is not None:
        try:
            raise work.failure
        finally:
            work.failure = None  # else its traceback and this frame would refer to each other, and keep the arrays


class _Work:
    """The bands of a call that are left, and the threads that run some, each with a lock until it is done.

    A thread that has yet to start when the call ends finds no bands; and no reference to the caller's function, which
    is kept with each band.
    """

    __slots__ = ("active", "failure", "left_to_caller", "pending")

    def __init__(self, band: RunBand, bands: Bands) -> None:
        self.pending = deque((band, first, last) for first, last in bands.edges.tolist())
        self.left_to_caller = bands.left_to_caller
        self.active: list[threading.Lock] = []
        self.failure: BaseException | None = None

    def run(self, n_left: int = 0) -> None:
        """Run bands until `n_left` are left; after a failure in any thread no other begins."""
        try:
            while len(self.pending) > n_left:
                try:
                    band, first, last = self.pending.popleft()
                except IndexError:  # another thread was faster
                    return
                band(first, last)
        except BaseException:
            self.pending.clear()
            raise

    def help(self) -> None:
        """Run bands in another thread than the caller's, which raises what fails here."""
        done = threading.Lock()
        done.acquire()
        self.active.append(done)
        try:
            self.run(self.left_to_caller)
        except BaseException as failure:
            self.failure = failure
        finally:
            self.active.remove(done)
            done.release()

    def wait(self) -> None:
        """Wait until no thread runs a band; then raise what interrupted the waiting.

        Not by Thread.join, which takes a thread for ended once it is interrupted (Python 3.11).
        """
        interruption, is_running = None, True
        while is_running:
            try:
                self.pending.clear()
                for done in list(self.active):
                    done.acquire()
                is_running = len(self.active) > 0
            except BaseException as caught:
                interruption = caught
        if interruption is not None:
            raise interruption


@lru_cache(maxsize=128)
def split_rows(n_rows: int, n_threads: int, multiple: int, min_rows: int, max_rows: int, head_start: int) -> Bands:
    """Return the bands of `n_rows` rows for at most `n_threads` threads. They begin at multiples of `multiple`.

    With many times `min_rows` rows, bands get smaller towards the end, so that all threads end together; else there is
    one for each thread. Those of more than `max_rows` rows are split again.

    >>> split_rows(80, 2, 8, 80, 80, 0).edges.tolist(), split_rows(80, 2, 8, 80, 80, 16).edges.tolist()
    ([[0, 40], [40, 80]], [[0, 48], [48, 80]])
    """
    n, min_size, max_size = (-(-rows // multiple) for rows in (n_rows, min_rows, max_rows))
    n_bands = max(1, min(n_threads, n))
    if n_bands > 1 and n * (1 - EVEN_FRACTION) >= 2 * n_bands * min_size:
        sizes = _decreasing_sizes(n, n_bands, min_size)
    else:
        sizes = _even_sizes(n, n_bands, head_start // multiple)
    edges = [0]
    for size in sizes:
        first, n_parts = edges[-1], -(-size // max_size)
        edges += [first + size * (part + 1) // n_parts for part in range(n_parts)]
    bands = np.minimum(np.array(list(pairwise(edges)), np.int64) * multiple, n_rows)
    # To sleep, and to be woken for a small last band, would take longer than to run it.
    is_tail_small = bands[-1, 1] - bands[-1, 0] <= (bands[0, 1] - bands[0, 0]) * MAX_TAIL_FRACTION
    return Bands(readonly(bands), min(n_threads, len(bands)), int(is_tail_small))


def _decreasing_sizes(n: int, n_bands: int, min_size: int) -> list[int]:
    """Return one size for each thread, which make up the larger part, then smaller and smaller ones.

    >>> _decreasing_sizes(100, 2, 4)
    [38, 38, 6, 4, 4, 4, 4, 2]
    """
    sizes = [-(-int(n * EVEN_FRACTION) // n_bands)] * n_bands
    left = n - sum(sizes)
    while left > 0:
        sizes.append(min(left, max(min_size, left // (2 * n_bands))))
        left -= sizes[-1]
    return sizes


def _even_sizes(n: int, n_bands: int, head_start: int) -> list[int]:
    """Return one size for each thread. The caller's is the first: larger by what it does until workers are awake.

    >>> _even_sizes(10, 2, 0), _even_sizes(10, 2, 2), _even_sizes(10, 3, 0)
    ([5, 5], [6, 4], [4, 3, 3])
    """
    own = min(-(-n // n_bands) + head_start * (n_bands - 1) // n_bands, n - n_bands + 1)
    return [own, *((n - own) * (b + 1) // (n_bands - 1) - (n - own) * b // (n_bands - 1) for b in range(n_bands - 1))]
