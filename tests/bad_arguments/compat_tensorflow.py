"""Function cases of sizewise.compat.tensorflow, and of TensorFlow's tensors."""

from __future__ import annotations

import tensorflow as tf
from bad_arguments.function_case import (
    FINITE,
    FLAG,
    NONE,
    NOTHING,
    SCALE,
    SIZE,
    THREADS,
    TINY_OR_HUGE,
    FunctionCase,
    Names,
    names,
)

import sizewise as sw
from sizewise.compat import tensorflow as compat

X = tf.ones((1, 4, 6, 3))
LARGE = names("[2**31 - 1] * 2", "[2**62] * 2")
NAME = names(NONE, "4x", "empty text", "long text", "no text")
WORDS: dict[str, Names] = {"images": names("4-d"), "size": SIZE, "name": NAME}


def original(name: str, *flags: str) -> FunctionCase:
    """One of the original ops."""
    takes = {**WORDS, **dict.fromkeys(flags, FLAG)}
    return FunctionCase(getattr(compat, name), lambda: {"images": X, "size": (3, 3)}, takes)


CASES = {
    "tensorflow.resize": FunctionCase(
        compat.resize,
        lambda: {"images": X, "size": (3, 3)},
        {
            **WORDS,
            "images": names("3-d", "4-d"),
            "method": NOTHING,
            "preserve_aspect_ratio": FLAG,
            "antialias": FLAG,
        },
    ),
    "tensorflow.resize_area": original("resize_area", "align_corners"),
    **{
        f"tensorflow.{name}": original(name, "align_corners", "half_pixel_centers")
        for name in ("resize_bicubic", "resize_bilinear", "resize_nearest_neighbor")
    },
    "tensorflow.scale_and_translate": FunctionCase(
        compat.scale_and_translate,
        lambda: {"images": X, "size": (3, 3), "scale": (0.5, 0.5), "translation": (0.0, 0.0)},
        {
            **WORDS,
            "scale": names(SCALE, TINY_OR_HUGE - {"1e-320"}, LARGE),
            "antialias": FLAG,
            "kernel_type": NOTHING,
            "translation": names(FINITE, SIZE, LARGE, "[0, 0]", "1-d floats"),
        },
    ),
    "resize of a TensorFlow tensor": FunctionCase(
        sw.resize,
        lambda: {"x": X, "size": (3, 3)},
        {
            "size": SIZE,
            "scale": NONE,
            "axes": names(NONE, "1-d integers", "generator"),
            "out": NONE,
            "threads": THREADS,
            "engine": NONE,
        },
    ),
}
PUBLIC = {"tensorflow.": compat}
