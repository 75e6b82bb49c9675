"""The transpose is the transpose: of the taps exactly, of plans as objects, and of resize in resize_grad."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from samples import sample
from tolerances import assert_close, assert_same_bits
from variants import LONG_SIZES, SIZES, VARIANTS, Variant, at_each, by_dialect, noise

import sizewise as sw


@by_dialect(variant=VARIANTS)
@at_each(pair=SIZES)
def test_dense_matrices(variant: Variant, pair: tuple[int, int]) -> None:
    taps = variant.plan((pair[0],), (pair[1],)).taps[0]
    assert_same_bits(taps.T.dense(), taps.dense().T)


def test_entries_of_long_axes(representative: Variant) -> None:
    for n_in, n_out in sample(LONG_SIZES[::2], 2, representative):
        taps = representative.plan((n_in,), (n_out,)).taps[0]
        flipped = [(row, column, weight) for column, row, weight in naive.entries(taps.T)]
        assert sorted(flipped) == list(naive.entries(taps))


@by_dialect(variant=VARIANTS)
@at_each(pair=(*SIZES, *LONG_SIZES))
def test_twice_is_the_object_itself(variant: Variant, pair: tuple[int, int]) -> None:
    plan = variant.plan((pair[0],), (pair[1],))
    taps = plan.taps[0]
    assert plan.T.T is plan
    assert taps.T.T is taps
    assert plan.T.taps[0] is taps.T
    assert plan.T.input_size == plan.output_size
    assert plan.T.output_size == plan.input_size


@by_dialect(variant=VARIANTS)
def test_resize_grad_is_the_transposed_plan(variant: Variant) -> None:
    dy = noise((2, 5, 9, 3))
    plan = variant.plan((8, 4), (5, 9))
    gradient = variant.grad(dy, (8, 4))
    assert_same_bits(gradient, plan.T(dy))
    expected = naive.resize(dy, [matrix.T for matrix in plan.matrices()], (1, 2))
    assert_close(gradient, expected, plan.T.taps, float(np.abs(dy).max()))


@by_dialect(variant=VARIANTS)
def test_coverage_is_the_gradient_of_the_sum(variant: Variant) -> None:
    plan = variant.plan((8, 4), (5, 9))
    assert_close(plan.coverage(), plan.T(np.ones((5, 9))), plan.T.taps, 1.0)


@by_dialect(variant=VARIANTS)
def test_products_are_those_of_the_matrices(variant: Variant) -> None:
    for n_in, n, n_out in [(9, 4, 7), (4, 9, 2), (5, 5, 5), (40, 13, 3), (1, 6, 2)]:
        first, second = variant.plan((n_in,), (n,)).taps[0], variant.plan((n,), (n_out,)).taps[0]
        product = second @ first
        assert np.abs(product.dense() - second.dense() @ first.dense()).max() <= 1e-14
        assert np.abs(product.T.dense() - (first.T @ second.T).dense()).max() <= 1e-14


def test_products_of_other_lengths_are_rejected() -> None:
    taps = sw.make_plan((6,), (5,)).taps[0]
    with pytest.raises(sw.errors.ArgumentError, match="6 inputs"):
        taps @ taps


def test_control_the_forward_matrix_is_not_symmetric() -> None:
    matrix = sw.make_plan((6,), (6,), "bilinear", dialect="tfjs").matrices()[0]
    assert (matrix == matrix.T).all()
    other = sw.make_plan((6,), (5,), "bilinear", dialect="tfjs").matrices()[0][:, :5]
    assert (other != other.T).any()
