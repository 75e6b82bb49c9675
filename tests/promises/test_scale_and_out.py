"""`scale` is the other way to say `size`; `out` receives the result and is returned."""

from __future__ import annotations

import numpy as np
from tolerances import ADJOINT, assert_same_bits
from variants import SCALED, VARIANTS, Variant, at_each, by_dialect, noise

import sizewise as sw

# Lengths that are whole as they are, and such that each dialect rounds by its own rule.
WHOLE = [(2, (16, 12)), (np.float32(0.5), (4, 3)), ((1.5, 0.5), (12, 3)), ([1, 3], (8, 18)), ((0.25, 1.5), (2, 9))]
ROUNDED = [((1.5, 0.34), (12, 2)), (np.float32(0.25), (2, 2)), (1e-1, (1, 1))]
# These divide coordinates by the scale they are given, which is not the ratio of the sizes where lengths are rounded.
BY_THE_SCALE_ITSELF = ("matlab", "onnx", "onnx-reference", "opencv", "opencv@4", "paddle", "torch")


def assert_scale_is_size(variant: Variant, scale: object, size: tuple[int, int]) -> None:
    x = noise((8, 6, 3))
    result = variant.resize(x, scale=scale)
    assert result.shape == (*size, 3)
    assert_same_bits(result, variant.resize(x, size))
    assert_same_bits(variant.grad(result, (8, 6), scale=scale), variant.grad(result, (8, 6)))


@by_dialect(variant=SCALED)
@at_each(scale_and_size=WHOLE)
def test_scale_gives_the_size_it_makes(variant: Variant, scale_and_size: tuple[object, tuple[int, int]]) -> None:
    assert_scale_is_size(variant, *scale_and_size)


@by_dialect(variant=[v for v in SCALED if v.dialect not in BY_THE_SCALE_ITSELF])
@at_each(scale_and_size=ROUNDED)
def test_scale_gives_the_size_it_rounds_to(variant: Variant, scale_and_size: tuple[object, tuple[int, int]]) -> None:
    assert_scale_is_size(variant, *scale_and_size)


@by_dialect(variant=[v for v in SCALED if v.dialect in BY_THE_SCALE_ITSELF])
def test_a_scale_that_is_not_the_ratio_has_its_own_gradient(variant: Variant) -> None:
    plan = sw.make_plan((8, 6), scale=(1.45, 0.7), **variant.arguments)
    assert plan.output_size == tuple(sw.dialects.get(variant.dialect).length(*pair) for pair in [(8, 1.45), (6, 0.7)])
    sw.testing.dot_test(plan, tolerance=ADJOINT)


def test_a_plan_records_the_scale_it_was_given_and_the_one_it_uses() -> None:
    plan = sw.make_plan((8, 6), scale=0.7)
    assert plan.output_size == (6, 4)
    assert plan.scale == (6 / 8, 4 / 6)
    assert plan.request.scale == (0.7, 0.7)
    assert sw.make_plan((8, 6), (6, 4)).scale == (6 / 8, 4 / 6)
    assert plan is sw.make_plan((8, 6), scale=(0.7, 0.7))
    assert plan is not sw.make_plan((8, 6), (6, 4))


@by_dialect(variant=VARIANTS)
@at_each(dtype=[np.float16, np.float32, np.float64])
def test_out_is_filled_and_returned(variant: Variant, dtype: type) -> None:
    x = noise((8, 6, 3), dtype)
    for size in [(5, 9), (8, 6)]:
        expected = variant.resize(x, size)
        out = np.full(expected.shape, np.nan, dtype)
        assert variant.resize(x, size, out=out) is out
        assert_same_bits(out, expected)
        gradient = np.full(x.shape, np.nan, dtype)
        assert variant.grad(expected, (8, 6), out=gradient) is gradient
        assert_same_bits(gradient, variant.grad(expected, (8, 6)))


def test_out_of_a_plan() -> None:
    plan = sw.make_plan((8, 6), (5, 9))
    x, out = noise((8, 6)), np.empty((5, 9))
    assert plan.apply(x, out=out) is out
    assert_same_bits(out, plan(x))


def test_out_may_lie_between_the_pixels_of_the_input() -> None:
    both = noise((8, 12))
    x, out = both[:, ::2], both[:5, 1::2]
    expected = sw.resize(x.copy(), (5, 6))
    sw.resize(x, (5, 6), out=out)
    assert_same_bits(out.copy(), expected)
