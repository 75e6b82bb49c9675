"""The same cases in the frameworks: each function gives the call to time, or None where the framework has none.

Gradients are the framework's own gradient kernels, called directly, without the cost of recording a graph. Each
function's result, as NHWC, must equal ours before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import tensorflow as tf
import torch

from .cases import Case

Call = Callable[[], Any]


def tensorflow(case: Case) -> Call | None:
    """TensorFlow's raw kernels, those tf.image.resize calls."""
    images, dy = map(tf.constant, case.data())
    half = {"align_corners": False, "half_pixel_centers": True}
    if case.antialias:
        scale = np.array(case.size, np.float32) / np.array(case.shape[1:3], np.float32)
        kernel = {"bilinear": "triangle", "bicubic": "keyscubic"}[case.method]
        words = {"scale": scale, "translation": [0.0, 0.0], "kernel_type": kernel, "antialias": True}
        if case.gradient:
            return lambda: tf.raw_ops.ScaleAndTranslateGrad(grads=dy, original_image=images, **words)
        return lambda: tf.raw_ops.ScaleAndTranslate(images=images, size=case.size, **words)
    if case.method == "nearest":
        if case.gradient:
            return lambda: tf.raw_ops.ResizeNearestNeighborGrad(grads=dy, size=case.shape[1:3], **half)
        return lambda: tf.raw_ops.ResizeNearestNeighbor(images=images, size=case.size, **half)
    if case.gradient:
        return lambda: tf.raw_ops.ResizeBilinearGrad(grads=dy, original_image=images, **half)
    return lambda: tf.raw_ops.ResizeBilinear(images=images, size=case.size, **half)


def _torch(case: Case, memory: torch.memory_format) -> Call | None:
    aten = torch.ops.aten
    arrays = (torch.from_numpy(array).permute(0, 3, 1, 2) for array in case.data())
    images, dy = (array.contiguous(memory_format=memory) for array in arrays)
    shape = list(images.shape)
    size = list(case.size)
    if case.method == "nearest":
        if case.gradient:
            return lambda: aten._upsample_nearest_exact2d_backward(dy, size, shape)
        return lambda: aten._upsample_nearest_exact2d(images, size)
    suffix = f"upsample_{case.method}2d" + ("_aa" if case.antialias else "")
    forward = getattr(aten, f"_{suffix}" if case.antialias else suffix)
    if case.gradient:
        backward = getattr(aten, f"_{suffix}_backward" if case.antialias else f"{suffix}_backward")
        return lambda: backward(dy, size, shape, False)
    return lambda: forward(images, size, False)


def torch_channels_first(case: Case) -> Call | None:
    """PyTorch's kernels on contiguous NCHW tensors."""
    return _torch(case, torch.contiguous_format)


def torch_channels_last(case: Case) -> Call | None:
    """PyTorch's kernels on channels_last tensors."""
    return _torch(case, torch.channels_last)


def opencv(case: Case) -> Call | None:
    """OpenCV, image by image; it has no gradients, no antialiasing but for its area mode, and four channels at most."""
    if case.gradient or case.antialias or case.shape[3] > 4:
        return None
    images, _ = case.data()
    mode = {"bilinear": cv2.INTER_LINEAR, "nearest": cv2.INTER_NEAREST_EXACT}[case.method]
    size = case.size[::-1]

    def call() -> np.ndarray:
        return np.stack([cv2.resize(image, size, interpolation=mode) for image in images])

    expected = case.ours()()
    if np.abs(call().reshape(expected.shape) - expected).max() > 1e-4:
        return None  # it picks other pixels at these sizes: another result, not to be compared
    return lambda: [cv2.resize(image, size, interpolation=mode) for image in images]


PEERS = {
    "TensorFlow": tensorflow,
    "PyTorch NCHW": torch_channels_first,
    "PyTorch channels_last": torch_channels_last,
    "OpenCV": opencv,
}


def as_array(result: Any) -> np.ndarray:
    """A framework's result as a NumPy array, channels last."""
    if isinstance(result, torch.Tensor):
        return result.permute(0, 2, 3, 1).numpy()
    if isinstance(result, list):  # OpenCV drops a single channel
        return np.stack([image.reshape(*image.shape[:2], -1) for image in result])
    return result.numpy()
