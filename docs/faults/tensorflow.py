"""TensorFlow 2's tf.image.resize: gradients that do not exist."""

from __future__ import annotations

from . import Fault, right

_LOAD = "import tensorflow as tf\n\n"
_GRADIENT = """
x = tf.ones((1, 1, 4, 1), tf.{dtype})
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.image.resize(x, (1, 3), "{method}")
tape.gradient(y, x)
"""
_SECOND = """
x = tf.ones((1, 1, 4, 1))
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        loss = tf.reduce_sum(tf.image.resize(x, (1, 2)) ** 2)
    norm = tf.reduce_sum(inner.gradient(loss, x) ** 2)
outer.gradient(norm, x)
"""
_OUR_SECOND = """
from autograd import grad, numpy as anp
loss = lambda x: anp.sum(sw.resize(x, (1, 2), dialect="tensorflow1", half_pixel_centers=True) ** 2)
grad(lambda x: anp.sum(grad(loss)(x) ** 2))(np.ones((1, 4)))
"""


def _units(rest: str, dtype: str = "float32") -> str:
    """Return code of tf.image.resize of four unit images."""
    return f"{_LOAD}tf.image.resize(tf.reshape(tf.eye(4, dtype=tf.{dtype}), (4, 1, 4, 1)), {rest})"


def _without(title: str, why: str, method: str, dtype: str) -> Fault:
    return Fault(
        framework="tensorflow",
        kind="gradient",
        title=title,
        why=why,
        call=_LOAD + _GRADIENT.format(method=method, dtype=dtype).strip(),
        right=right.adjoint("tensorflow", _units(f'(1, 3), "{method}"', dtype), (4,)),
        ours=f'sw.resize_grad(np.ones((1, 3), np.{dtype}), (1, 4), "{method}", dialect="tensorflow")',
    )


FAULTS = (
    _without(
        "bicubic gradients of 16-bit floats are None",
        "The gradient exists for float32 and float64; for float16 and bfloat16 it is silently missing.",
        "bicubic",
        "float16",
    ),
    _without("no gradient of area", "No gradient is registered, for any dtype.", "area", "float32"),
    _without(
        "no gradient of lanczos, gaussian, mitchellcubic and antialiasing except in float32",
        "Their op, ScaleAndTranslate, takes all floats; its gradient only float32.",
        "lanczos3",
        "float64",
    ),
    Fault(
        framework="tensorflow",
        kind="gradient",
        title="the gradient of a bilinear gradient is None",
        why="Silently; other methods raise LookupError.",
        call=_LOAD + _SECOND.strip(),
        right=right.second("tensorflow", _units("(1, 2)"), (4,)),
        ours=_OUR_SECOND.strip(),
    ),
)
