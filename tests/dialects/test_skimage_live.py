"""Dialect "skimage" against the real scikit-image: the same pixel for nearest, the same floats, blurred or not."""

from __future__ import annotations

import numpy as np
import pytest
from frameworks import (
    INDEX_LENGTHS,
    INDEX_LIMIT,
    INPUT_LENGTHS,
    assert_within,
    image,
    large,
    pairs,
    picks_exactly,
    resize_with,
    some_lengths,
)
from skimage.transform import resize
from variants import EVERY, Variant

import sizewise as sw
from sizewise.parity import reference

OURS = [variant for variant in EVERY if variant.dialect == "skimage"]
REFERENCE = reference.of("skimage")


def noise(shape: tuple[int, ...], dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(dtype)


def test_nearest_reads_the_same_pixel_for_every_length() -> None:
    exact = sum(picks_exactly("skimage", "nearest", n_in, INDEX_LENGTHS, centered=True) for n_in in INPUT_LENGTHS)
    assert exact < len(INPUT_LENGTHS)  # exact arithmetic reads other pixels: float64 matters


def test_nearest_reads_the_same_pixel_for_long_axes() -> None:
    for n_in, lengths in some_lengths(INDEX_LIMIT, 4000, 100):
        picks_exactly("skimage", "nearest", n_in, lengths, centered=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("variant", OURS, ids=str)
def test_floats(variant: Variant, dtype: type) -> None:
    """float32 within the contract; float64, summed in another order, within a few units in the last place."""
    ulp = 0 if variant.method == "nearest" and not variant.antialias else REFERENCE.ulp[variant.method]
    for input_size, output_size in [*pairs(24, variant), *large(variant)]:
        x = noise((*input_size, 2), dtype)
        ours, theirs = variant.resize(x, output_size), resize_with(x=x, size=output_size, **variant.arguments)
        try:
            assert_within(ours, theirs, x, ulp if dtype is np.float32 else 4 * ulp)
        except AssertionError as difference:
            raise AssertionError(f"{input_size} -> {output_size}: {difference}") from None


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_control_other_variants_differ(variant: Variant) -> None:
    x = noise((30, 40, 2))
    theirs = resize_with(x=x, size=(13, 51), **variant.arguments)
    for other in OURS:
        if other != variant:
            with pytest.raises(AssertionError, match="pixels differ"):
                assert_within(other.resize(x, (13, 51)), theirs, x, 8)


def test_the_defaults_are_those_of_skimage() -> None:
    """Except nearest of floats, which scikit-image blurs by default."""
    x = noise((30, 40))
    for size in [(13, 51), (40, 50), (30, 11)]:
        assert_within(sw.resize(x, size, "linear", dialect="skimage"), resize(x, size), x, 8)
        blurred = sw.resize(x, size, "nearest", dialect="skimage", antialias=True)
        assert_within(blurred, resize(x, size, order=0), x, 8)
    labels = image((30, 40), 1)[:, :, 0]
    assert (sw.resize(labels, (13, 51), "nearest", dialect="skimage") == resize(labels, (13, 51), order=0)).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("antialias", [True, False])
def test_integers_become_float64(dtype: type, antialias: bool) -> None:
    x = np.random.default_rng(0).integers(0, np.iinfo(dtype).max, (23, 31, 3), dtype)
    ours = sw.resize(x, (11, 47), "linear", dialect="skimage", antialias=antialias)
    theirs = resize_with("skimage", x, (11, 47), "linear", antialias=antialias)
    assert_within(ours, theirs, x.astype(np.float64), 8)


def test_three_axes() -> None:
    x = noise((9, 14, 5, 1))
    ours = sw.resize(x, (5, 20, 3), "linear", dialect="skimage", axes=(0, 1, 2))
    assert_within(ours, resize_with("skimage", x, (5, 20, 3), "linear"), x, 8)


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_gradient_is_that_of_skimages_pixels(variant: Variant) -> None:
    """scikit-image is linear in float64, so a step along each pixel gives the gradient."""
    for n_in, n_out in [(7, 4), (5, 13), (24, 5), (2, 1), (1, 3)]:
        columns = [
            resize_with(x=unit.reshape(n_in, 1, 1), size=(n_out, 1), **variant.arguments) for unit in np.eye(n_in)
        ]
        dy = noise((n_out,))
        expected = np.stack([column.ravel() for column in columns]) @ dy
        assert np.abs(variant.grad(dy, (n_in,)) - expected).max() <= 1e-12
        sw.testing.dot_test(variant.plan((n_in,), (n_out,)))
