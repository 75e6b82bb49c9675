"""The ends of what numbers are: subnormal ones, signed zeros, the largest, the infinite, and halves of integers."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from variants import SOME, Variant, at_each, by_dialect, noise

import sizewise as sw

FLOATS = [np.dtype(one) for one in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]
INTEGERS = [np.dtype(one) for one in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")]
# Arrays that each kernel reads: two axes of 1 to 17 channels, one axis, strided pixels, the other byte order.
ARRANGEMENTS = ("1", "2", "3", "4", "17", "rows", "columns", "strided", "swapped")


def arrange(x: np.ndarray, arrangement: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return an image of one channel in this arrangement, and the axes to resize."""
    if arrangement.isdigit():
        return np.repeat(x[..., None], int(arrangement), axis=2), (0, 1)
    if arrangement in ("rows", "columns"):
        return (np.repeat(x.reshape(-1, 1), 24, axis=1), (0,)) if arrangement == "rows" else (x.reshape(1, -1), (1,))
    if arrangement == "strided":
        return np.repeat(x, 2, axis=1)[:, ::2], (0, 1)
    swapped = x.dtype.newbyteorder() if x.dtype.kind == "f" else x.dtype
    return x.astype(swapped), (0, 1)


def resize(x: np.ndarray, factor: float, method: str, arrangement: str) -> np.ndarray:
    """Return the image in this arrangement, resized by this factor along all axes."""
    array, axes = arrange(x, arrangement)
    return sw.resize(array, tuple(int(array.shape[axis] * factor) for axis in axes), method, axes=axes)


def by_matrices(x: np.ndarray, factor: float, method: str, arrangement: str) -> np.ndarray:
    """Return the same, computed in long double with dense matrices."""
    array, axes = arrange(x, arrangement)
    size = tuple(array.shape[axis] for axis in axes)
    plan = sw.make_plan(size, tuple(int(n * factor) for n in size), method)
    result = array.astype(np.longdouble)
    for axis, matrix in zip(axes, plan.matrices(), strict=True):
        result = np.moveaxis(np.tensordot(matrix.astype(np.longdouble), result, (1, axis)), 0, axis)
    return result


# --- floats ---------------------------------------------------------------------------------------------------------


def smallest(dtype: np.dtype) -> float:
    """The smallest number above 0."""
    return float(np.array(1, f"u{dtype.itemsize}").view(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@at_each(arrangement=ARRANGEMENTS)
def test_subnormal_numbers_stay(dtype: np.dtype, arrangement: str) -> None:
    steps = 16 * np.random.default_rng(0).integers(-7, 8, (8, 8))  # so that every weight of these plans is exact
    x = (steps * smallest(dtype)).astype(dtype)
    assert (np.abs(x[x != 0].astype(np.float64)) < float(ml_dtypes.finfo(dtype).tiny)).all()
    for factor, method in ((0.5, "area"), (2.0, "bilinear"), (2.0, "nearest")):
        result = resize(x, factor, method, arrangement).astype(np.float64) / smallest(dtype)
        exact = by_matrices(steps.astype(np.float64), factor, method, arrangement).astype(np.float64)
        np.testing.assert_array_equal(result, exact)
        assert exact.any()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@at_each(arrangement=ARRANGEMENTS)
def test_zeros_are_positive_in_sums_and_stay_where_pixels_are_picked(dtype: np.dtype, arrangement: str) -> None:
    x = np.full((8, 8), -0.0).astype(dtype)
    x[::3] = 0.0
    for factor, method in ((0.5, "area"), (2.0, "bilinear"), (2.0, "bicubic")):
        result = resize(x, factor, method, arrangement).astype(np.float64)
        assert not np.signbit(result).any()
        assert not result.any()
    picked = resize(x, 2.0, "nearest", arrangement).astype(np.float64)
    assert np.signbit(picked).any()
    assert not np.signbit(picked).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@at_each(arrangement=ARRANGEMENTS)
def test_nonfinite_values_reach_exactly_the_outputs_that_read_them(
    dtype: np.dtype, value: float, arrangement: str
) -> None:
    for factor, method in ((0.5, "lanczos3"), (0.5, "bilinear"), (2.0, "bicubic"), (2.0, "nearest")):
        for place in ((0, 0), (3, 4), (7, 7)):
            x = noise((8, 8)).astype(dtype)
            x[place] = value
            mark = np.zeros((8, 8))
            mark[place] = 1.0
            result = resize(x, factor, method, arrangement).astype(np.float64)
            reached = by_matrices(mark, factor, method, arrangement).astype(np.float64)
            np.testing.assert_array_equal(np.isfinite(result), reached == 0)
            if np.isinf(value):
                np.testing.assert_array_equal(result[reached != 0], np.copysign(np.inf, value * reached[reached != 0]))


@pytest.mark.parametrize("method", ["area", "bilinear", "bicubic", "lanczos3"])
@at_each(arrangement=ARRANGEMENTS)
def test_float16_is_infinite_only_where_the_true_result_is_too_large(method: str, arrangement: str) -> None:
    most = float(np.finfo(np.float16).max)
    x = (most * np.random.default_rng(3).choice([1.0, -1.0, 0.999], (12, 12))).astype(np.float16)
    for factor in (0.5, 2.0, 1.5):
        true = np.abs(by_matrices(x.astype(np.float64), factor, method, arrangement).astype(np.float64))
        result = resize(x, factor, method, arrangement)
        edge = most + 16  # half of the distance to the number after the largest, if there were one
        near = np.abs(true - edge) < 40 * np.finfo(np.float32).eps * edge
        np.testing.assert_array_equal(np.isinf(result)[~near], (true >= edge)[~near])
        assert near.mean() < 0.1
    if method in ("bicubic", "lanczos3"):
        assert np.isinf(resize(x, 2.0, method, arrangement)).any()


# --- integers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@at_each(arrangement=ARRANGEMENTS)
def test_the_ends_of_integers_stay(dtype: np.dtype, arrangement: str) -> None:
    ends = np.iinfo(dtype)
    for end in (ends.min, ends.max):
        x = np.full((8, 8), end, dtype)
        # Sums are float64, which holds 53 bits: those of 64 bits end up some thousands below their end.
        apart = 0 if dtype.itemsize < 8 else abs(int(end)) >> 50
        for factor, method in (
            (0.5, "area"),
            (0.375, "bilinear"),
            (2.0, "bicubic"),
            (0.5, "lanczos3"),
            (2.0, "nearest"),
        ):
            result = resize(x, factor, method, arrangement)
            worst = max(abs(int(number) - int(end)) for number in np.unique(result))
            assert worst <= (0 if method == "nearest" else apart)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@at_each(arrangement=ARRANGEMENTS)
def test_overshoots_are_clipped_to_the_range(dtype: np.dtype, arrangement: str) -> None:
    ends = np.iinfo(dtype)
    x = np.full((8, 8), ends.min, dtype)
    x[2:6, 2:6] = ends.max
    real = by_matrices(x, 2.0, "bicubic", arrangement)
    result = resize(x, 2.0, "bicubic", arrangement)
    over, under = real > int(ends.max), real < int(ends.min)
    assert (over.any() and under.any()) or arrangement == "columns"
    assert (result[over] == ends.max).all()
    assert (result[under] == ends.min).all()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@at_each(arrangement=ARRANGEMENTS)
def test_halves_are_rounded_to_even_up_to_both_ends(dtype: np.dtype, arrangement: str) -> None:
    # Sums are float64, which holds every half below 2**52: the ends of 64 bits are beyond.
    ends = np.iinfo(dtype)
    low, high = max(int(ends.min), -(2**52)), min(int(ends.max), 2**52)
    pairs = [(low, low + 1), (low + 1, low + 2), (high - 1, high), (high - 2, high - 1), (0, 1), (1, 2), (2, 3), (3, 4)]
    x = np.repeat(np.array([value for pair in pairs for value in pair], dtype=dtype)[None], 8, axis=0)
    result = resize(x, 0.5, "area", arrangement)
    expected = [round(Fraction(first + second, 2)) for first, second in pairs]
    if arrangement == "rows":
        assert result[:8, 0].tolist() == expected
    else:
        assert result.reshape(-1, *result.shape[2:])[:8].reshape(8, -1)[:, 0].tolist() == expected


# --- how NumPy is set -----------------------------------------------------------------------------------------------


def tried(variant: Variant) -> None:
    """Resizes and gradients of all that is extreme, both ways."""
    for dtype in (np.float16, np.float32, np.float64):
        ends = np.finfo(dtype)
        values = np.array([ends.max, -ends.max, ends.tiny, ends.smallest_subnormal, 0.0, 1.0], dtype)
        x = np.random.default_rng(0).choice(values, (7, 9))
        x[0, :3] = np.nan, np.inf, -np.inf
        for size in ((3, 4), (15, 20)):
            variant.grad(variant.resize(x, size), x.shape)
    for dtype in INTEGERS:
        variant.resize(noise((7, 9), dtype), (3, 4))
        variant.resize(noise((7, 9), dtype), (15, 20))


@by_dialect(variant=SOME)
def test_nothing_is_raised_where_numpy_raises_all(variant: Variant) -> None:
    sw.clear_cache()  # so that plans are built here, too
    with np.errstate(all="raise"):
        tried(variant)


def test_the_fallback_raises_nothing_where_numpy_raises_all() -> None:
    code = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np, sizewise as sw
np.seterr(all="raise")
big = np.finfo(np.float32).max
x = np.random.default_rng(0).choice(np.float32([big, -big, 1e-45, 0, 1, np.nan, np.inf, -np.inf]), (300, 300, 3))
for dtype in (np.float16, np.float32, np.float64, np.uint8, np.int64):
    with np.errstate(all="ignore"):
        image = x.astype(dtype)
    for method in ("nearest", "bilinear", "lanczos3", "area"):
        y = sw.resize(image, (100, 700), method)
        if y.dtype.kind == "f":
            sw.resize_grad(y, (300, 300), method)
print("done")
"""
    environment = {**os.environ, "SIZEWISE_ISA": "numpy"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout == "done\n", done.stderr
