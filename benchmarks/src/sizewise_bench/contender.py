"""Contender: one call of one library, which can be timed and whose result can be checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Contender:
    """A call: `time_once` makes it and returns the seconds, `result` returns the pixels in the shape of the case.

    `same_pixels` states whether the pixels must equal those of Sizewise, within `tolerance`, a fraction of the largest
    value (None: the default of the dtype).
    """

    name: str
    time_once: Callable[[], float]
    result: Callable[[], Array]
    same_pixels: bool = True
    tolerance: float | None = None


def from_call(
    name: str,
    call: Callable[[], Any],
    to_array: Callable[[Any], Array] = np.asarray,
    *,
    same_pixels: bool = True,
    tolerance: float | None = None,
) -> Contender:
    """Return the contender that makes one call; `to_array` converts what the call returns.

    >>> from_call("zeros", lambda: [0.0, 0.0]).result()
    array([0., 0.])
    """

    def time_once() -> float:
        begin = perf_counter()
        call()
        return perf_counter() - begin

    return Contender(name, time_once, lambda: to_array(call()), same_pixels, tolerance)
