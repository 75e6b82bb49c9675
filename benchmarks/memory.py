"""Speed of writing to memory, measured between the rows of a benchmark.

Every library has to write its result: where that takes most of a row's time, none can be much faster.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import numpy as np

SIZE = 4 << 20  # float32 elements, as in a batch of 4x128x128x64
_BLOCKS = 4  # filled in turns, so that none is in a cache when it is filled again


class Fill:
    """Blocks of allocated memory, each filled by several threads at once.

    >>> 0 < Fill(2).seconds() < 10
    True
    """

    def __init__(self, threads: int) -> None:
        self._parts = cycle([np.array_split(np.ones(SIZE, np.float32), threads) for _ in range(_BLOCKS)])
        self._workers = ThreadPoolExecutor(max(threads - 1, 1))

    def seconds(self) -> float:
        """Return the time to fill the next block with one value."""
        mine, *theirs = next(self._parts)
        begin = time.perf_counter()
        others = [self._workers.submit(part.fill, begin) for part in theirs]
        mine.fill(begin)
        for other in others:
            other.result()
        return time.perf_counter() - begin


def summary(seconds: Sequence[float]) -> str:
    """Return one sentence about all measurements.

    >>> summary([0.0005, 0.001, 0.0006])
    'Between the rows, filling 16.8 MB with one value took 0.60 ms in the median, 0.50 at best.'
    """
    best, middle, n_bytes = 1e3 * min(seconds), 1e3 * statistics.median(seconds), 4e-6 * SIZE
    return (
        f"Between the rows, filling {n_bytes:.1f} MB with one value took {middle:.2f} ms in the median, "
        f"{best:.2f} at best."
    )
