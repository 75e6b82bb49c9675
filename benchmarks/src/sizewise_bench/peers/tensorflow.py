"""TensorFlow: the raw kernels, forward and gradient, that tf.image.resize calls. Channels last and float32 only."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "TensorFlow", "tensorflow"
_KERNELS = {"bilinear": "triangle", "bicubic": "keyscubic", "lanczos3": "lanczos3"}


def version() -> str:
    """Return TensorFlow's version."""
    import tensorflow

    return str(tensorflow.__version__)


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return TensorFlow, if it has the op."""
    import tensorflow as tf

    is_known = case.method in ("nearest", *_KERNELS)
    if not is_known or case.dtype != "float32" or case.layout != "NHWC" or case.dialect != "standard":
        return []
    _limit(threads)
    with tf.device("CPU:0"):
        return [from_call(NAME, _call(case, tf.constant(source)), lambda result: np.asarray(result.numpy()))]


def _limit(threads: int) -> None:
    """Set the number of threads; TensorFlow accepts it only before the first op."""
    import tensorflow as tf

    if tf.config.threading.get_intra_op_parallelism_threads() != threads:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)


def _call(case: Case, source: Any) -> Callable[[], Any]:
    import tensorflow as tf

    ops, half = tf.raw_ops, {"align_corners": False, "half_pixel_centers": True}
    height, width = case.shape[1:3]
    if case.method == "nearest":
        if case.gradient:
            return partial(ops.ResizeNearestNeighborGrad, grads=source, size=[height, width], **half)
        return partial(ops.ResizeNearestNeighbor, images=source, size=case.size, **half)
    original = tf.zeros(case.shape)  # only its shape is read
    if case.method == "bilinear" and not case.antialias:
        if case.gradient:
            return partial(ops.ResizeBilinearGrad, grads=source, original_image=original, **half)
        return partial(ops.ResizeBilinear, images=source, size=case.size, **half)
    scale = np.array(case.size, np.float32) / np.array((height, width), np.float32)
    arguments = {"scale": scale, "translation": [0.0, 0.0], "kernel_type": _KERNELS[case.method]}
    arguments["antialias"] = case.antialias
    if case.gradient:
        return partial(ops.ScaleAndTranslateGrad, grads=source, original_image=original, **arguments)
    return partial(ops.ScaleAndTranslate, images=source, size=case.size, **arguments)
