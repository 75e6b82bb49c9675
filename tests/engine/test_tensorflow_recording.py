"""Recording of a resize on TensorFlow's tapes: one operation, and the same derivatives without its private `record`.

The one override here: the backend's `record`, a private module of TensorFlow that other versions may lack.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import sizewise as sw
from sizewise.backends import tensorflow as backend

X, DIRECTION = (tf.constant(np.random.default_rng(seed).standard_normal((2, 9, 7, 3))) for seed in (0, 3))


def resize(x: Any, **options: Any) -> Any:
    return sw.resize(
        x, (6, 6), "linear", dialect="onnx", coordinate_transformation_mode="tf_crop_and_resize",
        roi=(0.2, 0.2, 1.3, 1.2), extrapolation_value=3.0, **options,
    )  # fmt: skip


def derivatives(call: Callable[[Any], Any], t: Any, order: int) -> list[Any]:
    """Return the value and derivatives in t of a function of x + t v, by nested tapes."""
    if order == 0:
        return [tf.reduce_sum(tf.sin(call(X + t * DIRECTION)) ** 2)]
    with tf.GradientTape() as tape:
        tape.watch(t)
        lower = derivatives(call, t, order - 1)
    return [*lower, tape.gradient(lower[-1], t)]


def test_tapes_hold_one_operation_of_the_framework_engine(override: Callable[..., None]) -> None:
    recorded, record = [], backend.record.record_operation
    wrapped = {"record_operation": lambda *args: (recorded.append(args[0]), record(*args))}
    override(backend, record=SimpleNamespace(**{**vars(backend.record), **wrapped}))
    with tf.GradientTape() as tape:
        tape.watch(X)
        resize(X, engine="framework")
    assert recorded == ["Sizewise"]


def test_derivatives_without_record(override: Callable[..., None]) -> None:
    t = tf.constant(0.3, tf.float64)
    expected = derivatives(resize, t, 3)
    override(backend, record=None)
    assert derivatives(resize, t, 3) == expected


@pytest.mark.parametrize("engine", [None, "kernel", "framework"])
def test_forward_mode_without_record(engine: str | None, override: Callable[..., None]) -> None:
    override(backend, record=None)
    for call in (resize, tf.function(resize)):
        with tf.autodiff.ForwardAccumulator(X, DIRECTION) as forward:
            y = tf.sin(call(X, engine=engine))
        tangent = resize(DIRECTION.numpy()) - resize(np.zeros(X.shape))
        np.testing.assert_allclose(forward.jvp(y), np.cos(resize(X.numpy())) * tangent, atol=1e-13)
