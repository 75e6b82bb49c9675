"""Image pair: an original and its resized image, converted so that they can be compared."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dialects import is_floating
from ..errors import ArgumentError, FileError, MissingExtraError, short_repr
from ..validation import require_real_array
from .pixel_error import tolerance
from .pixels import Source

_MAX_PATH_LENGTH = 4096  # characters; no system has longer paths


@dataclass(frozen=True)
class ImagePair:
    """The original to resize, the resized image, and notes on how they were converted.

    Both have channels last. `dtype` is that of the original as it was given. Floats within `tolerance` are the same.
    """

    source: Source
    theirs: NDArray
    dtype: np.dtype
    tolerance: float
    notes: tuple[str, ...] = ()

    @property
    def input_size(self) -> tuple[int, int]:
        """The height and width of the original."""
        height, width = self.source.x.shape[:2]
        return height, width

    @property
    def output_size(self) -> tuple[int, int]:
        """The height and width of the resized image."""
        height, width = self.theirs.shape[:2]
        return height, width


def image_pair(original: Any, resized: Any) -> ImagePair:
    """Return two images, arrays or file names, as a pair."""
    x, y = read_image(original, "original"), read_image(resized, "resized")
    notes: list[str] = []
    x, y = _match_channels(x, y, notes)
    dtype, x = x.dtype, _match_range(x, y, notes)
    alpha = x.shape[-1] in (2, 4) and x.dtype == np.uint8
    return ImagePair(Source(x, y.dtype, alpha), y, dtype, tolerance(x, y), tuple(notes))


def read_image(given: Any, name: str) -> NDArray:
    """Return pixels with channels last; a string or a path names a file."""
    pixels = _read_file(given) if isinstance(given, (str, os.PathLike)) else require_real_array(given, name)
    if pixels.ndim not in (2, 3) or 0 in pixels.shape:
        raise ArgumentError(
            f"{name} has shape {pixels.shape}; an image is (height, width) or (height, width, channels)"
        )
    if pixels.dtype == bool:
        pixels = pixels.astype(np.uint8)
    if pixels.dtype.kind == "f" and not np.isfinite(pixels).all():
        raise ArgumentError(f"{name} contains NaN or Inf, which cannot be compared; replace them first")
    return pixels if pixels.ndim == 3 else pixels[..., None]


def _match_channels(x: NDArray, y: NDArray, notes: list[str]) -> tuple[NDArray, NDArray]:
    ours, theirs = x.shape[-1], y.shape[-1]
    if ours in (2, 4) and theirs == ours - 1:
        notes.append("alpha of the original is ignored: the resized image has none")
        return x[..., :-1], y
    if ours == 1 and theirs == 3 and (y == y[..., :1]).all():
        notes.append("the resized image is gray in three equal channels: one of them is compared")
        return x, y[..., :1]
    if ours == 3 and theirs == 1 and (x == x[..., :1]).all():
        notes.append("the original is gray in three equal channels: one of them is compared")
        return x[..., :1], y
    if ours != theirs:
        raise ArgumentError(
            f"original has {ours} channels and resized has {theirs}; they must be the same, channels last: "
            "convert colors, or move the channel axis, first"
        )
    return x, y


def _match_range(x: NDArray, y: NDArray, notes: list[str]) -> NDArray:
    """Return the original in the range of the resized image: integers up to 255 may have become floats up to 1."""
    if is_floating(x.dtype) == is_floating(y.dtype):
        if not is_floating(x.dtype) and x.dtype != y.dtype:
            raise ArgumentError(f"original is {x.dtype} and resized is {y.dtype}; convert one of them first")
        return x.astype(y.dtype) if is_floating(x.dtype) else x
    integers, floats = (y, x) if is_floating(x.dtype) else (x, y)
    largest = np.iinfo(integers.dtype).max
    is_unit = float(floats.max()) <= 2.0 and float(integers.max()) > 2.0  # from 0 to 1, allowing for overshoot
    factor = (largest if integers is y else 1.0 / largest) if is_unit else 1.0
    if is_unit:
        notes.append(f"floats are assumed to be {integers.dtype} divided by {largest}")
    scaled: NDArray = (x.astype(np.float64) * factor).astype(x.dtype if integers is y else y.dtype)
    return scaled


def _read_file(path: str | os.PathLike[str]) -> NDArray:
    try:
        from ..files.reading import read_pixels  # imports Pillow, which arrays do not need
    except ImportError:
        raise MissingExtraError("reading images", "cli") from None
    if len(os.fspath(path)) > _MAX_PATH_LENGTH:
        raise FileError(f"{short_repr(path)} is not a file name: it has {len(os.fspath(path)):,} characters")
    pixels = read_pixels(path)
    if pixels.ndim not in (2, 3):
        raise FileError(f"{os.fspath(path)!r} holds an array of shape {pixels.shape}, not an image")
    return pixels
