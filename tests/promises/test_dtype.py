"""Dtypes: kept; integers are rounded half to even and clipped, float16 is summed in float32."""

from __future__ import annotations

from fractions import Fraction

import naive
import numpy as np
import pytest
from tolerances import assert_same_bits
from variants import SOME, VARIANTS, Variant, at_each, by_dialect, noise

import sizewise as sw

FLOATS = (np.float16, np.float32, np.float64)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
# Dialects that make floats of integers, except to pick them: of those up to 32 bits, and of longer ones.
MIXED = {
    **dict.fromkeys(("tfjs", "tensorflow1", "tensorflow"), (np.float32, np.float32)),
    "jax": (np.float32, np.float64),
    "skimage": (np.float64, np.float64),
}
STANDARD = [variant for variant in VARIANTS if variant.dialect == "standard"]


def name(dtype: type) -> str:
    return dtype.__name__


@by_dialect(variant=SOME)
@at_each(dtype=FLOATS)
def test_floats_are_kept(variant: Variant, dtype: type) -> None:
    x = noise((5, 6), dtype)
    assert variant.resize(x, (3, 8)).dtype == dtype
    assert variant.grad(x, (3, 8)).dtype == dtype


def mixed(variant: Variant, dtype: type) -> type:
    """Return the dtype of integer results: the same, unless the dialect mixes them as floats."""
    if variant.dialect not in MIXED or variant.method == "nearest":
        return dtype
    return MIXED[variant.dialect][np.dtype(dtype).itemsize == 8]


@by_dialect(variant=SOME)
@at_each(dtype=(*INTEGERS, np.bool_))
def test_integers_are_kept_or_become_floats(variant: Variant, dtype: type) -> None:
    x = noise((5, 6), dtype)
    assert variant.resize(x, (3, 8)).dtype == mixed(variant, dtype)
    assert variant.resize(x, (5, 6)).dtype == mixed(variant, dtype)


@pytest.mark.parametrize("dtype", (np.uint8, np.int16, np.uint16, np.int32), ids=name)
def test_area_rounds_as_exact_rationals_do(dtype: type) -> None:
    x = noise((8, 16), dtype)
    x[:2, :4] = [[1, 2, 0, 1], [2, 1, 0, 1]]  # 1.5 and 0.5: both halves, to 2 and to 0
    result = sw.resize(x, (4, 8), "area")
    blocks = x.reshape(4, 2, 8, 2)
    exact = [[round(Fraction(int(blocks[i, :, j].astype(object).sum()), 4)) for j in range(8)] for i in range(4)]
    assert result.tolist() == exact
    assert result[0, :2].tolist() == [2, 0]


@by_dialect(variant=STANDARD)
@at_each(dtype=(np.uint8, np.int8, np.uint16, np.int16))
def test_rounding_and_clipping(variant: Variant, dtype: type) -> None:
    ends = np.iinfo(dtype)
    x = np.where(noise((9, 11), np.bool_), ends.min, ends.max).astype(dtype)
    for size in [(17, 23), (4, 5)]:
        plan = variant.plan(x.shape, size)
        real = naive.resize(x, plan.matrices(), (0, 1))
        near_half = np.abs(real - np.floor(real) - 0.5) < 1e-6
        expected = np.clip(np.rint(real), ends.min, ends.max).astype(dtype)
        assert (near_half | (plan(x) == expected)).all()
        assert not near_half.all()


def test_control_some_sums_exceed_the_range() -> None:
    x = np.where(noise((9, 11), np.bool_), 0, 255).astype(np.uint8)
    real = sw.resize(x.astype(np.float64), (17, 23), "bicubic")
    assert real.min() < -1
    assert real.max() > 256


def test_bool_is_rounded_half_to_false() -> None:
    x = np.array([[True, False, True, True], [False, True, True, False]])
    assert sw.resize(x, (1, 2), "area").tolist() == [[False, True]]
    assert sw.resize(x, (2, 8), "nearest").tolist() == np.repeat(x, 2, axis=1).tolist()


@by_dialect(variant=[v for v in VARIANTS if v.method == "nearest" and not v.antialias])
@at_each(dtype=(np.int64, np.uint64))
def test_nearest_is_exact_above_2_to_53(variant: Variant, dtype: type) -> None:
    x = np.arange(35, dtype=dtype).reshape(5, 7) + dtype(2**62)
    rows, columns = (matrix.argmax(axis=1) for matrix in variant.plan((5, 7), (8, 4)).matrices())
    expected = x[np.ix_(rows, columns)]
    assert_same_bits(variant.resize(x, (8, 4)), expected)
    assert (expected.astype(np.float64).astype(dtype) != expected).any()  # float64 would have lost them


@by_dialect(variant=SOME)
def test_float16_is_summed_in_wider_floats(variant: Variant) -> None:
    x = noise((2, 33, 29, 3), np.float16)
    sums = variant.plan((33, 29), (5, 50)).arithmetic(np.dtype(np.float16)).accumulate
    assert sums.itemsize >= 4
    expected = variant.resize(x.astype(sums), (5, 50)).astype(np.float16)
    assert_same_bits(variant.resize(x, (5, 50)), expected)


def test_control_float16_sums_would_lose_pixels() -> None:
    x = np.ones((1, 4096), np.float16)
    assert sw.resize(x, (1, 1), "area") == 1
    total = np.float16(0)
    for value in x[0]:
        total += value
    assert total == 2048  # where 2048 + 1 is 2048 again


@by_dialect(variant=SOME)
def test_a_float16_that_overflows_is_infinite(variant: Variant) -> None:
    x = np.full((4, 4), np.finfo(np.float16).max, np.float16)
    x[::2] *= -1
    with np.errstate(all="raise"):
        result = variant.resize(x, (9, 9))
    assert result.dtype == np.float16


def test_lists_are_float64_or_integers() -> None:
    assert sw.resize([[0.0, 1.0]], (1, 4)).dtype == np.float64
    assert sw.resize([[0, 4]], (1, 4)).tolist() == [[0, 1, 3, 4]]
