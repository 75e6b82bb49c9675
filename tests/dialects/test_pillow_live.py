"""Dialect "pillow" against the real Pillow: the same pixel for nearest, the same floats, the same uint8."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from frameworks import LARGE, image, pairs, resize_with_pillow, sizes

import sizewise as sw
from sizewise.testing import assert_same_pixels

METHODS = tuple(sw.dialects.get("pillow").methods)
MIXING = tuple(method for method in METHODS if method != "nearest")

# How far floats may be from Pillow's mode F, in units in the last place of the largest value. In passes as Pillow's,
# rounded to float32 between them, they are equal (test_fixed_point); summed in one go they are this close.
ULP = 2
INDEX_LIMIT = 256


def assert_nearest(n_in: int, lengths: range | list[int]) -> bool:
    """Asserts the same pixel for every length; returns whether exact arithmetic would have picked it too."""
    plan = sw.make_plan((n_in,) * len(lengths), lengths, "nearest", dialect="pillow")
    row = np.arange(n_in, dtype=np.int32).reshape(1, n_in, 1)
    theirs = [resize_with_pillow(row, (1, n_out), "nearest").ravel() for n_out in lengths]
    for taps, index, n_out in zip(plan.taps, theirs, lengths, strict=True):
        assert (taps.start == index).all(), (n_in, n_out)
    exact = [(2 * np.arange(n_out) + 1) * n_in // (2 * n_out) for n_out in lengths]
    return bool((np.concatenate(exact) == np.concatenate(theirs)).all())


def test_nearest_picks_the_same_pixel_for_every_length() -> None:
    exact = sum(assert_nearest(n_in, range(1, INDEX_LIMIT + 1)) for n_in in range(1, INDEX_LIMIT + 1))
    assert exact < INDEX_LIMIT  # exact arithmetic picks other pixels: the added-up step is seen


def test_nearest_picks_the_same_pixel_for_longer_ones() -> None:
    random = np.random.default_rng(0)
    for n_in in random.integers(INDEX_LIMIT, 1025, 100).tolist():
        assert_nearest(n_in, random.integers(1, 1025, 20).tolist())


@pytest.mark.parametrize("method", METHODS)
def test_floats(method: str) -> None:
    for input_size, output_size in [*pairs(24), *LARGE]:
        x = np.random.default_rng([*input_size]).standard_normal((*input_size, 1)).astype(np.float32)
        ours = sw.resize(x, output_size, method, dialect="pillow")
        theirs = resize_with_pillow(x, output_size, method)
        try:
            assert_same_pixels(ours, theirs, ulp=0 if method == "nearest" else ULP)
        except AssertionError as difference:
            raise AssertionError(f"{input_size} -> {output_size}: {difference}") from None


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("method", METHODS)
def test_whole_numbers(method: str, channels: int) -> None:
    """The taps and the arithmetic that the dialect states, in obvious loops: uint8 bit for bit."""
    orders = set()
    for seed, (input_size, output_size) in enumerate(sizes(40, 40, seed=channels)):
        x = image(input_size, channels, seed)
        plan = sw.make_plan(input_size, output_size, method, dialect="pillow")
        ours = naive.resize_in_passes(x, plan, (0, 1))
        assert_same_pixels(ours, resize_with_pillow(x, output_size, method))
        orders.add(plan.arithmetic(x.dtype).order)
    assert orders == ({None} if method == "nearest" else {(0, 1), (1, 0)})


@pytest.mark.parametrize("method", MIXING)
def test_control_the_order_of_the_passes_is_seen(method: str) -> None:
    differing = 0
    for seed, (input_size, output_size) in enumerate(sizes(20, 40)):
        x = image(input_size, 1, seed)
        plan = sw.make_plan(input_size, output_size, method, dialect="pillow")
        right = plan.arithmetic(x.dtype)
        wrong = replace(right, order=right.order[::-1])
        differing += bool(
            (naive.resize_in_passes(x, plan, (0, 1), wrong) != naive.resize_in_passes(x, plan, (0, 1))).any()
        )
    assert differing > 0


@pytest.mark.parametrize("method", MIXING)
def test_gradient_is_that_of_pillows_pixels(method: str) -> None:
    """Differences of Pillow's own pixels: it is linear in mode F, so that one step along each pixel is the gradient."""
    for (n_in, _), (n_out, _) in [((7, 1), (4, 1)), ((5, 1), (13, 1)), ((24, 1), (5, 1))]:
        columns = resize_with_pillow(np.eye(n_in, dtype=np.float32)[:, :, None], (n_out, n_in), method)[:, :, 0]
        dy = np.random.default_rng(n_in).standard_normal(n_out)
        gradient = sw.resize_grad(dy, (n_in,), method, dialect="pillow")
        assert np.abs(gradient - columns.T.astype(np.float64) @ dy).max() <= 1e-6
        sw.testing.dot_test(sw.make_plan((n_in,), (n_out,), method, dialect="pillow"))


def test_control_another_dialect_is_seen() -> None:
    x = image((20, 30), 1).astype(np.float32)
    with pytest.raises(AssertionError, match="pixels differ"):
        shared = sw.resize(x, (8, 12), "box")  # a pixel on the border counts half on either side, in Pillow on one
        assert_same_pixels(shared, resize_with_pillow(x, (8, 12), "box"), ulp=ULP)
