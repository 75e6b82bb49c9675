"""The filters of the textbooks, as functions of an exact distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

HALF = Fraction(1, 2)


def _sinc(x: Fraction) -> float:
    if x.denominator == 1:
        return 1.0 if x == 0 else 0.0
    return math.sin(math.pi * x) / (math.pi * x)


def _box(x: Fraction) -> float:
    return 1.0 if x < HALF else 0.5 if x == HALF else 0.0


def _triangle(x: Fraction) -> float:
    return float(max(1 - x, 0))


def _hamming(x: Fraction) -> float:
    return _sinc(x) * (0.54 + 0.46 * math.cos(math.pi * x)) if x < 1 else 0.0


def _gaussian(x: Fraction) -> float:
    return math.exp(-((x / HALF) ** 2) / 2) if x < Fraction(3, 2) else 0.0


def _cubic_convolution(x: Fraction) -> float:
    """Keys (1981), a = -1/2."""
    if x < 1:
        return float(Fraction(3, 2) * x**3 - Fraction(5, 2) * x**2 + 1)
    return float(-HALF * x**3 + Fraction(5, 2) * x**2 - 4 * x + 2) if x < 2 else 0.0


def _mitchell(x: Fraction) -> float:
    """Mitchell and Netravali (1988), B = C = 1/3."""
    if x < 1:
        return float(Fraction(7, 6) * x**3 - 2 * x**2 + Fraction(8, 9))
    return float(Fraction(-7, 18) * x**3 + 2 * x**2 - Fraction(10, 3) * x + Fraction(16, 9)) if x < 2 else 0.0


def _lanczos(lobes: int) -> Callable[[Fraction], float]:
    return lambda x: _sinc(x) * _sinc(x / lobes) if x < lobes else 0.0


def _magic(x: Fraction) -> Fraction:
    """The quadratic B-spline."""
    x = abs(x)
    return Fraction(3, 4) - x**2 if x < HALF else (x - 3 * HALF) ** 2 / 2 if x < 3 * HALF else Fraction(0)


def _magic_sharp(*side: int, whole: int) -> Callable[[Fraction], float]:
    """The quadratic B-spline sharpened: the weights, over `whole`, of its shifts by 0, 1, 2 ... pixels either way."""
    shifts = {shift: Fraction(side[abs(shift)], whole) for shift in range(1 - len(side), len(side))}
    return lambda x: float(sum(weight * _magic(x - shift) for shift, weight in shifts.items()))


FILTERS: dict[str, Callable[[Fraction], float]] = {
    "box": _box,
    "bilinear": _triangle,
    "hamming": _hamming,
    "bicubic": _cubic_convolution,
    "mitchell": _mitchell,
    "gaussian": _gaussian,
    "mks2013": _magic_sharp(6, -1, whole=4),
    "mks2021": _magic_sharp(204, -35, 6, -1, whole=144),
    **{f"lanczos{lobes}": _lanczos(lobes) for lobes in (2, 3, 4, 5)},
}
