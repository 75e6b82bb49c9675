"""The ops resizeBilinear and resizeNearestNeighbor of TF.js, their gradients, and `grads`: NHWC, TF.js's dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import api, backends
from ...backends import numpy as arrays
from ...errors import ArgumentError, ArgumentTypeError, MissingExtraError, short_repr

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def resize_bilinear(images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the images resized to `size`, (height, width), as TF.js does: always float32.

    Args:
        images: [batch, height, width, channels], or [height, width, channels]; float64 and float16 are read as
            float32, integers unchanged. (TF.js rejects booleans; here they are 0 and 1.)
        size: the new height and width.
        align_corners: align the centers of the corner pixels.
        half_pixel_centers: put pixel centers at 0.5; not together with align_corners.

    >>> resize_bilinear([[[1], [2]], [[3], [4]]], (4, 4))[0, :, 0]
    array([1. , 1.5, 2. , 2. ], dtype=float32)
    """
    x = as_tensor(images, "images", (3, 4))
    x = _as_dtype(x, _FLOAT32) if x.dtype.kind == "f" else x
    return _resize(x, size, "bilinear", align_corners, half_pixel_centers)


def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """Return the images resized to `size` by nearest neighbor, as TF.js does, in the same dtype.

    The arguments are those of `resize_bilinear`. Nested lists of numbers are float32, as in TF.js.

    >>> resize_nearest_neighbor(np.arange(3, dtype=np.uint8).reshape(1, 3, 1), (1, 6))[0, :, 0]
    array([0, 0, 1, 1, 2, 2], dtype=uint8)
    """
    return _resize(as_tensor(images, "images", (3, 4)), size, "nearest", align_corners, half_pixel_centers)


def resize_bilinear_grad(dy: Any, images: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the gradient of `resize_bilinear` at `images`, given `dy` at its output, as float32.

    Exactly the transpose of the forward op, for every flag, batch and shape; TF.js's own kernel is not.

    >>> resize_bilinear_grad(np.ones((1, 4, 4, 1)), np.zeros((1, 2, 2, 1))).ravel()
    array([2.25, 3.75, 3.75, 6.25], dtype=float32)
    """
    gradient, x = _as_pair(dy, images)
    return _resize_grad(_as_dtype(gradient, _FLOAT32), x.shape, "bilinear", align_corners, half_pixel_centers)


def resize_nearest_neighbor_grad(
    dy: Any, images: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """Return the gradient of `resize_nearest_neighbor` at `images`, given `dy`, in the shape and dtype of `images`.

    Exactly the transpose of the forward op, for every flag, batch and shape; TF.js's own kernel is not. TF.js labels
    the result with the dtype of `images`, even int32. So for integer (or bool) images the gradient is summed in
    float64, rounded half to even, and clipped to the range of the dtype (NaN becomes 0), which loses fractions. Use
    floating images to keep them.

    >>> resize_nearest_neighbor_grad(np.ones((1, 4, 4, 1)), np.zeros((1, 2, 2, 1), np.int32)).ravel()
    array([4, 4, 4, 4], dtype=int32)
    """
    gradient, x = _as_pair(dy, images)
    dtype = x.dtype.newbyteorder("=")
    is_floating = dtype.kind == "f"
    work = np.promote_types(dtype, _FLOAT32) if is_floating else _FLOAT64
    total = _resize_grad(_as_dtype(gradient, work), x.shape, "nearest", align_corners, half_pixel_centers)
    return _as_dtype(total, dtype) if is_floating else arrays.rounded(total, dtype)


def grads(f: Callable[..., Any]) -> Callable[..., list[Any]]:
    """Return a function of (args, dy=None) that returns the gradient of f at each of the arrays in the list `args`.

    As in TF.js, dy is the gradient at the output of f, in its shape; without it, the output is summed. f may use the
    ops of this module and those of `autograd.numpy`. Integer arrays and nested lists are read as float32, as in TF.js.
    An argument that f does not use has gradient zero; TF.js throws.

    >>> image = np.array([1, 2, 3, 4], np.float32).reshape(1, 2, 2, 1)
    >>> [dx] = grads(lambda img: resize_bilinear(img, (4, 4)).sum())([image])
    >>> dx.ravel()
    array([2.25, 3.75, 3.75, 6.25], dtype=float32)
    """
    try:
        from autograd import make_vjp
    except ImportError:
        raise MissingExtraError("grads()", "autograd") from None
    if not callable(f):
        raise ArgumentTypeError(f"grads() takes a function, not {short_repr(f)}")

    def gradients(args: Sequence[Any], dy: Any = None) -> list[Any]:
        if not isinstance(args, (list, tuple)) or not args:
            given = "an empty one" if isinstance(args, (list, tuple)) else type(args).__name__
            raise ArgumentError(f"grads(f) takes a list of arrays, one per argument of f, not {given}")
        tensors = [as_tensor(x, f"args[{position}]") for position, x in enumerate(args)]
        tensors = [x if x.dtype.kind == "f" else x.astype(np.float32) for x in tensors]
        vjp, y = make_vjp(f, argnum=tuple(range(len(tensors))))(*tensors)
        return [np.asarray(dx, x.dtype) for dx, x in zip(vjp(_cotangent(dy, y)), tensors, strict=True)]

    return gradients


def _cotangent(dy: Any, y: Any) -> Any:
    """Return the gradient at the output y of a function: dy, or ones."""
    if not isinstance(y, (np.ndarray, np.floating, float)):
        raise ArgumentTypeError(f"the function given to grads() must return one floating array, not {type(y).__name__}")
    shape, dtype = np.shape(y), np.result_type(y)
    cotangent = np.ones(shape, dtype) if dy is None else np.asarray(as_tensor(dy, "dy"), dtype)
    if cotangent.shape != shape:
        raise ArgumentError(f"dy has shape {cotangent.shape}, but the function returned shape {shape}; they must agree")
    return cotangent


def _options(align_corners: bool, half_pixel_centers: bool) -> dict[str, Any]:
    flags = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return {"dialect": "tfjs", "axes": backends.CHANNELS_LAST, **flags}


def _resize(x: Any, size: Any, method: str, align_corners: bool, half_pixel_centers: bool) -> Any:
    if size is None:
        raise ArgumentError("size must be two integers, (height, width), not None")
    return api.resize(x, size, method, **_options(align_corners, half_pixel_centers))


def _resize_grad(dy: Any, shape: tuple[int, ...], method: str, align_corners: bool, half_pixel_centers: bool) -> Any:
    return api.resize_grad(dy, shape[1:3], method, **_options(align_corners, half_pixel_centers))


def as_tensor(x: Any, name: str, ranks: tuple[int, ...] | None = None) -> Any:
    """Return an array unchanged, and nested lists as float32 or bool, as TF.js does; raise for other ranks."""
    backend = backends.backend_for(x)
    if backend is not arrays and not hasattr(x, "astype"):
        kind = f"{type(x).__module__}.{type(x).__name__}"
        raise ArgumentTypeError(f"{name} must be a NumPy array, nested lists or an autograd box, not {kind}")
    array = backend.array(x)
    if backend is arrays and not isinstance(x, (np.ndarray, np.generic)) and array.dtype != bool:
        array = array.astype(np.float32)
    if ranks is not None and len(array.shape) not in ranks:
        raise ArgumentError(
            f"{name} has rank {len(array.shape)} (shape {tuple(array.shape)}); it must be of rank "
            f"{' or '.join(map(str, ranks))}, [batch, height, width, channels]"
            + (" or [height, width, channels]" if 3 in ranks else "")
        )
    return array


def _as_dtype(x: Any, dtype: np.dtype) -> Any:
    """Return the array in the given dtype; not copied if it has it (autograd has no forward mode through a cast)."""
    if x.dtype == dtype:
        return x
    with np.errstate(over="ignore"):  # values out of range become infinite without a warning, as in all backends
        return x.astype(dtype)


def _as_pair(dy: Any, images: Any) -> tuple[Any, Any]:
    """Return dy and images as arrays of rank 4, with the same batch and channels."""
    gradient, x = as_tensor(dy, "dy", (4,)), as_tensor(images, "images", (4,))
    for axis, name in ((0, "batch"), (3, "channels")):
        if gradient.shape[axis] != x.shape[axis]:
            raise ArgumentError(
                f"dy has shape {tuple(gradient.shape)} and images {tuple(x.shape)}: their {name} must be the same, "
                f"not {gradient.shape[axis]} and {x.shape[axis]}"
            )
    return gradient, x
