"""The ops resizeBilinear and resizeNearestNeighbor of TF.js, and their gradients: NHWC, TF.js's dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import api
from ...backends.numpy import rounded
from ...errors import ArgumentError
from .tensors import as_dtype, require_rank, tensor

_AXES = (-3, -2)
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def resize_bilinear(images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """The images resized to `size`, (height, width), as TF.js resizes them: always float32.

    Args:
        images: [batch, height, width, channels], or [height, width, channels]; float64 and float16 are read as
            float32, integers as they are. (TF.js refuses booleans; here they are 0 and 1.)
        size: the new height and width.
        align_corners: put the centres of the corner pixels on each other.
        half_pixel_centers: put pixel centres at 0.5; not together with align_corners.

    >>> resize_bilinear([[[1], [2]], [[3], [4]]], (4, 4))[0, :, 0]
    array([1. , 1.5, 2. , 2. ], dtype=float32)
    """
    x = _images(images)
    x = as_dtype(x, _FLOAT32) if x.dtype.kind == "f" else x
    return _resize(x, size, "bilinear", align_corners, half_pixel_centers)


def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """The images resized to `size` by picking pixels, as TF.js picks them: the dtype stays.

    The arguments are those of `resize_bilinear`. Nested lists of numbers are float32, as in TF.js.

    >>> resize_nearest_neighbor(np.arange(3, dtype=np.uint8).reshape(1, 3, 1), (1, 6))[0, :, 0]
    array([0, 0, 1, 1, 2, 2], dtype=uint8)
    """
    return _resize(_images(images), size, "nearest", align_corners, half_pixel_centers)


def resize_bilinear_grad(dy: Any, images: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """The gradient of `resize_bilinear` at `images`, given `dy` at its output: float32, of the shape of `images`.

    Exactly the transpose of the forward op, for every flag, batch and shape; TF.js's own kernel is not.

    >>> resize_bilinear_grad(np.ones((1, 4, 4, 1)), np.zeros((1, 2, 2, 1))).ravel()
    array([2.25, 3.75, 3.75, 6.25], dtype=float32)
    """
    gradient, x = _pair(dy, images)
    return _transposed(as_dtype(gradient, _FLOAT32), x.shape, "bilinear", align_corners, half_pixel_centers)


def resize_nearest_neighbor_grad(
    dy: Any, images: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """The gradient of `resize_nearest_neighbor` at `images`, given `dy`: of the shape and dtype of `images`.

    Exactly the transpose of the forward op, for every flag, batch and shape; TF.js's own kernel is not. TF.js labels
    the result with the dtype of `images` even where that is int32. So for integer (or bool) images the gradient is
    summed in float64, rounded half to even, and clipped to what the dtype holds (NaN becomes 0); a fraction of `dy` is
    lost there. Use floating images to keep it.

    >>> resize_nearest_neighbor_grad(np.ones((1, 4, 4, 1)), np.zeros((1, 2, 2, 1), np.int32)).ravel()
    array([4, 4, 4, 4], dtype=int32)
    """
    gradient, x = _pair(dy, images)
    kept = x.dtype.newbyteorder("=")
    floating = kept.kind == "f"
    work = np.promote_types(kept, _FLOAT32) if floating else _FLOAT64
    total = _transposed(as_dtype(gradient, work), x.shape, "nearest", align_corners, half_pixel_centers)
    return as_dtype(total, kept) if floating else rounded(total, kept)


def _resize(x: Any, size: Any, method: str, align_corners: bool, half_pixel_centers: bool) -> Any:
    if size is None:
        raise ArgumentError("size must be two integers, (height, width), not None")
    return api.resize(
        x,
        size,
        method,
        dialect="tfjs",
        axes=_AXES,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


def _transposed(dy: Any, shape: tuple[int, ...], method: str, align_corners: bool, half_pixel_centers: bool) -> Any:
    return api.resize_grad(
        dy,
        shape[1:3],
        method,
        dialect="tfjs",
        axes=_AXES,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


def _images(given: Any) -> Any:
    x = tensor(given, "images")
    require_rank(x.shape, (3, 4), "images")
    return x


def _pair(dy: Any, images: Any) -> tuple[Any, Any]:
    """dy and images as arrays of rank 4, of one batch and channel count."""
    gradient, x = tensor(dy, "dy"), tensor(images, "images")
    require_rank(gradient.shape, (4,), "dy")
    require_rank(x.shape, (4,), "images")
    for axis, name in ((0, "batch"), (3, "channels")):
        if gradient.shape[axis] != x.shape[axis]:
            raise ArgumentError(
                f"dy has shape {tuple(gradient.shape)} and images {tuple(x.shape)}: their {name} must be the same, "
                f"not {gradient.shape[axis]} and {x.shape[axis]}"
            )
    return gradient, x
