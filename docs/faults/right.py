"""Correct results: exact fractions of the documented formulas, and transposes of the frameworks' forward maps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from . import run

Right = Callable[[], np.ndarray]
HALF = Fraction(1, 2)


def matrix(framework: str, code: str) -> np.ndarray:
    """Return the matrix (n_out, n_in) of a forward call, given its code on unit images, in which one pixel is 1."""
    images = np.asarray(run(framework, code), np.float64)
    return images.reshape(len(images), -1).T


def adjoint(framework: str, code: str, shape: tuple[int, ...], dy: object = None) -> Right:
    """Return a function for the gradient at `dy` (ones by default): the transpose of the forward map."""

    def gradient() -> np.ndarray:
        forward = matrix(framework, code)
        given = np.ones(len(forward)) if dy is None else np.asarray(dy, np.float64)
        return (given @ forward).reshape(shape)

    return gradient


def second(framework: str, code: str, shape: tuple[int, ...]) -> Right:
    """Return a function for the gradient of |g|^2 at ones, where g = 2 W^T W x is that of |W x|^2: 8 (W^T W)^2 x."""

    def gradient() -> np.ndarray:
        forward = matrix(framework, code)
        square = forward.T @ forward
        return (8 * square @ square @ np.ones(len(square))).reshape(shape)

    return gradient


def centers(n_in: int, n_out: int) -> list[Fraction]:
    """Return the positions of the outputs, with half-pixel centers."""
    return [(o + HALF) * n_in / n_out - HALF for o in range(n_out)]


def tent(row: Sequence[int], x: Sequence[Fraction], stretch: int = 1) -> np.ndarray:
    """Interpolate a row linearly at x, antialiased by `stretch`; pixels outside repeat the edge."""
    return np.array([float(_tent(row, one, stretch)) for one in x])


def _tent(row: Sequence[int], x: Fraction, stretch: int) -> Fraction:
    pixels = range(math.floor(x) - stretch, math.ceil(x) + stretch + 1)
    weights = [max(Fraction(0), 1 - abs(x - v) / stretch) for v in pixels]
    read = [row[min(max(v, 0), len(row) - 1)] for v in pixels]
    return sum((w * value for w, value in zip(weights, read, strict=True)), Fraction(0)) / sum(weights)


def cubic(row: Sequence[int], x: Sequence[Fraction]) -> np.ndarray:
    """Interpolate a row by cubic convolution with a = -3/4 at x; pixels outside repeat the edge."""
    return np.array([float(_cubic(row, one)) for one in x])


def _cubic(row: Sequence[int], x: Fraction) -> Fraction:
    a, pixels = Fraction(-3, 4), range(math.floor(x) - 1, math.floor(x) + 3)
    total = Fraction(0)
    for v in pixels:
        d = abs(x - v)
        near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((d - 5) * d + 8) * d * a - 4 * a
        total += (near if d <= 1 else far) * row[min(max(v, 0), len(row) - 1)]
    return total


def rounded(values: np.ndarray) -> np.ndarray:
    """Return the nearest integers; raise ValueError if a value is halfway."""
    if (np.abs(values % 1 - 0.5) < 1e-9).any():
        raise ValueError("halfway between two integers: no rounding is the right one")
    return np.rint(values)
