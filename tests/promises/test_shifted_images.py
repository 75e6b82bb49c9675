"""Images placed elsewhere in the output: outputs outside the image are 0, and all the rest holds as ever."""

from __future__ import annotations

import pickle

import naive
import numpy as np
import pytest
from tolerances import ADJOINT, assert_close, assert_same_bits
from variants import PLACED, Variant, at_each, by_dialect, noise

import sizewise as sw
from sizewise.testing import dot_test

SIZES = [((9, 14), (23, 5)), ((7, 7), (7, 7)), ((1, 6), (5, 1)), ((30, 4), (8, 40))]
# Partly outside, at either end, each axis elsewhere; far outside along one axis; and along both.
PLACES = [{"translation": -1.5}, {"translation": (3.25, -2)}, {"translation": (1000, 0.5)}, {"translation": -1000}]


@by_dialect(variant=PLACED)
def test_the_transpose_is_the_transpose(variant: Variant) -> None:
    for sizes in SIZES:
        for arguments in PLACES:
            for scale in (None, (0.4, 1.7)):
                plan = variant.plan(*sizes, scale=scale, **arguments)
                dot_test(plan, tolerance=ADJOINT)
                for taps in plan.taps:
                    assert_same_bits(taps.T.dense(), taps.dense().T)
                    assert taps.T.T is taps
                assert pickle.loads(pickle.dumps(plan)) is plan


@by_dialect(variant=PLACED)
@at_each(dtype=[np.float64, np.float32, np.float16])
def test_pixels_are_the_sums_of_the_taps(variant: Variant, dtype: type) -> None:
    for sizes in SIZES:
        for arguments in PLACES:
            plan, x = variant.plan(*sizes, **arguments), noise((*sizes[0], 3), dtype)
            seen = plan.for_dtype(x.dtype)
            assert_close(plan(x), naive.resize(x, seen.matrices(), (0, 1)), seen.taps, float(np.abs(x).max()))
            dy = noise((*sizes[1], 3), dtype)
            expected = naive.resize(dy, [matrix.T for matrix in seen.matrices()], (0, 1))
            assert_close(plan.T(dy), expected, seen.T.taps, float(np.abs(dy).max()))


@by_dialect(variant=PLACED)
def test_outputs_outside_the_image_are_0_whatever_it_holds(variant: Variant) -> None:
    plan = variant.plan((9, 14), (23, 5), translation=(30, 0), scale=1)
    x = np.full((9, 14), np.nan)
    assert (plan(x) == 0).all()
    assert (plan.T(np.full((23, 5), np.nan)) == 0).all()
    partly = variant.plan((9, 14), (23, 5), translation=(8, 0), scale=1)
    empty = partly.taps[0].count == 0
    assert 0 < empty.sum() < 23
    assert (partly(x)[empty] == 0).all()
    assert np.isnan(partly(x)[~empty]).all()
    assert (partly(np.full((9, 14), 255, np.uint8))[empty] == 0).all()


@by_dialect(variant=PLACED)
def test_rows_inside_the_image_sum_to_one(variant: Variant) -> None:
    for taps in variant.plan((30, 4), (8, 40), translation=(3.25, -2)).taps:
        sums = taps.weights.sum(axis=1)
        assert (np.abs(sums[taps.count > 0] - 1) < 1e-12).all()
        assert (sums[taps.count == 0] == 0).all()


@by_dialect(variant=PLACED)
def test_translations_follow_their_axes(variant: Variant) -> None:
    x = noise((4, 9, 14))
    arguments = {**variant.arguments, "scale": (2, 0.5)}
    ahead = sw.resize(x, (7, 6), axes=(1, 2), **{**arguments, "translation": (1.5, -0.5)})
    back = sw.resize(x, (6, 7), axes=(2, 1), **{**arguments, "translation": (-0.5, 1.5), "scale": (0.5, 2)})
    assert_same_bits(ahead, back)
    other = sw.resize(x, (7, 6), axes=(1, 2), **{**arguments, "translation": (-0.5, 1.5)})
    assert (other != ahead).any()
    gradient = sw.resize_grad(ahead, (9, 14), axes=(1, 2), **{**arguments, "translation": (1.5, -0.5)})
    turned = {**arguments, "translation": (-0.5, 1.5), "scale": (0.5, 2)}
    assert_same_bits(gradient, sw.resize_grad(ahead, (14, 9), axes=(2, 1), **turned))
    assert np.vdot(ahead, ahead) == pytest.approx(np.vdot(x, gradient), rel=1e-12)


@by_dialect(variant=PLACED)
def test_moving_by_a_pixel_moves_the_pixels(variant: Variant) -> None:
    x = noise((9, 14))
    still, moved = (variant.plan((9, 14), (9, 14), translation=t)(x) for t in (0, (1, 2)))
    if variant.method == "cubic-pytorch" and not variant.antialias:  # repeats the edge where others are 0
        assert_same_bits(moved[1:, 2:], still[:-1, :-2])
        return
    inside = np.abs(moved[4:-4, 6:-4] - still[3:-5, 4:-6]).max()
    assert inside <= 1e-6
    assert (moved[0] == 0).all()
    assert (moved[:, :2] == 0).all()


@pytest.mark.parametrize("given", [float("nan"), "1", True, (1, None), [[1, 2]], {1: 2}], ids=str)
def test_invalid_translations_are_rejected(given: object) -> None:
    for dialect in ("tensorflow", "jax"):
        with pytest.raises(sw.errors.ArgumentError, match="translation"):
            sw.make_plan((4, 4), (2, 2), dialect=dialect, translation=given)
