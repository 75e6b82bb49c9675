"""Sums of any number of taps: as exact as sums in pairs, and means that keep constants."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from samples import fewer, sample
from variants import VARIANTS, Variant, by_dialect

import sizewise as sw

# The NumPy fallback loops over taps in Python: there 10**7 of them would take minutes.
MAX_TAPS, LONG = (10**7, 99_991) if sw.core_info().isa != "numpy" else (10**4, 4999)
LENGTHS = (3, 7, 10, 49, 63, 64, 65, 100, 333, 1000, LONG)
MEANS = ("area", "box")
FILTERS = (*MEANS, "bilinear", "hamming", "cubic", "lanczos3")
REALS = (np.float16, np.float32, np.float64)
MAX_ULP = 4.0  # of the largest input


def off(result: np.ndarray, expected: float, largest: float) -> float:
    """By how many units in the last place of the largest input a result is off."""
    return abs(float(result) - expected) / float(np.spacing(result.dtype.type(largest)))


def exact(x: np.ndarray, taps: sw.Taps) -> float:
    """Return the first output, summed without rounding."""
    first, last = int(taps.start[0]), int(taps.start[0] + taps.count[0])
    weights = taps.weights[0, : last - first]
    return math.fsum(weights * x[first:last].astype(np.float64))


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("method", MEANS)
def test_means_keep_constants(method: str, dtype: type) -> None:
    for n in (*sample(range(2, 130), 3), *LENGTHS):
        for size in {1, max(1, n // 3), max(1, n - 1)}:
            for value in (1.0, 0.5, -3.0, 255.0):
                x = np.full(n, value, dtype)
                assert (sw.resize(x, (size,), method) == value).all(), f"{value}: {n} -> {size}"


@pytest.mark.parametrize("method", MEANS)
def test_means_of_images_keep_constants(method: str) -> None:
    for shape, size in (
        ((100, 130, 3), (7, 10)),
        ((49, 63, 1), (5, 3)),
        ((1000, 70, 4), (3, 9)),
        ((30, 30, 64), (9, 7)),
    ):
        for dtype in REALS:
            assert (sw.resize(np.ones(shape, dtype), size, method) == 1).all(), f"{shape} -> {size} {dtype.__name__}"


@pytest.mark.parametrize("method", FILTERS)
def test_long_sums_of_float32_keep_any_constant(method: str) -> None:
    """Sums of more than 64 taps are formed in float64: the result is the constant itself."""
    for value in np.random.default_rng(0).uniform(0.1, 300, 20).astype(np.float32):
        for n in (100, 1000, LONG):
            assert sw.resize(np.full(n, value), (1,), method)[0] == value, f"{value}: {n} -> 1"


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("method", FILTERS)
def test_errors_do_not_grow_with_the_taps(method: str, dtype: type) -> None:
    rng = np.random.default_rng(1)
    for n in LENGTHS:
        plan = sw.make_plan((n,), (1,), method)
        for x in (rng.uniform(0, 1, n).astype(dtype), np.full(n, 0.1, dtype), rng.normal(0, 1, n).astype(dtype)):
            largest = float(np.abs(x).max())
            assert off(plan(x)[0], exact(x, plan.taps[0]), largest) <= MAX_ULP, f"{n} -> 1"


@by_dialect(variant=[one for one in VARIANTS if one.antialias])
def test_every_dialect_forward_and_backward(variant: Variant) -> None:
    """Of a long axis: forward to few outputs, and the gradient of as many outputs of few inputs."""
    rng = np.random.default_rng(2)
    for n in (100, 5000):
        small, large = variant.plan((n,), (2,)), variant.plan((2,), (n,)).T
        for plan in (small, large):
            for dtype in (np.float32, np.float64):
                at = plan.for_dtype(np.dtype(dtype))
                if dtype == np.float64 and at.arithmetic(np.dtype(dtype)).in_tap_order:
                    continue  # bit for bit as the framework sums them, tap by tap
                for x in (rng.uniform(0, 1, n).astype(dtype), np.full(n, 0.1, dtype)):
                    gain = max(1.0, float(np.abs(at.taps[0].weights).sum(axis=1).max()))
                    ulps = off(at(x)[0], exact(x, at.taps[0]), float(np.abs(x).max()) * gain)
                    assert ulps <= MAX_ULP, f"{variant} {plan} {dtype.__name__}: {ulps}"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.uint8])
def test_sums_of_millions_of_taps(dtype: type) -> None:
    n = fewer(MAX_TAPS, 10)
    x = np.full(n, 0.1 if np.dtype(dtype).kind == "f" else 3, dtype)
    dialect = "tensorflow" if dtype == np.uint8 else "standard"  # where integers become float32
    for method in sample(("bilinear", "bicubic", "lanczos3") if dtype == np.uint8 else FILTERS, 3, dtype.__name__):
        result = sw.resize(x, (1,), method, dialect=dialect, antialias=None if method == "area" else True)
        assert off(result[0], float(x[0]), float(x[0])) <= MAX_ULP, method


def test_control_sequential_float32_sums_drift() -> None:
    x, total = np.full(64, 0.1, np.float32), np.float32(0)
    for value in x:
        total += value * np.float32(1 / 64)
    assert off(total, float(x[0]), float(x[0])) > MAX_ULP


@pytest.mark.parametrize("dialect", ["standard", "torch", "paddle", "opencv"])
def test_ties_of_integer_means_go_to_the_even_number(dialect: str) -> None:
    for dtype in (np.uint8, np.uint16, np.int16, np.int32) if dialect == "standard" else (np.uint16,):
        for n in range(2, 60):
            x = np.array([140] * (n // 2) + [141] * (n - n // 2), dtype)
            result = sw.resize(x, (1,), "area", dialect=dialect)
            assert int(result[0]) == round(Fraction(int(x.sum()), n)), f"{dialect} {dtype.__name__} of {n}"


def test_integer_means_of_images_are_exact() -> None:
    rng = np.random.default_rng(3)
    for dtype, high in ((np.uint8, 256), (np.uint16, 65536), (np.int16, 32768), (np.int32, 2**31)):
        for rows, columns in ((2, 3), (6, 6), (6, 11), (10, 10), (1, 14), (12, 5)):
            x = rng.integers(high - 9, high, (4 * rows, 5 * columns, 3)).astype(dtype)
            sums = x.reshape(4, rows, 5, columns, 3).astype(object).sum(axis=(1, 3))
            expected = np.vectorize(lambda one, n: round(Fraction(one, n)))(sums, rows * columns)
            assert np.array_equal(sw.resize(x, (4, 5), "area"), expected), f"{dtype.__name__} {rows} x {columns}"


def test_ties_of_growing_images() -> None:
    """From 2 to 20 pixels linear weights are odd twentieths, which no float holds; some of the sums are halves."""
    ties, weights = 0, [Fraction(2 * o + 1, 20) for o in range(10)]
    for a in range(0, 256, 15):
        for b in range(0, 256, 5):
            sums = [(1 - weight) * a + weight * b for weight in weights]
            ties += sum(one.denominator == 2 for one in sums)
            for shape in ((2,), (2, 1, 3)):
                x = np.broadcast_to(np.array([a, b]).reshape(-1, *[1] * (len(shape) - 1)), shape).astype(np.uint8)
                result = sw.resize(x, (20,), "linear", axes=(0,)).reshape(20, -1)
                assert ([round(one) for one in sums] == result[5:15].T).all(), f"{a}, {b}"
    assert ties > 50
