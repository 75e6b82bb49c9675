"""The checks that users and these tests rely on do fail where they must."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_close, assert_same_bits, sum_bound
from variants import EVERY as VARIANTS

import sizewise as sw
from sizewise.testing import assert_same_pixels, dot_test


def test_variants_are_found_by_looking() -> None:
    assert {variant.dialect for variant in VARIANTS} == set(sw.dialects.names())
    assert len({str(variant) for variant in VARIANTS}) == len(VARIANTS)
    for name in sw.dialects.names():
        methods = {variant.method for variant in VARIANTS if variant.dialect == name}
        assert methods == set(sw.dialects.get(name).methods)


def test_dot_test_returns_the_difference_and_raises_above_the_tolerance() -> None:
    plan = sw.make_plan((16, 9), (4, 11), "lanczos3")
    difference = dot_test(plan)
    assert 0 <= difference <= 1e-12
    broken = sw.Plan(plan.request, plan.taps)
    scaled = tuple(sw.Taps(taps.n_in, taps.start, taps.weights * (1 + 1e-6)) for taps in plan.T.taps)
    broken._transpose = [sw.Plan(plan.request, scaled, transposed=True)]
    with pytest.raises(AssertionError, match="differ by"):
        dot_test(broken)


@pytest.mark.parametrize(
    ("actual", "expected", "message"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2)), "shape"),
        (np.zeros(2, np.float32), np.zeros(2), "dtype"),
        (np.int64([2**60]), np.int64([2**60 + 1]), "1 of 1 pixels differ"),
        (np.float32([1, 2]), np.float32([1, 2.0000002]), "1 of 2 pixels differ"),
        (np.uint8([1]), np.uint8([2]), "first at \\(0,\\): 1, expected 2"),
        (np.float64([np.nan, 1]), np.float64([1, 1]), "differ"),
        (np.float64([np.inf]), np.float64([-np.inf]), "differ"),
        (np.float64([1]), np.float64([np.nan]), "differ"),
    ],
)
def test_assert_same_pixels_raises(actual: np.ndarray, expected: np.ndarray, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        assert_same_pixels(actual, expected)


def test_assert_same_pixels_allows_ulps_and_equal_nans() -> None:
    one = np.float32(1)
    assert_same_pixels(np.float32([np.nan, np.inf, 1]), np.float32([np.nan, np.inf, 1]))
    assert_same_pixels(np.nextafter([one], np.float32(2)), np.array([one]), ulp=1)
    with pytest.raises(AssertionError, match="differ"):
        assert_same_pixels(np.float32([1.000001]), np.array([one]), ulp=1)
    with pytest.raises(AssertionError, match="differ"):
        assert_same_pixels(np.uint8([1]), np.uint8([2]), ulp=100)


def test_assert_close_raises_just_above_its_bound() -> None:
    taps = sw.make_plan((9,), (5,)).taps
    bound = sum_bound(taps, np.float64, 1.0)
    assert bound < 1e-14
    assert_close(np.full(5, 0.5 * bound), np.zeros(5), taps, 1.0)
    for wrong in (np.full(5, 2 * bound), np.full(5, np.nan), np.zeros(4)):
        with pytest.raises(AssertionError):
            assert_close(wrong, np.zeros(5), taps, 1.0)


def test_assert_same_bits_raises_for_one_bit() -> None:
    assert_same_bits(np.float64([np.nan, -0.0]), np.float64([np.nan, -0.0]))
    for other in (np.float64([0.0]), np.float32([-0.0]), np.float64([-0.0, 0.0])):
        with pytest.raises(AssertionError):
            assert_same_bits(np.float64([-0.0]), other)
