"""<W x, y> = <x, W.T y>: the gradient is the exact transpose of the forward map."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import ADJOINT, sum_bound
from variants import LONG_SIZES, SIZES, VARIANTS, Variant, at_each, by_dialect, max_axes, noise

import sizewise as sw
from sizewise.testing import dot_test

# Sizes of two and three axes: both grow, both shrink, mixed, a length of 1, an axis that stays.
SIZES_2D = [((7, 5), (13, 9)), ((17, 12), (5, 7)), ((6, 19), (11, 4)), ((1, 8), (3, 1)), ((9, 4), (9, 10))]
SIZES_3D = [((4, 5, 6), (7, 3, 9)), ((5, 2, 8), (2, 2, 3))]


@by_dialect(variant=VARIANTS)
@at_each(pair=(*SIZES, *LONG_SIZES))
def test_one_axis(variant: Variant, pair: tuple[int, int]) -> None:
    n_in, n_out = pair
    dot_test(variant.plan((n_in,), (n_out,)), tolerance=ADJOINT)


@by_dialect(variant=VARIANTS)
@at_each(sizes=SIZES_2D + SIZES_3D)
def test_several_axes(variant: Variant, sizes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    plan = variant.plan(*(size[: max_axes(variant)] for size in sizes))
    dot_test(plan, tolerance=ADJOINT)
    dot_test(plan.T, tolerance=ADJOINT, seed=1)


@by_dialect(variant=VARIANTS)
@at_each(dtype=[np.float64, np.float32])
@at_each(sizes=SIZES_2D)
def test_resize_and_resize_grad(variant: Variant, sizes: tuple[tuple[int, ...], tuple[int, ...]], dtype: type) -> None:
    input_size, output_size = sizes
    x, y = noise((2, *input_size, 3), dtype), noise((2, *output_size, 3), dtype, seed=1)
    forward = variant.resize(x, output_size).astype(np.float64) * y
    backward = x * variant.grad(y, input_size).astype(np.float64)
    plan = variant.plan(input_size, output_size)
    size = np.abs(forward).sum() + np.abs(backward).sum()
    allowed = sum_bound([*plan.taps, *plan.T.taps], dtype, size)
    assert abs(forward.sum() - backward.sum()) <= allowed
    assert allowed < 1e-3 * size  # the bound means something


def test_control_a_wrong_transpose_is_seen() -> None:
    # As in TF.js: the gradient of another grid.
    plan = sw.make_plan((9, 9), (5, 5), dialect="tfjs", half_pixel_centers=True)
    other = sw.make_plan((9, 9), (5, 5), dialect="tfjs")
    broken = sw.Plan(plan.request, plan.taps)
    broken._transpose = [other.T]
    with pytest.raises(AssertionError, match="differ by"):
        dot_test(broken, tolerance=ADJOINT)
