"""TensorFlow's image-resizing functions and Keras's Resizing, with the same signatures and with every gradient.

>>> import tensorflow as tf
>>> from sizewise.compat import tensorflow as image
>>> image.resize(tf.reshape(tf.range(4.0), (2, 2, 1)), (2, 4))[0, :, 0].numpy()
array([0.  , 0.25, 0.75, 1.  ], dtype=float32)

As in TensorFlow, `nearest` keeps the dtype and all other methods return float32. Unlike there, all have gradients, of
any order and for every floating dtype. Sizes, and the height and width of images, must be known when a graph is built.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import api, backends, validation
from ...autograph import do_not_convert
from ...errors import ArgumentError, ArgumentTypeError, MissingExtraError, is_raised_by, short_repr
from ...memory_limits import require_memory
from .._arguments import require_known

try:
    import tensorflow as tf
except ModuleNotFoundError as missing:
    if missing.name != "tensorflow":
        raise
    raise MissingExtraError("sizewise.compat.tensorflow", "tensorflow") from missing

if TYPE_CHECKING:
    from .layer import Resizing

__all__ = [
    "Resizing", "resize", "resize_area", "resize_bicubic", "resize_bilinear", "resize_nearest_neighbor",
    "scale_and_translate",
]  # fmt: skip
__dir__ = __all__.copy

# ScaleAndTranslate's names of kernels, and those of tf.image.resize.
_KERNELS = {name: name for name in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")}
_KERNELS |= {"triangle": "bilinear", "keyscubic": "bicubic"}


def __getattr__(name: str) -> Any:
    if name == "Resizing":  # needs Keras 3, unlike all other functions
        from .layer import Resizing

        return Resizing
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@do_not_convert
def resize(
    images: Any,
    size: Any,
    method: Any = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Return the images resized to `size`, (height, width), as tf.image.resize does.

    Args:
        images: [batch, height, width, channels] or [height, width, channels].
        size: the new height and width.
        method: one of tf.image.ResizeMethod.
        preserve_aspect_ratio: fit the images into `size` instead of filling it.
        antialias: whether to antialias where images shrink; ignored by "nearest" and "area".
        name: a name scope for the ops of a graph.

    >>> resize(tf.ones((16, 16, 3)), (4, 4), antialias=True).shape
    TensorShape([4, 4, 3])
    """
    flags = {"antialias": antialias, "preserve_aspect_ratio": preserve_aspect_ratio}
    checked = {flag: validation.require_bool(given, flag) for flag, given in flags.items()}
    return _resize(images, (3, 4), size, method, name, dialect="tensorflow", **checked)


@do_not_convert
def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Return images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_bilinear does.

    >>> resize_bilinear(tf.reshape([0.0, 2.0], (1, 1, 2, 1)), (1, 4)).numpy().ravel()
    array([0., 1., 2., 2.], dtype=float32)
    """
    return _resize_v1(images, size, "bilinear", align_corners, half_pixel_centers, name)


@do_not_convert
def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Return images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_nearest_neighbor does.

    >>> resize_nearest_neighbor(tf.reshape([5, 7], (1, 1, 2, 1)), (1, 4)).numpy().ravel()
    array([5, 5, 7, 7], dtype=int32)
    """
    return _resize_v1(images, size, "nearest", align_corners, half_pixel_centers, name)


@do_not_convert
def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Return images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_bicubic does.

    >>> resize_bicubic(tf.ones((1, 4, 4, 1)), (2, 2)).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    return _resize_v1(images, size, "bicubic", align_corners, half_pixel_centers, name)


@do_not_convert
def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Any:
    """Return images, [batch, height, width, channels], resized as tf.compat.v1.image.resize_area does.

    >>> resize_area(tf.reshape([0.0, 2.0, 4.0, 6.0], (1, 1, 4, 1)), (1, 2)).numpy().ravel()
    array([1., 5.], dtype=float32)
    """
    return _resize_v1(images, size, "area", align_corners, False, name)


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
    """Return images, [batch, height, width, channels], scaled and moved as by tf.raw_ops.ScaleAndTranslate.

    `scale` and `translation` are pairs: input x is at scale * x + translation in the output. Pixels outside the image
    are 0. The kernels are triangle, keyscubic, lanczos3, lanczos5, gaussian and mitchellcubic.

    >>> row = tf.reshape([1.0, 2.0, 3.0], (1, 1, 3, 1))
    >>> scale_and_translate(row, (1, 3), (1, 1), (0, 1), "triangle").numpy().ravel()
    array([0., 1., 2.], dtype=float32)
    """
    method = _KERNELS[require_known(kernel_type, "kernel of scale_and_translate", _KERNELS)]
    transform = {"scale": _known(scale, "scale"), "translation": _known(translation, "translation")}
    is_smooth = validation.require_bool(antialias, "antialias")
    return _resize(images, (4,), size, method, name, dialect="tensorflow", antialias=is_smooth, **transform)


def _resize_v1(images: Any, size: Any, method: str, align_corners: Any, half_pixel_centers: Any, name: Any) -> Any:
    flags = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return _resize(images, (4,), size, method, name, dialect="tensorflow1", **flags)


def _resize(images: Any, ranks: tuple[int, ...], size: Any, method: Any, name: str | None, **options: Any) -> Any:
    if not isinstance(name, (str, NoneType)):
        raise ArgumentTypeError(f"name must be text or None, not {short_repr(name)}")
    with nullcontext() if name is None else tf.name_scope(name):
        x = _tensor(images)
        if x.shape.rank not in ranks:
            allowed = " or ".join(map(str, ranks))
            raise ArgumentError(f"images has shape {x.shape}; it must be of rank {allowed}, channels last")
        if x.dtype.is_floating and not (isinstance(method, str) and method == "nearest"):
            x = tf.cast(x, tf.float32)
        return api.resize(x, _known(size, "size"), method, axes=backends.CHANNELS_LAST, **options)


def _tensor(images: Any) -> Any:
    """Return the images as a tensor."""
    if tf.is_tensor(images):
        return images
    if isinstance(images, np.ndarray):
        require_memory(images.nbytes, "a tensor of shape {}", images.shape)
    try:
        return tf.convert_to_tensor(images)
    except Exception as failure:  # of any class of TensorFlow
        if not is_raised_by(failure, "tensorflow"):
            raise
        raise ArgumentTypeError(f"images must be a tensor, and {short_repr(images)} is none: {failure}") from None


def _known(given: Any, name: str) -> Any:
    """Return the values of a tensor as a tuple, also if a graph computes them from constants; lists as tuples."""
    if given is None:
        raise ArgumentError(f"{name} must be two numbers, not None")
    value = backends.known(given, name)
    if tf.is_tensor(given):
        return tuple(np.ravel(value).tolist())
    return tuple(given) if isinstance(given, list) else given
