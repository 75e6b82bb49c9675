"""Calls on TensorFlow tensors, and a random tensor, for several files of tests."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import sizewise as sw

IMAGE = np.random.default_rng(0).standard_normal((2, 9, 7, 3))
CALLS = {
    "bilinear": lambda x, **more: sw.resize(x, (4, 11), **more),
    "lanczos3": lambda x, **more: sw.resize(x, (13, 3), "lanczos3", **more),
    "nearest": lambda x, **more: sw.resize(x, (4, 11), "nearest", **more),
    "tensorflow": lambda x, **more: sw.resize(x, (5, 5), "bicubic", dialect="tensorflow", antialias=True, **more),
    "one axis": lambda x, **more: sw.resize(x, 4, "area", axes=1, **more),
    "gradient": lambda dy, **more: sw.resize_grad(dy, (4, 12), "bicubic", **more),
    "plan": lambda x, **more: sw.make_plan((9, 7), (4, 4), "area").apply(x, **more),
    "outside": lambda x, **more: sw.resize(
        x, (6, 6), "linear", dialect="onnx", coordinate_transformation_mode="tf_crop_and_resize",
        roi=(0.2, 0.2, 1.3, 1.2), extrapolation_value=3.0, **more,
    ),
}  # fmt: skip


def tensor(dtype="float64"):
    return tf.cast(tf.constant(IMAGE), dtype)
