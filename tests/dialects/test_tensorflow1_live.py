"""Dialect "tensorflow1" against the raw ops of the real TensorFlow, forward and gradient."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf
from frameworks import INDEX_LENGTHS, INPUT_LENGTHS, large, pairs
from live import assert_gradient, assert_matrix, assert_others_differ, assert_pixels, noise
from variants import EVERY, Variant

import sizewise as sw
from sizewise.errors import UnsupportedError
from sizewise.parity import reference
from sizewise.testing import dot_test

OURS = [variant for variant in EVERY if variant.dialect == "tensorflow1"]
MIXING = [variant for variant in OURS if variant.method != "nearest"]
PICKING = [variant for variant in OURS if variant.method == "nearest"]
WEIGHT_ERROR = 2e-7  # of a weight: float32, and the 1 / step by which area multiplies


def picked(variant: Variant, n_in: int, sizes: Iterable[tf.Tensor]) -> np.ndarray:
    """Return the pixels of a column that TensorFlow reads for each size, concatenated."""
    column, flags = tf.reshape(tf.range(n_in), [1, n_in, 1, 1]), dict(variant.options)
    each = [tf.raw_ops.ResizeNearestNeighbor(images=column, size=size, **flags) for size in sizes]
    return np.concatenate([one.numpy().ravel() for one in each])


def in_exact_arithmetic(n_in: int, lengths: Iterable[int], align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Return the indices of the same rule in exact integers."""
    lists = []
    for n_out in lengths:
        o = np.arange(n_out)
        if align_corners and n_out > 1:
            index = (2 * o * (n_in - 1) + n_out - 1) // (2 * (n_out - 1))
        else:
            index = (2 * o + half_pixel_centers) * n_in // (2 * n_out)
        lists.append(np.minimum(index, n_in - 1))
    return np.concatenate(lists)


@pytest.mark.parametrize("variant", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_every_length(variant: Variant) -> None:
    sizes, exact = [tf.constant([n_out, 1]) for n_out in INDEX_LENGTHS], 0
    for n_in in INPUT_LENGTHS:
        plan = variant.plan((n_in,) * len(sizes), INDEX_LENGTHS)
        indices = picked(variant, n_in, sizes)
        assert (np.concatenate([taps.start for taps in plan.taps]) == indices).all(), n_in
        exact += int((in_exact_arithmetic(n_in, INDEX_LENGTHS, **dict(variant.options)) == indices).all())
    assert exact < len(INPUT_LENGTHS)  # exact arithmetic reads other pixels: float32 matters


@pytest.mark.parametrize("variant", PICKING, ids=str)
def test_nearest_reads_the_same_pixel_for_long_axes(variant: Variant) -> None:
    random = np.random.default_rng(0)
    lengths = random.integers(1, 4001, 25).tolist()
    sizes = [tf.constant([n_out, 1]) for n_out in lengths]
    for n_in in random.integers(1, 4001, 20).tolist():
        plan = variant.plan((n_in,) * len(lengths), lengths)
        assert (np.concatenate([taps.start for taps in plan.taps]) == picked(variant, n_in, sizes)).all(), n_in


@pytest.mark.parametrize("variant", OURS, ids=str)
def test_pixels_and_gradients(variant: Variant) -> None:
    first = large(variant)
    for number, sizes in enumerate([*first, *pairs(24, variant)]):
        assert_pixels(variant, *sizes)
        if variant.method != "area" and (number < len(first) or number % 3 == 0):
            assert_gradient(variant, *sizes)


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_matrices(variant: Variant) -> None:
    for (n_in, n_out), _ in list(pairs(24))[::3]:
        assert_matrix(variant, n_in, n_out, WEIGHT_ERROR)
    assert_matrix(variant, 700, 313, 2 * WEIGHT_ERROR)
    assert_matrix(variant, 313, 700, 2 * WEIGHT_ERROR)


@pytest.mark.parametrize("variant", MIXING, ids=str)
def test_control_other_variants_differ(variant: Variant) -> None:
    assert_others_differ(variant, MIXING)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64, np.uint8, np.int32], ids=str)
@pytest.mark.parametrize("variant", OURS, ids=str)
def test_other_dtypes(variant: Variant, dtype: type) -> None:
    """TensorFlow returns float32, except for nearest. The dialect keeps float dtypes, equal after rounding."""
    x = (100 * noise((7, 9, 2))).clip(0, 255).astype(dtype)
    plan = variant.plan((7, 9), (11, 4))
    theirs, ours = reference.of("tensorflow1").resize(x, plan.request), plan(x)
    assert theirs.dtype == (x.dtype if variant.method == "nearest" else np.float32)
    kept = x.dtype.kind not in "iu" or variant.method == "nearest"
    assert ours.dtype == (x.dtype if kept else theirs.dtype)
    eps = float(ml_dtypes.finfo(ours.dtype).eps) if ours.dtype.kind not in "iu" else 0.0
    allowed = 0 if variant.method == "nearest" else 255 * max(eps, 4 * 2.0**-23)
    assert np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max() <= allowed


class TestContradictions:
    """Gradients that TensorFlow lacks, some without an error; those of the dialect are the transpose."""

    def test_area_has_no_gradient(self) -> None:
        plan = sw.make_plan((7, 9), (4, 11), "area", dialect="tensorflow1")
        with pytest.raises(LookupError, match="gradient"):
            reference.of("tensorflow1").gradient(noise((7, 9, 1)), noise((4, 11, 1)), plan.request)
        dot_test(plan)

    @pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda dtype: dtype.name)
    def test_bicubic_of_16_bits_has_no_gradient_and_no_error(self, dtype: tf.DType) -> None:
        images = tf.ones((1, 4, 4, 1), dtype)
        with tf.GradientTape() as tape:
            tape.watch(images)
            resized = tf.raw_ops.ResizeBicubic(images=images, size=(2, 2))
        assert tape.gradient(resized, images) is None
        gradient = sw.resize_grad(np.ones((2, 2), dtype.as_numpy_dtype), (4, 4), "bicubic", dialect="tensorflow1")
        assert gradient.dtype == dtype.as_numpy_dtype
        assert float(gradient.astype(np.float32).sum()) == 4


@pytest.mark.parametrize("method", ["bilinear", "nearest", "bicubic"])
def test_both_flags_are_rejected_where_tensorflow_rejects_them(method: str) -> None:
    both = {"align_corners": True, "half_pixel_centers": True}
    plan = sw.make_plan((4, 4), (2, 2), method, dialect="tensorflow1")
    with pytest.raises(tf.errors.InvalidArgumentError, match="half_pixel_centers"):
        reference.of("tensorflow1").resize(noise((4, 4, 1)), replace(plan.request, options=tuple(both.items())))
    with pytest.raises(UnsupportedError, match="half_pixel_centers"):
        sw.make_plan((4, 4), (2, 2), method, dialect="tensorflow1", **both)


def test_area_has_no_half_pixel_centers() -> None:
    with pytest.raises(TypeError, match="half_pixel_centers"):
        tf.raw_ops.ResizeArea(images=tf.ones((1, 4, 4, 1)), size=(2, 2), half_pixel_centers=True)
    with pytest.raises(UnsupportedError, match="half_pixel_centers"):
        sw.make_plan((4, 4), (2, 2), "area", dialect="tensorflow1", half_pixel_centers=True)
