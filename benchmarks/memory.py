"""How fast memory takes what is written, tried between the rows of a race.

A result has to be written, whoever makes it: where that takes most of a row's time, nobody can be far ahead. A reader
of the rows should know.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import numpy as np

SIZE = 4 << 20  # numbers of float32: as many as a batch of 4x128x128x64 has
_ROOM = 4  # as many results, in turns, so that none is in a cache when it is written again


class Fill:
    """Blocks of memory that are there already, each filled by so many threads at once.

    >>> 0 < Fill(2).seconds() < 10
    True
    """

    def __init__(self, threads: int) -> None:
        self._parts = cycle([np.array_split(np.ones(SIZE, np.float32), threads) for _ in range(_ROOM)])
        self._workers = ThreadPoolExecutor(max(threads - 1, 1))

    def seconds(self) -> float:
        """How long it takes now to write one number everywhere in the next block."""
        mine, *theirs = next(self._parts)
        begin = time.perf_counter()
        others = [self._workers.submit(part.fill, begin) for part in theirs]
        mine.fill(begin)
        for other in others:
            other.result()
        return time.perf_counter() - begin


def words(seconds: Sequence[float]) -> str:
    """One sentence about all that were tried.

    >>> words([0.0005, 0.001, 0.0006])
    'Between the rows, filling 16.8 MB with one number took 0.60 ms in the median, 0.50 at best.'
    """
    best, middle, n_bytes = 1e3 * min(seconds), 1e3 * statistics.median(seconds), 4e-6 * SIZE
    return (
        f"Between the rows, filling {n_bytes:.1f} MB with one number took {middle:.2f} ms in the median, "
        f"{best:.2f} at best."
    )
