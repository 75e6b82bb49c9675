"""Dialect "tensorflow" against the real tf.image.resize and ScaleAndTranslate, forward and gradient."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from frameworks import INDEX_LENGTHS, INPUT_LENGTHS, large, pairs
from live import assert_gradient, assert_matrix, assert_others_differ, assert_pixels, noise
from variants import EVERY, PLACED, Variant

import sizewise as sw
from sizewise.errors import UnsupportedError
from sizewise.parity import reference
from sizewise.testing import dot_test

OURS = [variant for variant in EVERY if variant.dialect == "tensorflow"]
MIXING = [variant for variant in OURS if variant.method != "nearest"]
MOVED = [variant for variant in PLACED if variant.dialect == "tensorflow"]
WEIGHT_ERROR = {"mitchellcubic": 1.5e-6, "bicubic": 1e-6}  # of a weight; of the other methods:
USUAL_ERROR = 5e-7


def weight_error(variant: Variant) -> float:
    return WEIGHT_ERROR.get(variant.method, USUAL_ERROR)


def assert_same_indices(n_ins: list[int], n_outs: list[int]) -> None:
    """Assert the same pixels of a column for every pair of lengths."""

    @tf.function(input_signature=[tf.TensorSpec([1, None, 1, 1], tf.int32)])
    def every_length(column: tf.Tensor) -> tf.Tensor:
        each = [tf.image.resize(column, [n_out, 1], "nearest") for n_out in n_outs]
        return tf.concat([tf.reshape(one, [-1]) for one in each], axis=0)

    for n_in in n_ins:
        plan = sw.make_plan((n_in,) * len(n_outs), n_outs, "nearest", dialect="tensorflow")
        theirs = every_length(tf.reshape(tf.range(n_in), [1, n_in, 1, 1])).numpy()
        assert (np.concatenate([taps.start for taps in plan.taps]) == theirs).all(), n_in


def test_nearest_reads_the_same_pixel_for_every_length() -> None:
    assert_same_indices(INPUT_LENGTHS, list(INDEX_LENGTHS))
    assert (sw.index_map(14, 23, dialect="tensorflow") != sw.index_map(14, 23)).any()  # control: float32 matters


def test_nearest_reads_the_same_pixel_for_long_axes() -> None:
    random = np.random.default_rng(0)
    assert_same_indices(random.integers(1, 4001, 20).tolist(), random.integers(1, 4001, 25).tolist())


@pytest.mark.parametrize("variant", [*OURS, *MOVED], ids=str)
def test_pixels_and_gradients(variant: Variant) -> None:
    small = pairs(24, variant)[:: 1 if variant in OURS else 5]
    first = large(variant)
    for number, sizes in enumerate([*first, *small]):
        assert_pixels(variant, *sizes)
        if variant.method != "area" and (number < len(first) or number % 5 == 0):
            assert_gradient(variant, *sizes)


@pytest.mark.parametrize("variant", [*MIXING, *MOVED], ids=str)
def test_matrices(variant: Variant) -> None:
    for (n_in, n_out), _ in list(pairs(24))[::7]:
        assert_matrix(variant, n_in, n_out, weight_error(variant))
    assert_matrix(variant, 700, 313, weight_error(variant))
    assert_matrix(variant, 313, 700, weight_error(variant))


@pytest.mark.parametrize("variant", [*MIXING, *MOVED], ids=str)
def test_control_other_variants_differ(variant: Variant) -> None:
    assert_others_differ(variant, [*MIXING, *MOVED])


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.uint8, np.int64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("variant", OURS, ids=str)
def test_other_dtypes(variant: Variant, dtype: type) -> None:
    """TensorFlow returns float32, except for nearest. The dialect keeps float dtypes, equal after rounding."""
    x = (100 * noise((7, 9, 2))).clip(0, 255).astype(dtype)
    plan = variant.plan((7, 9), (11, 4))
    theirs, ours = reference.of("tensorflow").resize(x, plan.request), plan(x)
    assert theirs.dtype == (x.dtype if variant.method == "nearest" else np.float32)
    assert ours.dtype == (x.dtype if x.dtype.kind == "f" or variant.method == "nearest" else np.float32)
    eps = float(np.finfo(ours.dtype).eps) if ours.dtype.kind == "f" else 0.0
    allowed = 0 if variant.method == "nearest" else 255 * max(eps, 16 * 2.0**-23)
    assert np.abs(ours.astype(np.float64) - theirs).max() <= allowed


@pytest.mark.parametrize("variant", MOVED, ids=str)
def test_scales_and_translations(variant: Variant) -> None:
    random, empty = np.random.default_rng(0), 0
    for _ in range(25):
        input_size, output_size = random.integers(1, 40, (2, 2)).tolist()
        arguments = {"scale": random.uniform(0.2, 3, 2).tolist(), "translation": random.uniform(-8, 8, 2).tolist()}
        assert_pixels(variant, tuple(input_size), tuple(output_size), **arguments)
        plan = variant.plan(input_size, output_size, **arguments)
        empty += sum(int((taps.count == 0).sum()) for taps in plan.taps)
        dot_test(plan)
    assert empty > 100  # empty rows


def test_preserve_aspect_ratio_gives_the_same_size() -> None:
    random, changed, rejected = np.random.default_rng(0), 0, 0
    for _ in range(300):
        input_size, asked = (tuple(size) for size in random.integers(1, 60, (2, 2)).tolist())
        arguments = {"dialect": "tensorflow", "preserve_aspect_ratio": True}
        try:
            theirs = tf.image.resize(np.zeros((*input_size, 1)), asked, preserve_aspect_ratio=True).shape[:2]
        except tf.errors.InvalidArgumentError:
            rejected += 1
            with pytest.raises(UnsupportedError, match="larger size"):
                sw.make_plan(input_size, asked, **arguments)
            continue
        plan = sw.make_plan(input_size, asked, **arguments)
        assert plan.output_size == tuple(theirs)
        same = sw.make_plan(input_size, tuple(theirs), dialect="tensorflow")
        assert all((one == other).all() for one, other in zip(plan.matrices(), same.matrices(), strict=True))
        dy = noise(plan.output_size, np.float64)
        assert (sw.resize_grad(dy, input_size, **arguments) == plan.T(dy)).all()
        changed += plan.output_size != asked
    assert changed > 200
    assert rejected > 0


class TestContradictions:
    """Gradients that TensorFlow lacks; those of the dialect are the transpose."""

    @pytest.mark.parametrize("dtype", [np.float16, np.float64], ids=lambda dtype: dtype.__name__)
    def test_scale_and_translate_differentiates_float32_only(self, dtype: type) -> None:
        plan = sw.make_plan((7, 9), (4, 11), "lanczos3", dialect="tensorflow")
        x, dy = noise((7, 9, 1), dtype), noise((4, 11, 1), dtype)
        with pytest.raises(tf.errors.InvalidArgumentError):
            reference.of("tensorflow").gradient(x, dy, plan.request)
        assert plan.T(dy).dtype == dtype
        dot_test(plan)

    def test_area_has_no_gradient(self) -> None:
        plan = sw.make_plan((7, 9), (4, 11), "area", dialect="tensorflow")
        with pytest.raises(LookupError, match="gradient"):
            reference.of("tensorflow").gradient(noise((7, 9, 1)), noise((4, 11, 1)), plan.request)
        dot_test(plan)


@pytest.mark.parametrize("method", ["nearest", "area"])
def test_translation_is_rejected_where_there_is_no_filter(method: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="kernel"):
        images = np.zeros((1, 4, 4, 1), np.float32)
        tf.raw_ops.ScaleAndTranslate(images=images, size=(2, 2), scale=(1, 1), translation=(0, 0), kernel_type=method)
    with pytest.raises(UnsupportedError, match="translation"):
        sw.make_plan((4, 4), (2, 2), method, dialect="tensorflow", translation=0)


def test_options_that_exclude_each_other() -> None:
    with pytest.raises(UnsupportedError, match="translation"):
        sw.make_plan((4, 4), (2, 2), dialect="tensorflow", scale=0.75)
    with pytest.raises(UnsupportedError, match="preserve_aspect_ratio"):
        sw.make_plan((4, 4), (2, 2), dialect="tensorflow", translation=0, preserve_aspect_ratio=True)
    with pytest.raises(sw.errors.ArgumentError, match="give 1 for each"):
        sw.make_plan((4, 4), (2, 2), dialect="tensorflow", translation=(0, 1, 2))


@pytest.mark.parametrize("method", ["nearest", "area"])
def test_antialias_is_accepted_and_ignored(method: str) -> None:
    x = noise((9, 14, 1))
    theirs = [tf.image.resize(x, (4, 30), method, antialias=flag).numpy() for flag in (True, False)]
    ours = [sw.resize(x, (4, 30), method, dialect="tensorflow", antialias=flag) for flag in (True, False, None)]
    assert (theirs[0] == theirs[1]).all() and (ours[0] == ours[2]).all() and (ours[1] == ours[2]).all()
