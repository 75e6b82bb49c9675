"""The rows of the README's table that speak of TensorFlow and PyTorch, each run live. (TF.js: test_tfjs_faults.)"""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import torch
import torch.nn.functional as F
from autograd import grad
from autograd import numpy as anp

import sizewise as sw


def tensorflow_gradient(x: np.ndarray, size: tuple[int, int], **words: object) -> np.ndarray:
    images = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(images)
        total = tf.reduce_sum(tf.image.resize(images, size, **words))
    return tape.gradient(total, images).numpy()


def test_defaults_reach_64_of_256_pixels_and_ours_all() -> None:
    x = np.ones((1, 16, 16, 1), np.float32)
    tensor = torch.ones((1, 1, 16, 16), requires_grad=True)
    F.interpolate(tensor, (4, 4), mode="bilinear").sum().backward()
    assert np.count_nonzero(tensorflow_gradient(x, (4, 4))) == 64
    assert np.count_nonzero(tensor.grad.numpy()) == 64
    assert np.count_nonzero(sw.resize_grad(np.ones((1, 4, 4, 1), np.float32), (16, 16))) == 256


def test_torch_float64_nearest_gradient_is_not_that_of_its_forward() -> None:
    x = torch.rand(1, 1, 26, dtype=torch.float64, requires_grad=True, generator=torch.manual_seed(0))
    assert not torch.autograd.gradcheck(lambda t: F.interpolate(t, size=22, mode="nearest"), x, raise_exception=False)
    for dialect in sw.dialects.names():
        sw.testing.dot_test(sw.make_plan((26,), (22,), "nearest", dialect=dialect))


def test_tensorflow_has_no_second_gradient_and_ours_has() -> None:
    images = tf.ones((1, 4, 4, 1))
    with tf.GradientTape() as outer:
        outer.watch(images)
        with tf.GradientTape() as inner:
            inner.watch(images)
            loss = tf.reduce_sum(tf.image.resize(images, (2, 2)) ** 2)
        norm = tf.reduce_sum(inner.gradient(loss, images) ** 2)
    assert outer.gradient(norm, images) is None  # silently; for its other methods it raises LookupError

    def norm_of_gradient(x):
        return anp.sum(grad(lambda image: anp.sum(sw.resize(image, (2, 2)) ** 2))(x) ** 2)

    x = np.random.default_rng(0).random((4, 4))
    step = 1e-6 * np.eye(16)[5].reshape(4, 4)
    central = (norm_of_gradient(x + step) - norm_of_gradient(x - step)) / 2e-6
    assert grad(norm_of_gradient)(x)[1, 1] == pytest.approx(central, rel=1e-6)
