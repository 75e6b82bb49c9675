"""Dialect "paddle" against the real Paddle, forward and gradient, in a separate process."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from frameworks import (
    INDEX_LENGTHS,
    INDEX_LIMIT,
    INPUT_LENGTHS,
    assert_within,
    gradient_with,
    image,
    large,
    pairs,
    picks_exactly,
    resize_with,
    some_lengths,
)
from samples import sample
from variants import EVERY, Variant

import sizewise as sw
from sizewise.parity import reference, subprocess_worker

OURS = [variant for variant in EVERY if variant.dialect == "paddle"]
REFERENCE = reference.of("paddle")
# Cases in which align_mode has an effect; Paddle ignores it in all others, as it does align_corners of area.
MEANT = [
    variant
    for variant in OURS
    if not dict(variant.options)["align_mode"] or (variant.method == "bilinear" and not variant.antialias)
]
MIXING = [variant for variant in MEANT if variant.method not in ("nearest", "area")]


def noise(shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(dtype)


def test_nearest_reads_the_same_pixel_for_every_length() -> None:
    exact = sum(picks_exactly("paddle", "nearest", n_in, INDEX_LENGTHS, centered=False) for n_in in INPUT_LENGTHS)
    assert exact < len(INPUT_LENGTHS)  # exact arithmetic reads other pixels: float32 matters


def test_nearest_reads_the_same_pixel_for_long_axes() -> None:
    for n_in, lengths in some_lengths(INDEX_LIMIT, 4000, 100):
        picks_exactly("paddle", "nearest", n_in, lengths, centered=False)


@pytest.mark.parametrize("variant", MEANT, ids=str)
def test_pixels_and_gradients(variant: Variant) -> None:
    for input_size, output_size in [*pairs(24, variant), *large(variant)]:
        x, dy = noise((*input_size, 2)), noise((*output_size, 2))
        request = variant.plan(input_size, output_size).request
        try:
            theirs = REFERENCE.resize(x, request)
            assert_within(variant.resize(x, output_size), theirs, x, REFERENCE.ulp[variant.method])
            gradient = REFERENCE.gradient(x, dy, request)
            assert_within(variant.grad(dy, input_size), gradient, dy, REFERENCE.gradient_ulp[variant.method])
        except AssertionError as difference:
            raise AssertionError(f"{input_size} -> {output_size}: {difference}") from None


@pytest.mark.parametrize("variant", MEANT, ids=str)
def test_float64(variant: Variant) -> None:
    """Antialiased and bicubic weights are float64, bilinear ones float32; gradients have float32 coordinates."""
    bound = 1e-6 if variant.method == "bilinear" and not variant.antialias else 1e-13
    for input_size, output_size in [*pairs(10, variant), *large(variant)]:
        x, dy = noise((*input_size, 2), np.float64), noise((*output_size, 2), np.float64)
        request = variant.plan(input_size, output_size).request
        assert np.abs(variant.resize(x, output_size) - REFERENCE.resize(x, request)).max() <= bound
        assert np.abs(variant.grad(dy, input_size) - REFERENCE.gradient(x, dy, request)).max() <= 2e-4


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_control_other_variants_differ(variant: Variant) -> None:
    x = noise((20, 30, 2))
    theirs = resize_with(x=x, size=(13, 41), **variant.arguments)
    for other in MIXING:
        if other != variant:
            with pytest.raises(AssertionError, match="pixels differ"):
                assert_within(other.resize(x, (13, 41)), theirs, x, REFERENCE.ulp[variant.method])


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_options_without_effect(variant: Variant) -> None:
    x = noise((20, 30, 2))
    theirs = resize_with(x=x, size=(13, 41), **variant.arguments)
    assert_within(variant.resize(x, (13, 41)), theirs, x, REFERENCE.ulp[variant.method])


@pytest.mark.parametrize("method", ["bilinear", "area"])
@pytest.mark.parametrize("rank", [1, 3])
def test_other_ranks(rank: int, method: str) -> None:
    x, size = noise((*(90, 140, 50)[:rank], 2)), (140, 63, 11)[:rank]
    for dtype in (np.float32, np.float64):
        ours = sw.resize(x.astype(dtype), size, method, dialect="paddle", axes=range(rank))
        theirs = resize_with("paddle", x.astype(dtype), size, method)
        assert_within(ours.astype(np.float32), theirs.astype(np.float32), x, REFERENCE.ulp[method])


@pytest.mark.parametrize("variant", [variant for variant in MEANT if variant.method != "area"], ids=str)
def test_scale_factors(variant: Variant) -> None:
    factors = (0.3, 0.5, 0.77, 0.999, 1.0, 1.2, 1.5, 2.0, 2.1, 3.3, 1 / 3)
    for n, factor in sample(product(range(1, 20), factors), 4, variant):
        if int(np.float32(n) * np.float32(factor)) >= 1:
            x, scale = noise((n, 21 - n, 2)), (factor, 1.7)
            ours, theirs = variant.resize(x, scale=scale), resize_with(x=x, scale=scale, **variant.arguments)
            assert_within(ours, theirs, x, REFERENCE.ulp[variant.method])


def test_a_scale_that_keeps_the_size_copies() -> None:
    x = noise((4, 4, 1))
    assert (resize_with("paddle", x, scale=1.2) == x).all()
    assert (sw.resize(x, scale=1.2, dialect="paddle") == x).all()
    assert (gradient_with("paddle", x, x, scale=1.2) == x).all()


def test_a_width_of_1() -> None:
    """bilinear reads the first pixel, bicubic half a pixel before it; with antialiasing both read the middle."""
    x = np.array([1, 2, 4, 8], np.float32).reshape(1, 4, 1)
    for method, antialias, expected in [
        ("bilinear", False, 1.0),
        ("bicubic", False, 0.90625),
        ("bilinear", True, 3.625),
    ]:
        arguments = {"method": method, "antialias": antialias}
        assert sw.resize(x, (1, 1), dialect="paddle", **arguments).item() == pytest.approx(expected)
        assert resize_with("paddle", x, (1, 1), **arguments).item() == pytest.approx(expected)


def test_paddle_truncates_uint8_and_the_dialect_rounds() -> None:
    x = image((9, 11), 1)
    real = sw.resize(x.astype(np.float64), (13, 7), dialect="paddle")
    assert np.abs(resize_with("paddle", x, (13, 7)) - np.floor(real)).max() <= 1
    assert (sw.resize(x, (13, 7), dialect="paddle") == np.rint(real)).all()
    with pytest.raises(subprocess_worker.WorkerError, match="NotFound"):
        resize_with("paddle", x, (13, 7), "bicubic")


def test_calls_that_paddle_rejects() -> None:
    request = sw.make_plan((4, 4), (2, 2), "nearest", dialect="paddle").request
    corners = sw.dialects.Request(**{**vars(request), "options": (("align_corners", True), ("align_mode", 0))})
    with pytest.raises(subprocess_worker.WorkerError, match="align_corners"):
        REFERENCE.resize(noise((4, 4, 1)), corners)
    with pytest.raises(sw.errors.UnsupportedError, match="align_corners"):
        sw.make_plan((4, 4), (2, 2), "nearest", dialect="paddle", align_corners=True)
    scaled = sw.make_plan((4, 4), scale=0.5, method="bilinear", dialect="paddle").request
    with pytest.raises(subprocess_worker.WorkerError, match="output size can not be None"):
        REFERENCE.resize(noise((4, 4, 1)), sw.dialects.Request(**{**vars(scaled), "method": "area"}))
    with pytest.raises(sw.errors.UnsupportedError, match="scale"):
        sw.make_plan((4, 4), scale=0.5, method="area", dialect="paddle")
