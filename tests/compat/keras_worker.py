"""Checks of compat.keras on one backend of Keras, run as a program with KERAS_BACKEND set; prints its figures."""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np

import sizewise as sw
from sizewise.compat.keras import Resizing

BACKEND = keras.backend.backend()
METHODS = ("nearest", "bilinear", "bicubic", *(() if BACKEND == "torch" else ("lanczos3", "lanczos5")))
FITS: tuple[dict[str, Any], ...] = (
    {},
    {"crop_to_aspect_ratio": True},
    {"pad_to_aspect_ratio": True, "fill_value": 3.0},
)
SHAPES = {"channels_last": ((2, 24, 17, 3), (13, 29, 1)), "channels_first": ((2, 3, 24, 17), (1, 13, 29))}
ANTIALIASES = ("standard", "pillow", "pillow@12", "torch", "jax", "tensorflow", "matlab", "onnx")
DIALECTS = (*ANTIALIASES, "opencv", "tensorflow1", "onnx-reference", "paddle")
SIZES = ((9, 30), (31, 8))[: 1 if BACKEND == "jax" else 2]  # XLA compiles each call


def pixels(shape: tuple[int, ...], dtype: str) -> Any:
    array = np.random.default_rng([*shape]).integers(0, 256, shape, np.uint8)
    return keras.ops.convert_to_tensor(array if dtype == "uint8" else (array / 255).astype(dtype))


def numpy(x: Any) -> np.ndarray:
    return keras.ops.convert_to_numpy(x)


def compare(changed: dict[str, Any] | None = None) -> dict[str, float]:
    """Return the largest difference from keras.layers.Resizing: bytes that differ, and ULP of float32."""
    worst = {"bytes": 0, "of": 0, "byte_step": 0, "ulp": 0.0, "nearest": 0.0, "calls": 0}
    for method, antialias, fit, layout in itertools.product(METHODS, (False, True), FITS, SHAPES):
        if antialias and method == "nearest":
            continue
        for shape, size, dtype in itertools.product(SHAPES[layout], SIZES, ("float32", "uint8")):
            options = {"interpolation": method, "antialias": antialias, "data_format": layout, "dtype": dtype, **fit}
            if BACKEND == "tensorflow" and dtype == "uint8" and "fill_value" in fit:
                continue  # Keras on TensorFlow cannot pad these: its fill value is a float
            x = pixels(shape, dtype)
            theirs = numpy(keras.layers.Resizing(*size, **options)(x))
            ours = numpy(Resizing(*size, **{**options, **(changed or {})})(x))
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (options, ours.shape, theirs.shape)
            worst["calls"] += 1
            if dtype == "uint8":
                step = np.abs(ours.astype(int) - theirs)
                worst["bytes"] += int((step > 0).sum())
                worst["of"] += step.size
                worst["byte_step"] = max(worst["byte_step"], int(step.max()))
                continue
            ulp = float(np.abs(ours - theirs).max() / np.spacing(np.abs(theirs).max()))
            kind = "nearest" if method == "nearest" else "ulp"
            worst[kind] = max(worst[kind], ulp)
    return worst


def gradient() -> float:
    """Return the largest difference of the gradient of the layer from `resize_grad`."""
    x = np.random.default_rng(0).random((1, 9, 7, 2)).astype("float32")
    dy = np.random.default_rng(1).random((1, 5, 11, 2)).astype("float32")
    layer = Resizing(5, 11, "bicubic", antialias=True, data_format="channels_last")

    def loss(images: Any) -> Any:
        return keras.ops.sum(layer(images) * keras.ops.convert_to_tensor(dy))

    if BACKEND == "torch":
        leaf = keras.ops.convert_to_tensor(x).clone().requires_grad_()
        loss(leaf).backward()
        found = leaf.grad
    elif BACKEND == "jax":
        import jax

        found = jax.grad(loss)(x)
    else:
        import tensorflow as tf

        leaf = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(leaf)
            value = loss(leaf)
        found = tape.gradient(value, leaf)
    expected = sw.resize_grad(dy, (9, 7), "bicubic", dialect=BACKEND, antialias=True, axes=(1, 2))
    return float(np.abs(numpy(found) - expected).max())


def saved_model() -> bool:
    """Return whether a model with the layer returns the same after it is saved and loaded, and learns."""
    layer = Resizing(6, 5, "lanczos", antialias=True, dialect="pillow", data_format="channels_last")
    inputs = keras.Input((12, 10, 3))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Flatten()(layer(inputs))))
    x = np.random.default_rng(0).random((4, 12, 10, 3)).astype("float32")
    model.compile("sgd", "mse")
    model.fit(x, np.ones((4, 1), "float32"), epochs=1, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        model.save(path)
        loaded = keras.models.load_model(path)
    found = next(one for one in loaded.layers if isinstance(one, Resizing))
    same = np.array_equal(model.predict(x, verbose=0), loaded.predict(x, verbose=0))
    return same and found.get_config() == layer.get_config() and found.dialect == "pillow"


def dialect_pixels() -> int:
    """Return how many values differ from `sw.resize` of NumPy arrays, over all dialects, bytes and floats."""
    different = 0
    for dialect, dtype in itertools.product(DIALECTS, ("uint8", "float32")):
        x = numpy(pixels((2, 24, 17, 3), dtype))
        options: dict[str, Any] = {"dialect": dialect, "antialias": dialect in ANTIALIASES}
        layer = Resizing(9, 30, "bicubic", dtype=dtype, data_format="channels_last", **options)
        expected = sw.resize(x, (9, 30), "bicubic", axes=(1, 2), **options)
        if dtype == "uint8" and expected.dtype != np.uint8:
            expected = np.clip(np.round(expected), 0, 255)
        found = numpy(layer(keras.ops.convert_to_tensor(x)))
        assert found.dtype == dtype
        different += int((found != expected).sum())
    return different


if __name__ == "__main__":
    changed = json.loads(sys.argv[1]) if len(sys.argv) > 1 else None
    figures: dict[str, Any] = {"backend": BACKEND, **compare(changed)}
    if changed is None:
        figures |= {"gradient": gradient(), "saved": saved_model(), "dialect": dialect_pixels()}
    print(json.dumps(figures))  # noqa: T201
