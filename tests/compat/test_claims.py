"""The first row of the README's table, run live in TensorFlow and PyTorch. (The faults: test_framework_faults.)"""

from __future__ import annotations

import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F

import sizewise as sw


def tensorflow_gradient(x: np.ndarray, size: tuple[int, int], **options: object) -> np.ndarray:
    images = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(images)
        total = tf.reduce_sum(tf.image.resize(images, size, **options))
    return tape.gradient(total, images).numpy()


def test_defaults_reach_64_of_256_pixels_and_ours_all() -> None:
    x = np.ones((1, 16, 16, 1), np.float32)
    tensor = torch.ones((1, 1, 16, 16), requires_grad=True)
    F.interpolate(tensor, (4, 4), mode="bilinear").sum().backward()
    assert np.count_nonzero(tensorflow_gradient(x, (4, 4))) == 64
    assert np.count_nonzero(tensor.grad.numpy()) == 64
    assert np.count_nonzero(sw.resize_grad(np.ones((1, 4, 4, 1), np.float32), (16, 16))) == 256
