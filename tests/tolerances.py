"""How close is close: the one place with tolerances, each a multiple of eps x how often a number is rounded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from math import prod

import numpy as np

from sizewise import Taps
from sizewise.engine.executor import SUM_BLOCK

# The relative difference that the adjoint identity may show in float64.
ADJOINT = 1e-12


def weight_bound(taps: Taps, coordinate_eps: float = float(np.finfo(np.float64).eps)) -> float:
    """How far a weight, or a sum of weights, may be from its exact value.

    `coordinate_eps` is the relative precision of the coordinates that the weights were computed from.
    """
    gain = float(np.abs(taps.weights).sum(axis=1).max())
    return 2 * gain * (coordinate_eps * taps.n_in + np.finfo(np.float64).eps * (taps.width + 16))


def sum_bound(taps: Iterable[Taps], dtype: np.dtype | type, magnitude: float) -> float:
    """How far a result in `dtype` may be from the exact sum over the taps of inputs of at most `magnitude`."""
    axes = tuple(taps)
    gain = prod(float(np.abs(one.weights).sum(axis=1).max()) for one in axes)
    return float(np.finfo(dtype).eps) * roundings(axes, dtype) * gain * magnitude


def roundings(axes: Sequence[Taps], dtype: np.dtype | type) -> int:
    """Return the maximum number of roundings of a result: weight, product and quotient, and the sums.

    Sums go by blocks of taps. Long ones are formed in float64, and those of float64 by four of them at a time.
    """
    if not any(one.is_long for one in axes):
        return sum(min(one.width, SUM_BLOCK) + -(-one.width // SUM_BLOCK) + 3 for one in axes)
    if np.dtype(dtype) != np.float64:
        return 2
    return sum(4 * math.ceil(math.log(one.width, 4) if one.width > 1 else 0) + 3 for one in axes)


def assert_close(actual: np.ndarray, expected: np.ndarray, taps: Iterable[Taps], magnitude: float) -> None:
    """Assert that `actual` equals `expected` (in float64) to the rounding of its dtype."""
    assert actual.shape == expected.shape, f"shape {actual.shape}, expected {expected.shape}"
    allowed = sum_bound(taps, actual.dtype, magnitude)
    difference = np.abs(actual.astype(np.float64) - expected)
    worst = float(difference.max(initial=0.0))
    assert np.isfinite(difference).all() and worst <= allowed, f"differs by {worst:.3g}, allowed {allowed:.3g}"


def assert_same_bits(actual: np.ndarray, expected: np.ndarray) -> None:
    """Asserts that two arrays agree in shape, dtype and every bit (signs of zero and NaNs included)."""
    assert actual.shape == expected.shape, f"shape {actual.shape}, expected {expected.shape}"
    assert actual.dtype == expected.dtype, f"dtype {actual.dtype}, expected {expected.dtype}"
    bits = np.dtype(f"u{actual.dtype.itemsize}")
    differing = np.ascontiguousarray(actual).view(bits) != np.ascontiguousarray(expected).view(bits)
    assert not differing.any(), f"{differing.sum()} of {differing.size} differ, first at {np.argwhere(differing)[0]}"
