"""The few array operations that steps need, in NumPy, PyTorch, JAX and TensorFlow.

Images are (..., height, width, channels) here. Each operation is differentiable in libraries that differentiate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError, short_repr
from ..memory_limits import require_memory

LIBRARIES = ("numpy", "torch", "jax", "tensorflow")
_ROOTS = {"jaxlib": "jax"}
Margins = tuple[int, int, int, int]  # top, bottom, left, right


def library_of(x: Any) -> str:
    """Return the library of an array; raise ArgumentTypeError for other objects.

    >>> library_of(np.zeros(3))
    'numpy'
    """
    for base in type(x).__mro__ if hasattr(x, "dtype") and hasattr(x, "shape") else ():
        root = base.__module__.partition(".")[0]
        if (name := _ROOTS.get(root, root)) in LIBRARIES:
            return name
    raise ArgumentTypeError(
        f"cannot preprocess a {type(x).__module__}.{type(x).__name__}; give a path, bytes, a Pillow image, or an array "
        f"of {', '.join(LIBRARIES)}"
    )


def dtype_name(x: Any) -> str:
    """Return the name of the dtype of an array.

    >>> dtype_name(np.zeros(3, np.uint8))
    'uint8'
    """
    dtype = x.dtype
    return str(getattr(dtype, "name", dtype)).removeprefix("torch.")


def cast(x: Any, dtype: str) -> Any:
    """Return x in another dtype; itself if it has that dtype already."""
    if dtype_name(x) == dtype:
        return x
    library = library_of(x)
    if library == "torch":
        import torch

        return x.to(getattr(torch, dtype))
    if library == "tensorflow":
        import tensorflow

        return tensorflow.cast(x, dtype)
    return x.astype(dtype)


def round_and_clip(x: Any, dtype: str) -> Any:
    """Return floats as integers, rounded half to even and clipped."""
    limits = np.iinfo(dtype)
    library = library_of(x)
    if library == "torch":
        return cast(x.round().clamp(limits.min, limits.max), dtype)
    if library == "tensorflow":
        import tensorflow

        return tensorflow.saturate_cast(tensorflow.round(x), dtype)
    return cast(x.round().clip(limits.min, limits.max), dtype)


def constant(values: Sequence[float], like: Any, dtype: str) -> Any:
    """Return a vector of the library and device of another array."""
    library = library_of(like)
    if library == "torch" and dtype == "bfloat16":  # which NumPy does not have
        import torch

        return torch.tensor(list(values), dtype=torch.bfloat16, device=like.device)
    vector = np.asarray(values, np.float64).astype(dtype)
    if library == "torch":
        import torch

        return torch.from_numpy(vector).to(like.device)
    if library == "tensorflow":
        import tensorflow

        return tensorflow.constant(vector)
    return vector


def permute(x: Any, axes: tuple[int, ...]) -> Any:
    """Return x with its axes in another order."""
    library = library_of(x)
    if library == "torch":
        return x.permute(axes)
    if library == "tensorflow":
        import tensorflow

        return tensorflow.transpose(x, axes)
    return x.transpose(axes)


def reverse_channels(x: Any) -> Any:
    """Return x with its last axis reversed."""
    library = library_of(x)
    if library == "torch":
        return x.flip(-1)
    if library == "tensorflow":
        import tensorflow

        return tensorflow.reverse(x, [-1])
    return x[..., ::-1]


def pad(x: Any, margins: Margins, fill: Sequence[float]) -> Any:
    """Return images with margins of a color: one value, or one per channel."""
    if not any(margins):
        return x
    library, dtype = library_of(x), dtype_name(x)
    _require_color(fill, int(x.shape[-1]), dtype)
    top, bottom, left, right = margins
    widths = [(0, 0)] * (len(x.shape) - 3) + [(top, bottom), (left, right), (0, 0)]
    if library == "numpy":
        return _pad_numpy(x, widths, fill)
    color = constant(fill, x, dtype)
    if library == "torch":
        import torch

        inside = torch.nn.functional.pad(torch.ones_like(x), (0, 0, left, right, top, bottom))
        padded = torch.nn.functional.pad(x, (0, 0, left, right, top, bottom))
        return torch.where(inside.bool(), padded, color)
    if library == "jax":
        import jax.numpy as library_ops
    else:
        import tensorflow as library_ops
    inside = library_ops.pad(library_ops.ones_like(x), widths)
    return library_ops.where(inside != 0, library_ops.pad(x, widths), color)


def _require_color(fill: Sequence[float], channels: int, dtype: str) -> None:
    """Raise ArgumentError for a color of another number of channels, or that bytes cannot hold."""
    if len(fill) not in (1, channels):
        raise ArgumentError(
            f"fill has {len(fill)} values for an image of {channels} channels; give one, or one for each"
        )
    if dtype == "uint8" and not (min(fill) >= 0 and max(fill) < 256):
        raise ArgumentError(f"fill is {short_repr(tuple(fill))}; in an image of uint8 it must be from 0 to 255")


def _pad_numpy(x: Any, widths: list[tuple[int, int]], fill: Sequence[float]) -> Any:
    shape = [n + before + after for n, (before, after) in zip(x.shape, widths, strict=True)]
    require_memory(math.prod(shape) * x.dtype.itemsize, "a padded image of shape {}", tuple(shape))
    padded = np.empty(shape, x.dtype)
    padded[...] = np.asarray(fill).astype(x.dtype)
    padded[tuple(slice(before, before + n) for n, (before, _) in zip(x.shape, widths, strict=True))] = x
    return padded


def stack(images: Sequence[Any]) -> Any:
    """Return images of one shape as a batch."""
    library = library_of(images[0])
    if library == "numpy":
        return np.stack(images)
    if library == "jax":
        import jax.numpy as library_ops
    elif library == "torch":
        import torch as library_ops
    else:
        import tensorflow as library_ops
    return library_ops.stack(list(images))


def convert(x: Any, library: str) -> Any:
    """Return an array of another library; PyTorch and NumPy share memory."""
    own = library_of(x)
    if own == library:
        return x
    array = x.detach().cpu().numpy() if own == "torch" else np.asarray(x)
    if library == "numpy":
        return array
    if library == "torch":
        import torch

        return torch.from_numpy(np.ascontiguousarray(array))
    if library == "jax":
        import jax.numpy

        return jax.numpy.asarray(array)
    import tensorflow

    return tensorflow.constant(array)
