"""A constant image stays that constant, at any size and in any dtype, up to the ends of each integer range."""

from __future__ import annotations

import numpy as np
import variants
from tolerances import assert_close
from variants import LONG_SIZES, SOME, Variant, at_each, by_dialect, row_sums

import sizewise as sw

SIZES = [((5, 7), (9, 3)), ((31, 4), (2, 37)), ((6, 6), (6, 6)), ((1, 11), (4, 1))]
INTEGERS = (np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


def off(variant: Variant, input_size: tuple[int, int], output_size: tuple[int, int]) -> float:
    """By how much a constant of 1 may change."""
    ends = [row_sums(variant, *pair) for pair in zip(input_size, output_size, strict=True)]
    return max(greatest - least for least, greatest in ends)


@by_dialect(variant=SOME)
@at_each(dtype=[np.float16, np.float32, np.float64])
@at_each(sizes=SIZES)
def test_floats(variant: Variant, sizes: tuple[tuple[int, int], tuple[int, int]], dtype: type) -> None:
    plan = variant.plan(*sizes)
    for value in (0.0, 1.0, -3.25, 1000.5):
        result = plan(np.full(sizes[0], value, dtype))
        expected = np.full(sizes[1], value)
        if off(variant, *sizes):  # float64 shows it
            expected = np.multiply.outer(*(taps.weights.sum(axis=1) for taps in plan.taps)) * value
            assert np.abs(expected - value).max() <= off(variant, *sizes) * abs(value)
        assert_close(result, expected, plan.taps, abs(value))


def extremes(dtype: type) -> list[int]:
    return sorted({int(np.iinfo(dtype).min), 0, 1, int(np.iinfo(dtype).max)})


@by_dialect(variant=SOME)
@at_each(dtype=INTEGERS)
def test_integers(variant: Variant, dtype: type) -> None:
    for input_size, output_size in SIZES:
        plan = variant.plan(input_size, output_size)
        for value in extremes(dtype):
            result = plan(np.full(input_size, value, dtype))
            expected = np.full(output_size, value, dtype)
            if result.dtype.kind == "f":
                assert_close(result, expected.astype(np.float64), plan.taps, abs(float(value)))
            elif (
                result.dtype.itemsize == 8 and not plan.is_selection
            ):  # through float64: close, and never wrapped around
                assert_close(result.astype(np.float64), expected.astype(np.float64), plan.taps, abs(float(value)))
            else:
                assert result.dtype == dtype
                assert (result == expected).all(), value


@by_dialect(variant=SOME)
@at_each(any_pair=(*variants.SIZES, *LONG_SIZES))
def test_long_axis(variant: Variant, any_pair: tuple[int, int]) -> None:
    plan = variant.plan((any_pair[0],), (any_pair[1],))
    least, greatest = row_sums(variant, *any_pair)
    if least < 1:
        result = plan(np.full(any_pair[0], 0.1))
        assert (least * 0.1 - 1e-15 <= result).all()
        assert (result <= greatest * 0.1 + 1e-15).all()
        assert (plan(np.full(any_pair[0], 255, np.uint8)) >= 254).all()
        return
    assert_close(plan(np.full(any_pair[0], 0.1)), np.full(any_pair[1], 0.1), plan.taps, 0.1)
    if plan.arithmetic(np.dtype(np.uint8)).result == np.uint8:
        assert (plan(np.full(any_pair[0], 255, np.uint8)) == 255).all()


def test_control_truncating_instead_of_rounding_would_lose_255() -> None:
    result = sw.resize(np.full((31, 37), 255.0), (17, 19), "lanczos3")
    assert (np.floor(result) != 255).any()
    assert (np.rint(result) == 255).all()
