"""Dialects "pillow" and "pillow@12" against the real Pillow, each release in a separate environment."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import naive
import numpy as np
import pytest
import torch
from frameworks import (
    INDEX_LENGTHS,
    INDEX_LIMIT,
    INPUT_LENGTHS,
    assert_within,
    image,
    large,
    older,
    pairs,
    picks_exactly,
    resize_with,
    sizes,
    some_lengths,
)
from PIL import Image
from samples import ALL, sample

import sizewise as sw
from sizewise.parity import reference, subprocess_worker
from sizewise.testing import assert_same_pixels

METHODS = tuple(sw.dialects.get("pillow").methods)
MIXING = tuple(method for method in METHODS if method != "nearest")
REFERENCE = reference.of("pillow")
GAP_ULP = 1  # of the largest value

OLDER = tuple(sw.dialects.get("pillow@12").methods)
# More than 100 times as high as wide, for which Pillow 12 has another pass order; and just below.
TALL = [((301, 3), (70, 2)), ((301, 2), (70, 9)), ((450, 4), (33, 3)), ((300, 3), (70, 2)), ((301, 3), (400, 2))]


def test_nearest_reads_the_same_pixel_for_every_length() -> None:
    exact = sum(picks_exactly("pillow", "nearest", n_in, INDEX_LENGTHS, centered=True) for n_in in INPUT_LENGTHS)
    assert exact < len(INPUT_LENGTHS)  # exact arithmetic reads other pixels: the accumulated step matters


def test_nearest_reads_the_same_pixel_for_long_axes() -> None:
    for n_in, lengths in some_lengths(INDEX_LIMIT, 4000, 100):
        picks_exactly("pillow", "nearest", n_in, lengths, centered=True)


@pytest.mark.parametrize("method", METHODS)
def test_floats(method: str) -> None:
    for input_size, output_size in [*pairs(24, method), *large(method)]:
        x = np.random.default_rng([*input_size]).standard_normal((*input_size, 1)).astype(np.float32)
        ours = sw.resize(x, output_size, method, dialect="pillow")
        theirs = resize_with("pillow", x, output_size, method)
        try:
            assert_same_pixels(ours, theirs, ulp=REFERENCE.ulp[method])
        except AssertionError as difference:
            raise AssertionError(f"{input_size} -> {output_size}: {difference}") from None


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("method", METHODS)
def test_integers(method: str, channels: int) -> None:
    """The taps and arithmetic of the dialect, in plain loops: uint8 bit for bit."""
    orders = set()
    for seed, (input_size, output_size) in enumerate(sizes(40, 40, seed=channels)):
        x = image(input_size, channels, seed)
        plan = sw.make_plan(input_size, output_size, method, dialect="pillow")
        ours = naive.resize_in_passes(x, plan, (0, 1))
        assert_same_pixels(ours, resize_with("pillow", x, output_size, method))
        orders.add(plan.arithmetic(x.dtype).order)
    assert orders == ({None} if method == "nearest" else {(0, 1), (1, 0)})


@pytest.mark.parametrize("method", MIXING)
def test_control_order_of_the_passes_matters(method: str) -> None:
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
    """Pillow is linear in mode F, so a step along each pixel gives the gradient."""
    for (n_in, _), (n_out, _) in [((7, 1), (4, 1)), ((5, 1), (13, 1)), ((24, 1), (5, 1))]:
        columns = resize_with("pillow", np.eye(n_in, dtype=np.float32)[:, :, None], (n_out, n_in), method)[:, :, 0]
        dy = np.random.default_rng(n_in).standard_normal(n_out)
        gradient = sw.resize_grad(dy, (n_in,), method, dialect="pillow")
        assert np.abs(gradient - columns.T.astype(np.float64) @ dy).max() <= 1e-6
        sw.testing.dot_test(sw.make_plan((n_in,), (n_out,), method, dialect="pillow"))


def test_control_another_dialect_differs() -> None:
    x = image((20, 30), 1).astype(np.float32)
    with pytest.raises(AssertionError, match="pixels differ"):
        shared = sw.resize(
            x, (8, 12), "box"
        )  # a pixel on the border counts half on both sides; in Pillow it counts on one
        assert_same_pixels(shared, resize_with("pillow", x, (8, 12), "box"), ulp=2)


def boxes(count: int) -> Iterator[tuple[tuple[int, int], tuple[int, int], tuple[float, float, float, float]]]:
    """Return seeded (input size, output size, box): fractions, integers, and integers of the output's size."""
    random = np.random.default_rng(0)
    for n in range(count):
        (height, width), size = random.integers(2, 60, 2).tolist(), tuple(random.integers(1, 60, 2).tolist())
        (left, right), (upper, lower) = (np.sort(random.uniform(0, most, 2)).tolist() for most in (width, height))
        if n % 3 == 0:
            left, upper, right, lower = int(left), int(upper), math.ceil(right), math.ceil(lower)
            size = (size[0] if n % 2 else lower - upper, size[1] if n % 4 else right - left)
        yield (height, width), size, (left, upper, right, lower)


@pytest.mark.parametrize("method", METHODS)
def test_boxes(method: str) -> None:
    """uint8 bit for bit; floats within a rounding, since Pillow's sinc is not exactly 0 at integer distances."""
    for seed, (input_size, output_size, box) in enumerate(boxes(200)):
        for x in (image(input_size, 1, seed), image(input_size, 1, seed).astype(np.float32)):
            ours = sw.resize(x, output_size, method, dialect="pillow", box=box)
            theirs = resize_with("pillow", x, output_size, method, box=box)
            assert_same_pixels(ours, theirs) if x.dtype == np.uint8 else assert_within(ours, theirs, x, 1)


@pytest.mark.parametrize("method", METHODS)
def test_reducing_gap(method: str) -> None:
    """Pillow rounds the means to float32; the dialect does not."""
    differs = 0
    for seed, (input_size, output_size, box) in enumerate(boxes(200)):
        x = np.random.default_rng(seed).standard_normal((*input_size, 1)).astype(np.float32)
        arguments = {"box": box if seed % 2 else None, "reducing_gap": (1, 1.3, 2, 3)[seed // 2 % 4]}
        ours = sw.resize(x, output_size, method, dialect="pillow", **arguments)
        assert_within(ours, resize_with("pillow", x, output_size, method, **arguments), x, GAP_ULP)
        differs += not np.allclose(ours, sw.resize(x, output_size, method, dialect="pillow", box=arguments["box"]))
    assert differs > 20 or method == "nearest"  # control: the gap matters; nearest has none


def test_boxes_and_gaps_in_three_axes_and_other_orders() -> None:
    x = image((20, 30), 1).astype(np.float32)
    box = (3.5, 2.0, 21.25, 17.0)
    expected = sw.resize(x, (8, 12), "bicubic", dialect="pillow", box=box)
    turned = sw.resize(x, (12, 8), "bicubic", dialect="pillow", box=box, axes=(1, 0))
    assert_same_pixels(turned, expected)  # a box is in image coordinates, for any order of axes
    with pytest.raises(sw.errors.UnsupportedError, match="two axes"):
        sw.resize(x, (8, 12, 2), dialect="pillow", box=box, axes=(0, 1, 2))


@pytest.mark.parametrize("box", [(0, 0, 31, 20), (0, 0, 30, 20.5), (0, 0, 30.00001, 20)], ids=str)
def test_boxes_that_pillow_rejects(box: tuple[float, ...]) -> None:
    x = image((20, 30), 1)
    with pytest.raises(ValueError, match="exceed"):
        Image.fromarray(x[:, :, 0]).resize((5, 5), box=box)
    with pytest.raises(sw.errors.UnsupportedError, match="30 wide and 20 high"):
        sw.resize(x, (5, 5), dialect="pillow", box=box)


@pytest.mark.parametrize(
    "box", [(-1, 0, 5, 5), (5, 0, 4, 5), (2, 2, 2, 5), (0, 0, 5), "0055", 5, (0, 0, "5", 5)], ids=str
)
def test_invalid_boxes(box: object) -> None:
    with pytest.raises(sw.errors.ArgumentError, match="box must be"):
        sw.make_plan((20, 30), (5, 5), dialect="pillow", box=box)


@pytest.mark.parametrize("gap", [0.99, 0, -1, "2", float("nan"), True], ids=str)
def test_gaps_that_pillow_rejects(gap: object) -> None:
    with pytest.raises(sw.errors.ArgumentError, match="reducing_gap must be"):
        sw.make_plan((20, 30), (5, 5), dialect="pillow", reducing_gap=gap)


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("method", METHODS)
def test_reducing_gap_of_integers(method: str, channels: int) -> None:
    """uint8 bit for bit: the means are rounded first."""
    differs = 0
    for seed, (input_size, output_size, box) in sample(enumerate(boxes(100)), 4, (method, channels)):
        x = image(input_size, channels, seed)
        arguments = {"box": box if seed % 2 else None, "reducing_gap": (1, 1.3, 2, 3)[seed // 2 % 4]}
        ours = sw.resize(x, output_size, method, dialect="pillow", **arguments)
        assert_same_pixels(ours, resize_with("pillow", x, output_size, method, **arguments))
        differs += bool((ours != sw.resize(x, output_size, method, dialect="pillow", box=arguments["box"])).any())
    assert differs > (10 if ALL else 0) or method == "nearest"  # control: the gap is seen


def test_reducing_gap_of_integers_of_other_layouts_and_libraries() -> None:
    x, arguments = image((90, 70), 3), {"method": "lanczos", "dialect": "pillow", "reducing_gap": 1.5}
    expected = resize_with("pillow", x, (8, 9), "lanczos", reducing_gap=1.5)
    planes = np.stack([x.transpose(2, 0, 1)] * 2)
    assert_same_pixels(sw.resize(planes, (8, 9), axes=(2, 3), **arguments)[1].transpose(1, 2, 0), expected)
    assert_same_pixels(sw.resize(torch.from_numpy(planes), (8, 9), **arguments)[0].numpy().transpose(1, 2, 0), expected)
    out = np.empty_like(expected)
    assert_same_pixels(sw.resize(x[::-1, ::-1][::-1, ::-1], (8, 9), out=out, **arguments), expected)
    with pytest.raises(sw.errors.UnsupportedError, match="two axes"):
        sw.resize(x, (8, 9, 1), axes=(0, 1, 2), **arguments)
    with pytest.raises(sw.errors.UnsupportedError, match="tiles"):
        plan = sw.make_plan((90, 70), (8, 9), **arguments)
        inputs, tile = plan.tile((slice(0, 4), slice(0, 9)))
        tile(x[inputs])
    with pytest.raises(sw.errors.UnsupportedError, match="step by step"):
        sw.resize(x, (8, 9), engine="framework", **arguments)


def test_gaps_of_floats_have_gradients() -> None:
    sw.testing.dot_test(sw.make_plan((90, 70), (8, 9), "lanczos", dialect="pillow", reducing_gap=2.0))
    sw.testing.dot_test(sw.make_plan((20, 30), (8, 9), "lanczos", dialect="pillow", box=(1.5, 2, 20, 19)))


@pytest.fixture(scope="module")
def pillow() -> reference.Reference:
    """Return Pillow 12, in a separate environment."""
    return subprocess_worker.run_in_subprocess(reference.of("pillow@12"), older("pillow-12"))


class TestPillow12:
    """Pillow 12, which has another pass order."""

    @pytest.mark.parametrize("channels", [1, 3])
    @pytest.mark.parametrize("method", OLDER)
    def test_integers(self, pillow: reference.Reference, method: str, channels: int) -> None:
        newer = 0
        for seed, (input_size, output_size) in enumerate([*sizes(100, 70, seed=channels), *TALL]):
            x = image(input_size, channels, seed)
            plan = sw.make_plan(input_size, output_size, method, dialect="pillow@12")
            theirs = pillow.resize(x, plan.request)
            assert_same_pixels(plan(x), theirs)
            newer += bool((sw.resize(x, output_size, method, dialect="pillow") != theirs).any())
        assert (newer > 0) == (method != "nearest")  # control: Pillow 13 has other pixels

    @pytest.mark.parametrize("method", OLDER)
    def test_floats_boxes_and_gaps(self, pillow: reference.Reference, method: str) -> None:
        for seed, (input_size, output_size, box) in enumerate(boxes(100)):
            x = np.random.default_rng(seed).standard_normal((*input_size, 1)).astype(np.float32)
            for arguments in ({}, {"box": box}, {"reducing_gap": 1.5}):
                plan = sw.make_plan(input_size, output_size, method, dialect="pillow@12", **arguments)
                assert_within(plan(x), pillow.resize(x, plan.request), x, GAP_ULP)

    def test_nearest_reads_the_same_pixel(self, pillow: reference.Reference) -> None:
        for n_in, lengths in [*((n, range(1, 33)) for n in range(1, 33)), *some_lengths(32, 4000, 100)]:
            row = np.arange(n_in, dtype=np.float32).reshape(1, n_in, 1)
            for n_out in lengths:
                plan = sw.make_plan((1, n_in), (1, n_out), "nearest", dialect="pillow@12")
                assert (plan.taps[1].start == pillow.resize(row, plan.request).ravel()).all()

    def test_magic_kernels_are_missing(self, pillow: reference.Reference) -> None:
        request = sw.make_plan((4, 4), (2, 2), "mks2013", dialect="pillow").request
        with pytest.raises(subprocess_worker.WorkerError, match="MKS2013"):
            pillow.resize(image((4, 4), 1), request)
        with pytest.raises(sw.errors.UnknownNameError, match="mks2013"):
            sw.make_plan((4, 4), (2, 2), "mks2013", dialect="pillow@12")
