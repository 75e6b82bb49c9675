"""Gain of a second thread, measured between the rows of a benchmark.

On a virtual machine two cores may at times be hyperthreads of one. Two threads that are limited by arithmetic rather
than memory then take up to twice as long, in every library.
"""

from __future__ import annotations

import hashlib
import statistics
import threading
import time
from collections.abc import Sequence

_BLOCK = bytes(4 << 20)  # some milliseconds of arithmetic on data in the first-level cache


def second_thread_gain() -> float:
    """Return the work that a second thread adds, relative to the first: 1 on two cores, little on two hyperthreads.

    >>> -1 < second_thread_gain() < 3
    True
    """
    alone = min(_seconds_alone(), _seconds_alone())
    other = threading.Thread(target=_work)
    begin = time.perf_counter()
    other.start()
    _work()
    other.join()
    return 2 * alone / (time.perf_counter() - begin) - 1


def _seconds_alone() -> float:
    begin = time.perf_counter()
    _work()
    return time.perf_counter() - begin


def _work() -> None:
    hashlib.sha256(_BLOCK).digest()


def summary(gains: Sequence[float]) -> str:
    """Return one sentence about all measurements.

    >>> summary([0.9, 0.2, 1.0])
    'Between the rows, a second thread of SHA-256 added 0.20 to 1.00 of the work of the first, 0.90 in the median.'
    """
    low, high, middle = min(gains), max(gains), statistics.median(gains)
    return (
        f"Between the rows, a second thread of SHA-256 added {low:.2f} to {high:.2f} of the work of the first, "
        f"{middle:.2f} in the median."
    )
