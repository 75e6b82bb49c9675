"""Dialect "tflite" against the real LiteRT, models of one op in its own interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from frameworks import INDEX_LENGTHS, INDEX_LIMIT, INPUT_LENGTHS, image, large, pairs, sizes
from live import assert_matrix, assert_others_differ, assert_pixels
from variants import EVERY, Variant

import sizewise as sw
from sizewise.dialects import Request
from sizewise.errors import UnsupportedError
from sizewise.parity import reference
from sizewise.testing import dot_test

OURS = [variant for variant in EVERY if variant.dialect == "tflite"]
MIXING = [variant for variant in OURS if variant.method == "bilinear"]
PICKING = [variant for variant in OURS if variant.method == "nearest"]
WEIGHT_ERROR = 1e-7  # of a weight


def picked(variant: Variant, height: int, width: int, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns that LiteRT reads, from an image of indices."""
    numbers = np.arange(height * width, dtype=np.int32).reshape(height, width, 1)
    request = Request("tflite", "nearest", False, (height, width), size, options=variant.options)
    picks = reference.of("tflite").resize(numbers, request)[:, :, 0]
    return picks[:, 0] // width, picks[0] % width


@pytest.mark.parametrize("variant", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_every_length(variant: Variant) -> None:
    """In images of one column and of one row in turns, which is faster than both axes at once."""
    for n_in in INPUT_LENGTHS:
        plan = variant.plan((n_in,) * INDEX_LIMIT, INDEX_LENGTHS)
        for n_out, taps in zip(INDEX_LENGTHS, plan.taps, strict=True):
            if (n_in + n_out) % 2:
                theirs, _ = picked(variant, n_in, 1, (n_out, 1))
            else:
                _, theirs = picked(variant, 1, n_in, (1, n_out))
            assert (taps.start == theirs).all(), (n_in, n_out)


def test_control_float32_and_the_flags_matter() -> None:
    for pair in [(26, 22), (14, 23)]:
        theirs = [picked(variant, pair[0], 1, (pair[1], 1))[0] for variant in PICKING]
        exact = [sw.index_map(*pair, dialect="tfjs", **dict(variant.options)) for variant in PICKING]
        assert any((one != other).any() for one, other in zip(theirs, exact, strict=True))
        assert len({tuple(one) for one in theirs}) > 1


@pytest.mark.parametrize("variant", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_long_axes(variant: Variant) -> None:
    for height, width, *size in np.random.default_rng(0).integers(1, 4001, (250, 4)).tolist():
        rows, _ = picked(variant, height, 1, (size[0], 1))
        _, columns = picked(variant, 1, width, (1, size[1]))
        plan = variant.plan((height, width), size)
        assert (plan.taps[0].start == rows).all(), (height, size[0])
        assert (plan.taps[1].start == columns).all(), (width, size[1])


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_pixels(variant: Variant) -> None:
    for size in [*pairs(24, variant), *large(variant)]:
        assert_pixels(variant, *size)


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_matrices(variant: Variant) -> None:
    for (n_in, n_out), _ in pairs(24, variant):
        assert_matrix(variant, n_in, n_out, WEIGHT_ERROR)
    assert_matrix(variant, 700, 313, WEIGHT_ERROR)
    assert_matrix(variant, 313, 700, WEIGHT_ERROR)
    dot_test(variant.plan((13, 24), (24, 7)))


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_control_other_variants_differ(variant: Variant) -> None:
    assert_others_differ(variant, MIXING)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("variant", OURS, ids=str)
def test_integers(variant: Variant, dtype: type) -> None:
    """Equal except for halves, which LiteRT rounds away from zero."""
    differing = total = 0
    for seed, (input_size, output_size) in enumerate(sizes(60, 40)):
        x = (image(input_size, 3, seed).astype(np.int16) + (0 if dtype is np.uint8 else -128)).astype(dtype)
        plan = variant.plan(input_size, output_size)
        difference = plan(x).astype(np.int64) - reference.of("tflite").resize(x, plan.request)
        assert np.abs(difference).max() <= (variant.method == "bilinear")
        differing, total = differing + np.count_nonzero(difference), total + difference.size
    assert differing <= (0.015 * total if variant.method == "bilinear" else 0)


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_control_int8_in_float_coordinates_differs(variant: Variant) -> None:
    x = (image((20, 30), 3).astype(np.int16) - 128).astype(np.int8)
    plan = variant.plan((20, 30), (13, 47))
    theirs = reference.of("tflite").resize(x, plan.request)
    assert np.abs(np.rint(plan(x.astype(np.float64))) - theirs).max() > 1
    assert np.abs(plan(x).astype(np.int16) - theirs).max() <= 1


class TestContradictions:
    """Calls for which LiteRT reads outside of the row."""

    @pytest.mark.parametrize("dtype", [np.int8, np.int16], ids=lambda dtype: dtype.__name__)
    def test_a_step_that_is_rounded_up_leaves_the_row(self, dtype: type) -> None:
        """1 -> 58 has a step of 18/1024 pixel: the last output is at 57 * 18 > 1024, in the row below."""
        x = np.array([[0], [100]], dtype)[:, :, None]
        plan = sw.make_plan((2, 1), (2, 58), dialect="tflite")
        theirs = reference.of("tflite").resize(x, plan.request)[0, :, 0]
        assert theirs[-2] == 0
        assert theirs[-1] > 90
        assert (plan(x)[0] == 0).all()


def test_both_flags_are_rejected() -> None:
    with pytest.raises(UnsupportedError, match="tflite: align_corners and half_pixel_centers"):
        sw.make_plan((4, 4), (2, 2), dialect="tflite", align_corners=True, half_pixel_centers=True)
