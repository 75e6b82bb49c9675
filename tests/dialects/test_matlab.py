"""Dialect "matlab" against its published algorithm in plain loops (tests/naive_matlab.py), without MATLAB itself."""

from __future__ import annotations

import math

import naive
import naive_matlab
import numpy as np
import pytest
from frameworks import image, pairs, sizes
from variants import EVERY, Variant

import sizewise as sw
from sizewise.testing import assert_same_pixels

OURS = [variant for variant in EVERY if variant.dialect == "matlab"]


def in_passes(x: np.ndarray, output_size: tuple[int, int], variant: Variant, scale: object = None) -> np.ndarray:
    """Return the result of both passes, the smaller scale first, summed in float64 and stored in the image's dtype."""
    scales = scale or [n_out / n_in for n_in, n_out in zip(x.shape[:2], output_size, strict=True)]
    for axis in (0, 1) if scales[0] <= scales[1] else (1, 0):
        matrix = naive_matlab.matlab(x.shape[axis], output_size[axis], variant.method, variant.antialias, scales[axis])
        y = np.moveaxis(np.tensordot(matrix, x.astype(np.float64), (1, axis)), 0, axis)
        x = y.astype(x.dtype) if x.dtype.kind == "f" else np.clip(np.rint(y), 0, 255).astype(x.dtype)
    return x


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_floats(variant: Variant) -> None:
    for input_size, output_size in [*list(pairs(16))[::3], *sizes(20, 60)]:
        x = np.random.default_rng([*input_size]).standard_normal((*input_size, 2))
        assert np.abs(variant.resize(x, output_size) - in_passes(x, output_size, variant)).max() <= 1e-13


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_integers(variant: Variant) -> None:
    """Rounded after each pass; the loops may round a sum that is a half, except for its last bit, the other way."""
    differing = total = 0
    for seed, (input_size, output_size) in enumerate(sizes(60, 50)):
        x = image(input_size, 3, seed=3 * seed)
        ours = variant.resize(x, output_size)
        assert_same_pixels(ours, naive.resize_in_passes(x, variant.plan(input_size, output_size), (0, 1)))
        difference = np.abs(ours.astype(int) - in_passes(x, output_size, variant))
        assert difference.max() <= 1
        differing, total = differing + (difference > 0).sum(), total + difference.size
    assert differing <= 2e-3 * total


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_scales(variant: Variant) -> None:
    for scale in [(0.3, 1.7), (0.5, 0.5), (2.3, 0.77), (1 / 3, 3.0)]:
        x = np.random.default_rng(0).standard_normal((20, 17, 1))
        size = (math.ceil(20 * scale[0]), math.ceil(17 * scale[1]))
        ours = variant.resize(x, scale=scale)
        assert ours.shape[:2] == size
        assert np.abs(ours - in_passes(x, size, variant, scale)).max() <= 1e-13


def test_nearest_picks_the_pixel_of_the_loops() -> None:
    for n_in in range(1, 40):
        for n_out in range(1, 40):
            expected = naive_matlab.matlab(n_in, n_out, "nearest", False).argmax(axis=1)
            assert (sw.index_map(n_in, n_out, dialect="matlab") == expected).all(), (n_in, n_out)
    assert sw.index_map(4, 2, dialect="matlab").tolist() == [1, 3]  # of two at the same distance, the second


def test_control_other_variants_differ() -> None:
    x = np.random.default_rng(0).standard_normal((20, 30))
    others = [
        variant for variant in OURS if (variant.method, variant.antialias) != ("box", False)
    ]  # the same as nearest
    results = [variant.resize(x, (9, 41)) for variant in others]
    for n, one in enumerate(results):
        for other in results[:n]:
            assert np.abs(one - other).max() > 1e-3


def test_control_order_of_the_passes_matters() -> None:
    x = image((40, 40), 1, seed=1)
    turned = np.ascontiguousarray(sw.resize(x.transpose(1, 0, 2), (15, 70), dialect="matlab").transpose(1, 0, 2))
    assert_same_pixels(sw.resize(x, (70, 15), dialect="matlab"), turned)  # the smaller scale first, for either axis
    other = sw.resize(sw.resize(x, (70, 40), dialect="matlab"), (70, 15), dialect="matlab")
    assert (turned != other).any()
