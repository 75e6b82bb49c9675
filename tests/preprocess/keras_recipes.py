"""Checks of the reader of Keras on one backend, run as a program with KERAS_BACKEND set; prints its figures."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import random
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
from keras import layers

import sizewise.compat.keras as compat
from sizewise.preprocess import CropToAspect, PadToAspect, Preprocessor

BACKEND = keras.backend.backend()
METHODS = ("nearest", "bilinear", "bicubic", *(() if BACKEND == "torch" else ("lanczos3", "lanczos5")))
FITS: tuple[dict[str, Any], ...] = (
    {},
    {"crop_to_aspect_ratio": True},
    {"pad_to_aspect_ratio": True, "fill_value": 3},
)
SHAPES = ((13, 29, 3), (24, 17, 3))[: 1 if BACKEND == "jax" else 2]  # XLA compiles each call
SIZES = ((9, 30), (31, 8))[: 1 if BACKEND == "jax" else 2]


def pixels(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    array = np.random.default_rng([*shape]).integers(0, 256, shape, np.uint8)
    return array if dtype == "uint8" else array.astype(dtype)


def apply(layer: Any, image: np.ndarray) -> np.ndarray:
    return keras.ops.convert_to_numpy(layer(keras.ops.convert_to_tensor(image)[None]))[0]


class Worst:
    """The largest differences so far: bytes and their steps, and ULP of the largest value of floats."""

    def __init__(self) -> None:
        self.figures = {"bytes": 0, "of": 0, "byte_step": 0, "ulp": 0.0, "calls": 0}

    def add(self, theirs: np.ndarray, ours: np.ndarray, is_bytes: bool = False) -> None:
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (ours.dtype, theirs.dtype, ours.shape)
        self.figures["calls"] += 1
        if theirs.dtype == np.uint8:
            step = np.abs(ours.astype(int) - theirs)
            self.figures["bytes"] += int((step > 0).sum())
            self.figures["of"] += step.size
            self.figures["byte_step"] = max(self.figures["byte_step"], int(step.max()))
            return
        ulp = np.abs(ours - theirs) / np.spacing(np.abs(theirs).max())
        if is_bytes:  # a byte that is rounded the other way, then rescaled
            self.figures["bytes"] += int((ulp > 64).sum())
            self.figures["of"] += ulp.size
            ulp = ulp[ulp <= 64]
        self.figures["ulp"] = max(self.figures["ulp"], float(ulp.max()))


def check_written(recipe: Preprocessor, image: np.ndarray, theirs: np.ndarray) -> None:
    """Check that the recipe is read from what it writes, and that Keras builds that and gives the same values."""
    written = json.loads(json.dumps(recipe.write("keras")))
    assert Preprocessor.load(written) == recipe, (recipe, Preprocessor.load(written))
    if BACKEND == "tensorflow" or "dialect" in str(written):
        found = apply(keras.saving.deserialize_keras_object(written), image)
        assert np.abs(found.astype(float) - theirs).max() <= (1 if image.dtype == np.uint8 else 1e-3)


def resizing() -> dict[str, float]:
    """Return the largest difference of Resizing, with default and changed options."""
    worst = Worst()
    for method, antialias, fit in itertools.product(METHODS, (False, True), FITS):
        for shape, size, dtype in itertools.product(SHAPES, SIZES, ("float32", "uint8")):
            layer = layers.Resizing(*size, interpolation=method, antialias=antialias and method != "nearest", **fit)
            image = pixels(shape, dtype)
            recipe = Preprocessor.load(layer)
            assert recipe == Preprocessor.load(layer.get_config(), backend=BACKEND)
            assert recipe == Preprocessor.load(keras.saving.serialize_keras_object(layer), backend=BACKEND)
            theirs = apply(layer, image)
            worst.add(theirs, recipe(image))
            if BACKEND == "tensorflow":
                check_written(recipe, image, theirs)
    return worst.figures


def normalization(**options: Any) -> Any:
    """Return a layer that is built: Keras 3.15 loses the mean of those that it builds at the first call of a model."""
    layer = layers.Normalization(**options)
    layer.build((None, None, None, 3) if options.get("axis", -1) == -1 else (None, 3, None, None))
    return layer


def compositions() -> dict[str, float]:
    """Return the largest difference of Sequential and Pipeline of layers."""
    worst = Worst()
    values = {"mean": [123.675, 116.28, 103.53], "variance": [3409.976, 3262.694, 3291.89]}
    lists = (  # of functions: a layer belongs to one model
        lambda: [layers.Resizing(9, 30), layers.Rescaling(1 / 255), normalization(mean=0.45, variance=0.05)],
        lambda: [layers.CenterCrop(9, 12), normalization(**values)],
        lambda: [layers.CenterCrop(20, 40), layers.Rescaling(1 / 127.5, offset=-1)],
        lambda: [layers.Rescaling([0.1, 0.2, 0.7], offset=[-0.5, 0.5, 0.25]), layers.Resizing(12, 9, "bicubic")],
        lambda: [layers.Rescaling(1 / 255), layers.Resizing(9, 9, pad_to_aspect_ratio=True, fill_value=0.5)],
        lambda: [normalization(mean=5.0, variance=0.0)],
    )
    inputs = {"uint8": "uint8", "float32": None}
    for found, shape, (dtype, declared) in itertools.product(lists, SHAPES, inputs.items()):
        image = pixels(shape, dtype)
        first = [keras.Input((None, None, 3), dtype=declared)] if declared else []
        for model in (layers.Pipeline(found()), keras.Sequential([*first, *found()])):
            recipe = Preprocessor.load(model)
            theirs = apply(model, image)
            worst.add(theirs, recipe(image), is_bytes=dtype == "uint8")
            if BACKEND == "tensorflow" and not (declared and isinstance(model, keras.Sequential)):
                check_written(recipe, image, theirs)
    return worst.figures


def channels_first() -> float:
    """Return the largest difference of layers that take and return channels first."""
    image = pixels((24, 17, 3), "float32").transpose(2, 0, 1)
    found = [
        layers.Resizing(9, 12, data_format="channels_first"),
        layers.CenterCrop(8, 8, data_format="channels_first"),
    ]
    model = layers.Pipeline([*found, normalization(axis=1, mean=[1.0, 2, 3], variance=[4.0, 5, 6])])
    if BACKEND == "tensorflow":
        assert Preprocessor.load(Preprocessor.load(model).write("keras")) == Preprocessor.load(model)
    return float(np.abs(Preprocessor.load(model)(image, layout="CHW") - apply(model, image)).max())


def dialects() -> int:
    """Return how many values of sizewise.compat.keras differ from the recipe that is read and written."""
    different = 0
    for dialect, dtype in itertools.product(("pillow", "torch", "opencv", "tensorflow", "jax"), ("uint8", "float32")):
        layer = compat.Resizing(9, 30, "bicubic", dialect=dialect, antialias=dialect != "opencv")
        image = pixels((24, 17, 3), dtype)
        recipe, theirs = Preprocessor.load(layer), apply(layer, image)
        different += int((recipe(image) != theirs).sum())
        check_written(recipe, image, theirs)
    return different


def sizes() -> int:
    """Return how many of 10,000 sizes have another crop or padding than Keras, on images without channels."""
    image = importlib.import_module(f"keras.src.backend.{BACKEND}.image")
    seen: list[tuple[int, ...]] = []
    module, name = {
        "tensorflow": lambda: (image.tf.image, "resize"),
        "torch": lambda: (image.F, "interpolate"),
        "jax": lambda: (image.jax.image, "resize"),
    }[BACKEND]()
    original = getattr(module, name)
    setattr(module, name, lambda x, *_, **__: (seen.append(tuple(x.shape)), x)[1])
    draw, wrong = random.Random(5), 0
    compute = "float32" if BACKEND == "tensorflow" else "float64"
    zeros = np.zeros if BACKEND == "jax" else importlib.import_module(BACKEND).zeros
    if BACKEND == "jax":
        image.jnp = np  # which has the same functions; XLA would compile each shape
    try:
        for index in range(10_000):
            limit = (60, 6000)[index % 2]
            size, target = ((draw.randint(1, limit), draw.randint(1, limit)) for _ in "ab")
            is_crop = index % 4 < 2
            key, step = ("crop", CropToAspect) if is_crop else ("pad", PadToAspect)
            image.resize(zeros((*size, 0)), target, **{f"{key}_to_aspect_ratio": True}, data_format="channels_last")
            shape = seen[-1][-3:-1] if BACKEND != "torch" else seen[-1][-2:]
            wrong += shape != step(*target, compute=compute).output_size(size)
    finally:
        setattr(module, name, original)
    assert len(seen) == 10_000
    return wrong


if __name__ == "__main__":
    figures = {"backend": BACKEND, "resizing": resizing(), "compositions": compositions()}
    figures |= {"channels_first": channels_first(), "dialects": dialects(), "sizes": sizes()}
    print(json.dumps(figures))  # noqa: T201
