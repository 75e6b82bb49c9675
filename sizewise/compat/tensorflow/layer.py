"""Keras's layer Resizing, through Sizewise: the same arguments, pixels and configuration, and every gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from ...errors import ArgumentError
from .ops import resize

if not hasattr(tf.keras.layers.Resizing, "transform_images"):
    raise ArgumentError(f"Resizing needs a newer Keras 3 than {tf.keras.__version__}: pip install -U keras")
if tf.keras.config.backend() != "tensorflow":
    raise ArgumentError(
        f"Resizing is for Keras on TensorFlow, and this is Keras on {tf.keras.config.backend()}; "
        "set KERAS_BACKEND=tensorflow, or use sizewise.resize"
    )


@tf.keras.utils.register_keras_serializable(package="sizewise")  # type: ignore[untyped-decorator,unused-ignore]
class Resizing(tf.keras.layers.Resizing):  # type: ignore[misc]
    """keras.layers.Resizing: images resized to a height and width, in a model or in tf.data.

    Its arguments are those of the original, whose configuration, masks and boxes it keeps. Models that hold one are
    saved and loaded as others are, once this module is imported.

    >>> Resizing(4, 4, antialias=True)(tf.ones((2, 16, 16, 3))).shape
    TensorShape([2, 4, 4, 3])
    """

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        """The images resized."""
        return self._resized(images, self.interpolation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        """Masks resized: their values are picked, never mixed."""
        return self._resized(segmentation_masks, "nearest")

    def _resized(self, images: Any, method: str) -> Any:
        images = tf.convert_to_tensor(images)
        first = self.data_format == "channels_first"
        last = _moved(images, first, -3, -1)
        y = resize(self._framed(last), (self.height, self.width), method, antialias=getattr(self, "antialias", False))
        y = _moved(y, first, -1, -3)
        if y.dtype == images.dtype:
            return y
        return tf.saturate_cast(tf.round(y) if images.dtype.is_integer else y, images.dtype)

    def _framed(self, images: Any) -> Any:
        """The images cropped or padded to the aspect ratio of the output, where that is asked for."""
        if not (self.crop_to_aspect_ratio or self.pad_to_aspect_ratio):
            return images
        if self.crop_to_aspect_ratio and self.pad_to_aspect_ratio:
            raise ArgumentError("crop_to_aspect_ratio and pad_to_aspect_ratio are both True; give one")
        if self.fill_mode != "constant":
            raise ArgumentError(f"fill_mode must be 'constant', not {self.fill_mode!r}")
        height, width = images.shape[-3:-1]
        if height is None or width is None:
            raise ArgumentError(f"the height and width of images must be known; they have shape {images.shape}")
        fitting = _ratio(width * self.height, self.width), _ratio(height * self.width, self.height)
        if self.crop_to_aspect_ratio:
            (top, rows), (left, columns) = (_middle(n, fit) for n, fit in zip((height, width), fitting, strict=True))
            return images[..., top : top + rows, left : left + columns, :]
        around = [_ratio(max(n, fit) - n, 2) for n, fit in zip((height, width), fitting, strict=True)]
        paddings = [[0, 0]] * (images.shape.rank - 3) + [[n, n] for n in around] + [[0, 0]]
        return tf.pad(images, paddings, constant_values=tf.cast(self.fill_value, images.dtype))


def _moved(x: Any, needed: bool, source: int, target: int) -> Any:
    """x with one axis moved, if that is needed."""
    if not needed:
        return x
    order = list(range(x.shape.rank))
    order.insert(target % len(order), order.pop(source % len(order)))
    return tf.transpose(x, order)


def _ratio(count: int, by: int) -> int:
    """The whole part of count / by, in float32 as in Keras."""
    return int(np.float32(count) / np.float32(by))


def _middle(n: int, fit: int) -> tuple[int, int]:
    """Where the middle part of a length begins, and how long it is."""
    length = max(min(n, fit), 1)
    return _ratio(n - length, 2), length
