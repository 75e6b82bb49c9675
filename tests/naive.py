"""Obvious loops, written from the definitions: what the library must equal, sharing no code with it.

`resize` applies dense matrices, `resize_in_passes` a plan as its dialect's arithmetic says; `MATRICES` builds matrices
for each dialect, straight from the formulas: textbook filters for `standard`, ../shared/SEMANTICS.md for the others.
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


def resize_in_passes(x: np.ndarray, plan: Any, axes: Sequence[int], arithmetic: Any = None) -> np.ndarray:
    """A plan applied one axis after the other, in the order and with the roundings of its dialect's arithmetic."""
    arithmetic = arithmetic or plan.arithmetic(x.dtype)
    order = arithmetic.order or range(len(axes))
    positions = [position for position in order if not plan.taps[position].is_identity]
    for position in positions:
        stored = arithmetic.result if position == positions[-1] else arithmetic.between or arithmetic.accumulate
        x = _stored(_sums(x, plan.taps[position], axes[position], arithmetic), stored)
    return _stored(x, arithmetic.result)


def _sums(x: np.ndarray, taps: Any, axis: int, arithmetic: Any) -> np.ndarray:
    """One pass: whole numbers if the arithmetic is fixed-point, else sums in its own precision, from left to right."""
    kind = np.dtype(np.int64) if arithmetic.fixed else arithmetic.accumulate
    weights, bits = arithmetic.fixed.weights(taps.weights) if arithmetic.fixed else (taps.weights, 0)
    moved = np.moveaxis(x, axis, 0).astype(kind)
    out = np.zeros((taps.n_out, *moved.shape[1:]), kind)
    for o in range(taps.n_out):
        for k in range(int(taps.count[o])):
            out[o] += kind.type(weights[o, k]) * moved[taps.start[o] + k]
    out = np.moveaxis(out, 0, axis)
    return (out + 2 ** (bits - 1)) >> bits if arithmetic.fixed else out


def _stored(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Numbers in another dtype; integers rounded half to even and clipped."""
    if dtype.kind == "f" or values.dtype == dtype:
        return values.astype(dtype)
    whole = np.rint(values) if values.dtype.kind == "f" else values
    return np.clip(whole, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)


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
