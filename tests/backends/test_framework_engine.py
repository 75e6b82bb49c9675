"""The framework engine by NumPy's own ops: the results of the kernels, for every variant, dtype and direction."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from samples import sample
from tolerances import assert_same_bits
from variants import ALL, Variant, max_axes, noise

import sizewise as sw
from sizewise.errors import ArgumentError, UnsupportedError

SIZES = (((9, 7), (5, 16)), ((40, 5), (3, 5)))
FLOATS = tuple(map(np.dtype, ("float64", "float32", "float16", ml_dtypes.bfloat16)))
WHOLE = tuple(map(np.dtype, ("uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "uint64", "bool")))


def numbers(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return noise(shape).astype(dtype) if dtype.name == "bfloat16" else noise(shape, dtype)


def assert_near(actual: np.ndarray, expected: np.ndarray, x: np.ndarray) -> None:
    """Asserts that real numbers agree within 4 ULP of the largest of x, and are infinite or none in the same places."""
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    one, other, given = (array.astype(np.float64) for array in (actual, expected, x))
    finite = np.isfinite(other)
    assert_same_bits(np.where(finite, 0.0, np.abs(one)), np.where(finite, 0.0, np.abs(other)))
    largest = np.abs(given[np.isfinite(given)]).max(initial=0.0)
    allowed = 4 * float(ml_dtypes.finfo(expected.dtype).eps) * largest
    assert np.abs(one[finite] - other[finite]).max(initial=0.0) <= allowed


def assert_engines_agree(plan: sw.Plan, x: np.ndarray, axes: tuple[int, ...]) -> None:
    expected, actual = (plan.apply(x, axes, engine=engine) for engine in ("kernel", "framework"))
    if expected.dtype.kind in "biu":
        assert_same_bits(actual, expected)
    else:
        assert_near(actual, expected, x)
    assert not np.may_share_memory(actual, x)


@pytest.mark.parametrize("variant", ALL, ids=str)
def test_every_variant(variant: Variant) -> None:
    for sizes in sample(SIZES, 2, variant):
        plan = variant.plan(*sizes)
        for dtype in FLOATS:
            for one in (plan, plan.T):
                x = numbers((2, *one.input_size, 3), dtype)
                assert_engines_agree(one, x, (1, 2))
                x[0, 1, 1, 0], x[1, 2, 0, 1], x[1, -1, -1, 2] = np.nan, np.inf, -np.inf
                assert_engines_agree(one, x, (1, 2))
        for dtype in WHOLE:
            if plan.arithmetic(dtype).two_pass is None:
                assert_engines_agree(plan, numbers((2, *plan.input_size, 3), dtype), (1, 2))


def test_other_axes(variant: Variant) -> None:
    for dtype in (np.float32, np.uint8):
        assert_engines_agree(variant.plan((31,), (12,)), noise((31,), dtype), (0,))
        assert_engines_agree(variant.plan((97,), (2,)), noise((2, 97), dtype), (1,))
        if max_axes(variant) >= 3:
            assert_engines_agree(variant.plan((6, 9, 7), (9, 4, 8)), noise((6, 2, 9, 7), dtype), (0, 2, 3))


def test_an_axis_of_many_taps_may_differ_in_the_last_bits_only() -> None:
    plan, x = sw.make_plan((5000,), (3,), "lanczos3"), noise((5000,), np.float32)
    assert plan.taps[0].width > 3000
    assert_engines_agree(plan, x, (0,))


@pytest.mark.parametrize("method", ["linear", "cubic", "area"])
def test_what_only_the_kernels_do_is_refused(method: str) -> None:
    x = noise((8, 8, 3), np.uint8)
    with pytest.raises(UnsupportedError, match="step by step, which only the kernels do"):
        sw.resize(x, (4, 4), method, dialect="opencv", engine="framework")


def test_a_value_outside_is_rounded_as_the_kernels_do() -> None:
    crop = {"dialect": "onnx", "coordinate_transformation_mode": "tf_crop_and_resize", "roi": (0.5, 1.5)}
    for value in (7.5, 6.5, -3.0, 300.0):
        plan = sw.make_plan((9,), (9,), "linear", extrapolation_value=value, **crop)
        assert_engines_agree(plan, noise((9,), np.uint8), (0,))
    everything = sw.make_plan((9,), (4,), "linear", **{**crop, "roi": (3.0, 4.0)}, extrapolation_value=2.0)
    assert_engines_agree(everything, noise((9,), np.float32), (0,))


def test_out_is_refused() -> None:
    with pytest.raises(ArgumentError, match="out cannot be used with the framework engine"):
        sw.resize(np.ones((4, 4)), (2, 2), out=np.empty((2, 2)), engine="framework")


def test_control_a_dense_matrix_spreads_what_is_not_finite() -> None:
    plan, x = sw.make_plan((9,), (5,)), noise((9,))
    x[0] = np.inf
    with np.errstate(invalid="ignore"):
        dense = plan.matrices()[0] @ x
    with pytest.raises(AssertionError):
        assert_near(dense, plan(x), x)


def test_control_an_error_of_five_ulp_is_seen() -> None:
    x = np.ones(9, np.float32)
    with pytest.raises(AssertionError):
        assert_near(x + np.float32(5 * 2.0**-23), x, x)
