"""Roundings of lengths and offsets, by the names that recipes use."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..errors import unknown_name

# `int` truncates and `round` rounds halves to even, as Python's functions do; `half_up` is int(x + 0.5).
ROUNDINGS: dict[str, Callable[[float], int]] = {
    "int": int,
    "round": round,
    "floor": math.floor,
    "ceil": math.ceil,
    "half_up": lambda x: int(x + 0.5),
}


def require_rounding(name: object) -> None:
    """Raise UnknownNameError for the name of an unknown rounding."""
    if not isinstance(name, str) or name not in ROUNDINGS:
        raise unknown_name("rounding", name, tuple(ROUNDINGS))


def round_to(x: float, rounding: str) -> int:
    """Return x rounded by a rule of ROUNDINGS.

    >>> [round_to(2.5, name) for name in ROUNDINGS]
    [2, 2, 2, 3, 3]
    """
    return ROUNDINGS[rounding](x)
