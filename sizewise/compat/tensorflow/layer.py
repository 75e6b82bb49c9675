"""Keras's layer Resizing on Sizewise: the same arguments, pixels and configuration, with every gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from ... import api, backends
from ...errors import ArgumentError

if not hasattr(tf.keras.layers.Resizing, "transform_images"):
    raise ArgumentError(f"Resizing needs a newer Keras 3 than {tf.keras.__version__}: pip install -U keras")
if tf.keras.config.backend() != "tensorflow":
    raise ArgumentError(
        f"Resizing is for Keras on TensorFlow, and this is Keras on {tf.keras.config.backend()}; "
        "set KERAS_BACKEND=tensorflow, or use sizewise.resize"
    )


@tf.keras.utils.register_keras_serializable(package="sizewise")  # type: ignore[untyped-decorator,unused-ignore]
class Resizing(tf.keras.layers.Resizing):  # type: ignore[misc]
    """The layer keras.layers.Resizing: resizes images to a height and width, in a model or in tf.data.

    It has the arguments, configuration, masks and boxes of the original. Models with this layer are saved and loaded as
    usual, once this module is imported.

    >>> Resizing(4, 4, antialias=True)(tf.ones((2, 16, 16, 3))).shape
    TensorShape([2, 4, 4, 3])
    """

    def transform_images(self, images: Any, transformation: Any = None, training: bool = True) -> Any:
        """Return the images resized."""
        return self._resize(images, self.interpolation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        """Return masks resized by "nearest", which keeps their values."""
        return self._resize(segmentation_masks, "nearest")

    def _resize(self, images: Any, method: str) -> Any:
        images = tf.convert_to_tensor(images)
        is_first = self.data_format == "channels_first"
        x = self._fit_aspect_ratio(_move_axis(images, -3, -1) if is_first else images)
        if x.dtype.is_floating and method != "nearest":
            x = tf.cast(x, tf.float32)  # as in tf.image.resize
        options: dict[str, Any] = {"antialias": getattr(self, "antialias", False), "axes": backends.CHANNELS_LAST}
        y = api.resize(x, (self.height, self.width), method, dialect="tensorflow", **options)
        y = _move_axis(y, -1, -3) if is_first else y
        if y.dtype == images.dtype:
            return y
        return tf.saturate_cast(tf.round(y) if images.dtype.is_integer else y, images.dtype)

    def _fit_aspect_ratio(self, images: Any) -> Any:
        """Return the images cropped or padded to the aspect ratio of the output, if the layer has that option."""
        if not (self.crop_to_aspect_ratio or self.pad_to_aspect_ratio):
            return images
        if self.crop_to_aspect_ratio and self.pad_to_aspect_ratio:
            raise ArgumentError("crop_to_aspect_ratio and pad_to_aspect_ratio are both True; give one")
        if self.fill_mode != "constant":
            raise ArgumentError(f"fill_mode must be 'constant', not {self.fill_mode!r}")
        height, width = images.shape[-3:-1]
        if height is None or width is None:
            raise ArgumentError(f"the height and width of images must be known; they have shape {images.shape}")
        fitted = _divide(width * self.height, self.width), _divide(height * self.width, self.height)
        lengths = list(zip((height, width), fitted, strict=True))
        if self.crop_to_aspect_ratio:
            (top, rows), (left, columns) = (_center(n, fit) for n, fit in lengths)
            return images[..., top : top + rows, left : left + columns, :]
        margins = [_divide(max(n, fit) - n, 2) for n, fit in lengths]
        paddings = [[0, 0]] * (images.shape.rank - 3) + [[n, n] for n in margins] + [[0, 0]]
        return tf.pad(images, paddings, constant_values=tf.cast(self.fill_value, images.dtype))


def _move_axis(x: Any, source: int, target: int) -> Any:
    """Return x with one axis moved."""
    order = list(range(x.shape.rank))
    order.insert(target % len(order), order.pop(source % len(order)))
    return tf.transpose(x, order)


def _divide(count: int, by: int) -> int:
    """Return count / by rounded down, in float32 as in Keras."""
    return int(np.float32(count) / np.float32(by))


def _center(n: int, fit: int) -> tuple[int, int]:
    """Return the start and the length of the middle part of an axis."""
    length = max(min(n, fit), 1)
    return _divide(n - length, 2), length
