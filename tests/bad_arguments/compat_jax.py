"""Function cases of sizewise.compat.jax, and of JAX's arrays."""

from __future__ import annotations

import jax.numpy as jnp
from bad_arguments.function_case import (
    ANYTHING,
    FLAG,
    NONE,
    NOTHING,
    PAIR,
    PLANES,
    SIZE,
    THREADS,
    FunctionCase,
    Names,
    names,
)

import sizewise as sw
from sizewise.compat import jax as compat

X = jnp.ones((4, 6))
NUMBERS = names(PAIR, "1-d floats", "[2**31 - 1] * 2", "[2**62] * 2")
WORDS: dict[str, Names] = {
    "image": PLANES,
    "shape": names(SIZE, "[0, 0]"),
    "method": NOTHING,
    "antialias": FLAG,
    "precision": ANYTHING,  # sums are as exact as they can be, whatever it is
}

CASES = {
    "jax.resize": FunctionCase(compat.resize, lambda: {"image": X, "shape": (3, 3), "method": "linear"}, WORDS),
    "jax.scale_and_translate": FunctionCase(
        compat.scale_and_translate,
        lambda: {
            "image": X,
            "shape": (3, 3),
            "spatial_dims": (0, 1),
            "method": "linear",
            "scale": (0.5, 0.5),
            "translation": (0.0, 0.0),
        },
        {
            **WORDS,
            "image": names(PLANES, "empty array"),
            "spatial_dims": NOTHING,
            "scale": NUMBERS,
            "translation": names(NUMBERS, "[0, 0]"),
        },
    ),
    "resize of a JAX array": FunctionCase(
        sw.resize,
        lambda: {"x": X, "size": (3, 3)},
        {"size": SIZE, "scale": NONE, "axes": NONE, "out": NONE, "threads": THREADS, "engine": NONE},
    ),
}
PUBLIC = {"jax.": compat}
