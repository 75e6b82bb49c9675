"""Dialect "tensorflow1" against the raw ops of the real TensorFlow, forward and gradient; its issue 12753."""

from __future__ import annotations

import os

import numpy as np
import pytest
from tfjs_cases import FLAGS, Case, cases

import sizewise as sw
from sizewise.testing import assert_same_pixels

# How far pixels may be from TensorFlow, in units in the last place of the largest value. Both compute in float32, but
# TensorFlow as a + (b - a) * t, and with the terms of a gradient in another order.
FORWARD_ULP = {"bilinear": 4, "nearest": 0}
GRADIENT_ULP = {"bilinear": 16, "nearest": 8}

LARGER = [
    Case(shape, size, *flags)
    for shape, size in [
        ((2, 100, 37, 3), (37, 100)),
        ((1, 26, 26, 1), (22, 200)),
        ((1, 224, 160, 2), (48, 96)),
        ((3, 14, 199, 1), (23, 23)),
        ((1, 300, 1, 1), (77, 5)),
    ]
    for flags in FLAGS
]
CASES = cases() + LARGER
METHODS = ("bilinear", "nearest")


@pytest.fixture(scope="module")
def tf():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow

    return tensorflow


def theirs(tf, case: Case, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels and gradient as TensorFlow's raw ops give them."""
    raw, images, dy, flags = tf.raw_ops, case.images, case.dy, case.flags
    if method == "bilinear":
        pixels = raw.ResizeBilinear(images=images, size=case.size, **flags)
        gradient = raw.ResizeBilinearGrad(grads=dy, original_image=images, **flags)
    else:
        pixels = raw.ResizeNearestNeighbor(images=images, size=case.size, **flags)
        gradient = raw.ResizeNearestNeighborGrad(grads=dy, size=case.shape[1:3], **flags)
    return pixels.numpy(), gradient.numpy()


def ours(case: Case, method: str, **flags: bool) -> tuple[np.ndarray, np.ndarray]:
    options = {"dialect": "tensorflow1", **case.flags, **flags}
    pixels = sw.resize(case.images, case.size, method, **options)
    return pixels, sw.resize_grad(case.dy, case.shape[1:3], method, **options)


def check(actual: tuple[np.ndarray, np.ndarray], expected: tuple[np.ndarray, np.ndarray], method: str) -> None:
    assert_same_pixels(actual[0], expected[0], ulp=FORWARD_ULP[method])
    assert_same_pixels(actual[1], expected[1], ulp=GRADIENT_ULP[method])


@pytest.mark.parametrize("method", METHODS)
def test_pixels_and_gradients_are_those_of_the_raw_ops(tf, method):
    for case in CASES:
        try:
            check(ours(case, method), theirs(tf, case, method), method)
        except AssertionError as difference:
            raise AssertionError(f"{method}, {case}: {difference}") from None


@pytest.mark.parametrize("method", METHODS)
def test_the_other_flag_is_seen(tf, method):
    """The comparison can fail: with one flag inverted, all larger cases differ."""
    for case in LARGER:
        other = {"align_corners": False, "half_pixel_centers": not case.half_pixel_centers}
        with pytest.raises(AssertionError, match="pixels differ"):
            check(ours(case, method, **other), theirs(tf, case, method), method)


@pytest.mark.parametrize("method", METHODS)
def test_integers_become_float32_or_stay_as_they_are(tf, method):
    images = np.arange(2 * 5 * 7 * 3, dtype=np.uint8).reshape(2, 5, 7, 3)
    op = tf.raw_ops.ResizeBilinear if method == "bilinear" else tf.raw_ops.ResizeNearestNeighbor
    pixels = sw.resize(images, (8, 3), method, dialect="tensorflow1")
    assert_same_pixels(pixels, op(images=images, size=(8, 3)).numpy(), ulp=FORWARD_ULP[method])


class TestIssue12753:
    """tensorflow/tensorflow#12753: a bilinear 16x16 -> 4x4 sends its gradient to 16 of 256 pixels."""

    IMAGE = np.ones((1, 16, 16, 3), np.float32)

    @property
    def matrix(self) -> np.ndarray:
        """The gradient printed in the issue, the same in all three channels: 1 at every fourth row and column."""
        row = [1, 0, 0, 0] * 4
        return np.array([row if number % 4 == 0 else [0] * 16 for number in range(16)], np.float32)

    def test_tensorflow_still_gives_the_matrix(self, tf):
        x = tf.constant(self.IMAGE)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.compat.v1.image.resize_bilinear(x, (4, 4)))
        gradient = tape.gradient(loss, x).numpy()
        for channel in range(3):
            assert_same_pixels(gradient[0, :, :, channel], self.matrix)

    def test_ours_gives_the_matrix(self):
        dy = np.ones((1, 4, 4, 3), np.float32)
        gradient = sw.resize_grad(dy, (16, 16), dialect="tensorflow1")
        for channel in range(3):
            assert_same_pixels(gradient[0, :, :, channel], self.matrix)
        assert int((self.matrix != 0).sum()) == 16 and self.matrix.sum() == 16

    @pytest.mark.parametrize("antialias, reached", [(False, 64), (True, 256)])
    def test_torch_without_and_with_antialiasing(self, antialias, reached):
        import torch

        x = torch.ones(1, 3, 16, 16, requires_grad=True)
        torch.nn.functional.interpolate(x, size=(4, 4), mode="bilinear", antialias=antialias).sum().backward()
        theirs = x.grad.numpy()
        dy = np.ones((1, 3, 4, 4), np.float32)
        ours = sw.resize_grad(dy, (16, 16), antialias=antialias, axes=(2, 3))
        assert_same_pixels(ours, theirs, ulp=GRADIENT_ULP["bilinear"])
        assert (ours[0, 0] != 0).sum() == (theirs[0, 0] != 0).sum() == reached
        with pytest.raises(AssertionError, match="pixels differ"):
            other = sw.resize_grad(dy, (16, 16), antialias=not antialias, axes=(2, 3))
            assert_same_pixels(other, theirs, ulp=GRADIENT_ULP["bilinear"])
