"""Obvious loops, written from the definitions: what the library must equal, sharing no code with it.

`resize` applies dense matrices; `MATRICES` builds them for each dialect, straight from the formulas: textbook filters
for `standard`, ../shared/SEMANTICS.md sections 1 and 2 for `tfjs` and `tensorflow1`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

HALF = Fraction(1, 2)


def resize(x: np.ndarray, matrices: Sequence[np.ndarray], axes: Sequence[int]) -> np.ndarray:
    """One matrix per axis applied to x, in float64."""
    for matrix, axis in zip(matrices, axes, strict=True):
        x = resize_axis(x, matrix, axis)
    return x


def resize_axis(x: np.ndarray, matrix: np.ndarray, axis: int) -> np.ndarray:
    """out[o] = the sum over v of matrix[o, v] * x[v], along one axis; a weight of 0 reads nothing."""
    moved = np.moveaxis(np.asarray(x, np.float64), axis, 0)
    out = np.zeros((len(matrix), *moved.shape[1:]))
    for o, row in enumerate(matrix.tolist()):
        for v, weight in enumerate(row):
            if weight != 0:
                out[o] += weight * moved[v]
    return np.moveaxis(out, 0, axis)


def entries(taps: Any) -> Iterator[tuple[int, int, float]]:
    """(row, column, weight) of each tap that is not 0, read from start, count and weights."""
    for o in range(len(taps.start)):
        for k in range(int(taps.count[o])):
            if taps.weights[o, k] != 0:
                yield o, int(taps.start[o]) + k, float(taps.weights[o, k])


# --- standard: the filters of the textbooks, of an exact distance ---------------------------------------------------


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


FILTERS: dict[str, Callable[[Fraction], float]] = {
    "box": _box,
    "bilinear": _triangle,
    "hamming": _hamming,
    "bicubic": _cubic_convolution,
    "mitchell": _mitchell,
    "gaussian": _gaussian,
    **{f"lanczos{lobes}": _lanczos(lobes) for lobes in (2, 3, 4, 5)},
}


def standard(n_in: int, n_out: int, method: str, antialias: bool) -> np.ndarray:
    """Half-pixel centres; filters widened where an axis shrinks; rows normalised."""
    if n_in == n_out:
        return np.eye(n_in)
    scale = Fraction(n_in, n_out)
    if method == "nearest":
        return _picking(n_in, [math.floor((o + HALF) * scale) for o in range(n_out)])
    if method == "area":
        return _area(n_in, n_out)
    stretch = max(scale, Fraction(1)) if antialias else Fraction(1)
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        centre = (o + HALF) * scale - HALF
        row = [FILTERS[method](abs(v - centre) / stretch) for v in range(n_in)]
        matrix[o] = [weight / math.fsum(row) for weight in row]
    return matrix


def _area(n_in: int, n_out: int) -> np.ndarray:
    """The share of output pixel [left, right] that input pixel [v, v + 1] covers."""
    scale = Fraction(n_in, n_out)
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        left, right = o * scale, (o + 1) * scale
        for v in range(n_in):
            matrix[o, v] = float(max(min(right, Fraction(v + 1)) - max(left, Fraction(v)), Fraction(0)) / scale)
    return matrix


def _picking(n_in: int, index: Sequence[int]) -> np.ndarray:
    matrix = np.zeros((len(index), n_in))
    for o, v in enumerate(index):
        matrix[o, min(max(v, 0), n_in - 1)] = 1.0
    return matrix


# --- tfjs: Python's floats are JavaScript's numbers -----------------------------------------------------------------


def tfjs(
    n_in: int, n_out: int, method: str, antialias: bool, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    step = (n_in - 1) / (n_out - 1) if align_corners and n_out > 1 else n_in / n_out
    if method == "nearest":
        grid = [step * (o + 0.5) if half_pixel_centers else step * o for o in range(n_out)]
        return _picking(n_in, [_round_up_ties(x) if align_corners else math.floor(x) for x in grid])
    matrix = np.zeros((n_out, n_in))
    for o in range(n_out):
        x = step * (o + 0.5) - 0.5 if half_pixel_centers else step * o
        low, high = max(0, math.floor(x)), min(n_in - 1, math.ceil(x))
        matrix[o, low] += 1.0 - (x - low)
        matrix[o, high] += x - low
    return matrix


def _round_up_ties(x: float) -> int:
    return math.floor(Fraction(x) + HALF)


# --- tensorflow1: every step rounded to float32 ---------------------------------------------------------------------


def tensorflow1(
    n_in: int, n_out: int, method: str, antialias: bool, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    single, half = np.float32, np.float32(0.5)
    step = single(n_in - 1) / single(n_out - 1) if align_corners and n_out > 1 else single(n_in) / single(n_out)
    centres = [single(o) + half if half_pixel_centers else single(o) for o in range(n_out)]
    if method == "nearest":
        grid = [float(centre * step) for centre in centres]
        return _picking(n_in, [_round_up_ties(x) if align_corners else math.floor(x) for x in grid])
    matrix = np.zeros((n_out, n_in))
    for o, centre in enumerate(centres):
        x = centre * step - half if half_pixel_centers else centre * step
        low, high = math.floor(x), math.ceil(x)
        fraction = float(x - single(low))
        matrix[o, max(low, 0)] += 1.0 - fraction
        matrix[o, min(high, n_in - 1)] += fraction
    return matrix


MATRICES: dict[str, Callable[..., np.ndarray]] = {"standard": standard, "tfjs": tfjs, "tensorflow1": tensorflow1}
