"""How much a second thread adds, tried between the rows of a race.

On a virtual machine two cores may be halves of one, and at other times not: then whatever runs on two threads, and is
busy summing rather than waiting for memory, takes up to twice as long, ours and the peers'. A reader of the rows should
know.
"""

from __future__ import annotations

import hashlib
import statistics
import threading
import time
from collections.abc import Sequence

_BLOCK = bytes(4 << 20)  # a few milliseconds of arithmetic that needs no memory but the nearest


def second() -> float:
    """The share of a thread's work that a second one adds now: 1 on two cores, little on two halves of one.

    >>> -1 < second() < 3
    True
    """
    alone = min(_alone(), _alone())
    other = threading.Thread(target=_work)
    begin = time.perf_counter()
    other.start()
    _work()
    other.join()
    return 2 * alone / (time.perf_counter() - begin) - 1


def _alone() -> float:
    begin = time.perf_counter()
    _work()
    return time.perf_counter() - begin


def _work() -> None:
    hashlib.sha256(_BLOCK).digest()


def words(shares: Sequence[float]) -> str:
    """One sentence about all that were tried.

    >>> words([0.9, 0.2, 1.0])
    'Between the rows, a second thread of SHA-256 added 0.20 to 1.00 of what the first one did, 0.90 in the median.'
    """
    low, high, middle = min(shares), max(shares), statistics.median(shares)
    return (
        f"Between the rows, a second thread of SHA-256 added {low:.2f} to {high:.2f} of what the first one did, "
        f"{middle:.2f} in the median."
    )
