"""Dialect "pillow" against the real Pillow: the same pixel for nearest, the same floats, the same uint8."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from frameworks import INDEX_LIMIT, LARGE, image, pairs, picks_exactly, resize_with, sizes, some_lengths

import sizewise as sw
from sizewise import parity
from sizewise.testing import assert_same_pixels

METHODS = tuple(sw.dialects.get("pillow").methods)
MIXING = tuple(method for method in METHODS if method != "nearest")
REFERENCE = parity.of("pillow")


def test_nearest_picks_the_same_pixel_for_every_length() -> None:
    lengths = range(1, INDEX_LIMIT + 1)
    exact = sum(picks_exactly("pillow", "nearest", n_in, lengths, centred=True) for n_in in lengths)
    assert exact < INDEX_LIMIT  # exact arithmetic picks other pixels: the added-up step is seen


def test_nearest_picks_the_same_pixel_for_longer_ones() -> None:
    for n_in, lengths in some_lengths(INDEX_LIMIT, 4000, 100):
        picks_exactly("pillow", "nearest", n_in, lengths, centred=True)


@pytest.mark.parametrize("method", METHODS)
def test_floats(method: str) -> None:
    for input_size, output_size in [*pairs(24), *LARGE]:
        x = np.random.default_rng([*input_size]).standard_normal((*input_size, 1)).astype(np.float32)
        ours = sw.resize(x, output_size, method, dialect="pillow")
        theirs = resize_with("pillow", x, output_size, method)
        try:
            assert_same_pixels(ours, theirs, ulp=REFERENCE.ulp[method])
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
        assert_same_pixels(ours, resize_with("pillow", x, output_size, method))
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
        columns = resize_with("pillow", np.eye(n_in, dtype=np.float32)[:, :, None], (n_out, n_in), method)[:, :, 0]
        dy = np.random.default_rng(n_in).standard_normal(n_out)
        gradient = sw.resize_grad(dy, (n_in,), method, dialect="pillow")
        assert np.abs(gradient - columns.T.astype(np.float64) @ dy).max() <= 1e-6
        sw.testing.dot_test(sw.make_plan((n_in,), (n_out,), method, dialect="pillow"))


def test_control_another_dialect_is_seen() -> None:
    x = image((20, 30), 1).astype(np.float32)
    with pytest.raises(AssertionError, match="pixels differ"):
        shared = sw.resize(x, (8, 12), "box")  # a pixel on the border counts half on either side, in Pillow on one
        assert_same_pixels(shared, resize_with("pillow", x, (8, 12), "box"), ulp=2)
