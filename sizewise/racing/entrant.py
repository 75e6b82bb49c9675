"""One who runs in a race: how to time it once, and how to see what it made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Entrant:
    """`lap` does the work once and returns its seconds; `result` gives the pixels in the case's own shape and layout.

    `same` says whether the pixels must equal ours, and `tolerance` how far they may be from it, as a share of the
    largest value (None: what is usual for the dtype).
    """

    name: str
    lap: Callable[[], float]
    result: Callable[[], Array]
    same: bool = True
    tolerance: float | None = None


def of_call(
    name: str,
    call: Callable[[], Any],
    see: Callable[[Any], Array] = np.asarray,
    *,
    same: bool = True,
    tolerance: float | None = None,
) -> Entrant:
    """The entrant that makes one call; `see` turns what the call returns into an array.

    >>> of_call("zeros", lambda: [0.0, 0.0]).result()
    array([0., 0.])
    """

    def lap() -> float:
        begin = perf_counter()
        call()
        return perf_counter() - begin

    return Entrant(name, lap, lambda: see(call()), same, tolerance)
