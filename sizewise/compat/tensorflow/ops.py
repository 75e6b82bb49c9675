"""tf.image.resize, the resizing ops of tf.compat.v1.image, and ScaleAndTranslate: TensorFlow's words and dtypes.

As in TensorFlow, `nearest` keeps the dtype and all else is float32. Unlike there, all have gradients, of any order and
for every floating dtype. Sizes must be known when a graph is made, and so must the height and width of the images.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import NoneType
from typing import Any

import numpy as np
import tensorflow as tf

from ... import api, backends, checks
from ...autograph import do_not_convert
from ...errors import ArgumentError, ArgumentTypeError, is_of, shown, unknown_name
from ...memory_limits import require_memory

_AXES = (-3, -2)
# ScaleAndTranslate's names of kernels, and those of tf.image.resize.
_KERNELS = {
    "triangle": "bilinear",
    "keyscubic": "bicubic",
    **{name: name for name in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")},
}


@do_not_convert
def resize(
    images: Any,
    size: Any,
    method: Any = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """The images resized to `size`, (height, width), as tf.image.resize does it.

    Args:
        images: [batch, height, width, channels] or [height, width, channels].
        size: the new height and width.
        method: one of tf.image.ResizeMethod.
        preserve_aspect_ratio: fit the images into `size`, rather than fill it.
        antialias: whether to antialias where images shrink; "nearest" and "area" have no use for it.
        name: a name scope for the ops of a graph.

    >>> resize(tf.ones((16, 16, 3)), (4, 4), antialias=True).shape
    TensorShape([4, 4, 3])
    """
    flags = {"antialias": antialias, "preserve_aspect_ratio": preserve_aspect_ratio}
    words = {"dialect": "tensorflow", **{name: checks.flag(given, name) for name, given in flags.items()}}
    return _resized(images, (3, 4), size, method, name, words)


@do_not_convert
def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """The images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_bilinear does it.

    >>> resize_bilinear(tf.reshape([0.0, 2.0], (1, 1, 2, 1)), (1, 4)).numpy().ravel()
    array([0., 1., 2., 2.], dtype=float32)
    """
    return _original(images, size, "bilinear", align_corners, half_pixel_centers, name)


@do_not_convert
def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """The images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_nearest_neighbor does it.

    >>> resize_nearest_neighbor(tf.reshape([5, 7], (1, 1, 2, 1)), (1, 4)).numpy().ravel()
    array([5, 5, 7, 7], dtype=int32)
    """
    return _original(images, size, "nearest", align_corners, half_pixel_centers, name)


@do_not_convert
def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """The images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_bicubic does it.

    >>> resize_bicubic(tf.ones((1, 4, 4, 1)), (2, 2)).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    return _original(images, size, "bicubic", align_corners, half_pixel_centers, name)


@do_not_convert
def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Any:
    """The images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_area does it.

    >>> resize_area(tf.reshape([0.0, 2.0, 4.0, 6.0], (1, 1, 4, 1)), (1, 2)).numpy().ravel()
    array([1., 5.], dtype=float32)
    """
    return _original(images, size, "area", align_corners, False, name)


@do_not_convert
def scale_and_translate(
    images: Any,
    size: Any,
    scale: Any,
    translation: Any,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
    name: str | None = None,
) -> Any:
    """The images, [batch, height, width, channels], as tf.raw_ops.ScaleAndTranslate places them in the output.

    `scale` and `translation` are two numbers each: an output pixel is at scale * x + translation. Pixels outside the
    image are 0. The kernels are triangle, keyscubic, lanczos3, lanczos5, gaussian and mitchellcubic.

    >>> row = tf.reshape([1.0, 2.0, 3.0], (1, 1, 3, 1))
    >>> scale_and_translate(row, (1, 3), (1, 1), (0, 1), "triangle").numpy().ravel()
    array([0., 1., 2.], dtype=float32)
    """
    if not isinstance(kernel_type, str) or kernel_type not in _KERNELS:
        raise unknown_name("kernel of scale_and_translate", kernel_type, _KERNELS)
    placed = {"scale": _known(scale, "scale"), "translation": _known(translation, "translation")}
    words = {"antialias": checks.flag(antialias, "antialias"), "dialect": "tensorflow", **placed}
    return _resized(images, (4,), size, _KERNELS[kernel_type], name, words)


def _original(images: Any, size: Any, method: str, align_corners: Any, half_pixel_centers: Any, name: Any) -> Any:
    flags = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return _resized(images, (4,), size, method, name, {"dialect": "tensorflow1", **flags})


def _resized(
    images: Any, ranks: tuple[int, ...], size: Any, method: Any, name: str | None, words: dict[str, Any]
) -> Any:
    if not isinstance(name, (str, NoneType)):
        raise ArgumentTypeError(f"name must be text or None, not {shown(name)}")
    with nullcontext() if name is None else tf.name_scope(name):
        x = _tensor(images)
        if x.shape.rank not in ranks:
            allowed = " or ".join(map(str, ranks))
            raise ArgumentError(f"images has shape {x.shape}; it must be of rank {allowed}, channels last")
        if x.dtype.is_floating and not (isinstance(method, str) and method == "nearest"):
            x = tf.cast(x, tf.float32)
        return api.resize(x, _known(size, "size"), method, axes=_AXES, **words)


def _tensor(images: Any) -> Any:
    """The images as a tensor."""
    if tf.is_tensor(images):
        return images
    if isinstance(images, np.ndarray):
        require_memory(images.nbytes, "a tensor of shape {}", images.shape)
    try:
        return tf.convert_to_tensor(images)
    except Exception as failure:  # whatever TensorFlow has to say to it
        if not is_of(failure, "tensorflow"):
            raise
        raise ArgumentTypeError(f"images must be a tensor, and {shown(images)} is none: {failure}") from None


def _known(given: Any, name: str) -> Any:
    """Numbers that TensorFlow would take as a tensor, as a tuple; those that a graph computes from constants, too."""
    if given is None:
        raise ArgumentError(f"{name} must be two numbers, not None")
    value = backends.known(given, name)
    if tf.is_tensor(given):
        return tuple(np.ravel(value).tolist())
    return tuple(given) if isinstance(given, list) else given
