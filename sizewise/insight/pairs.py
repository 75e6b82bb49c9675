"""A pair of images, an original and what was made of it, brought to one form so that they can be compared."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dialects import is_floating
from ..errors import ArgumentError, FileError, MissingExtraError, short_repr
from ..validation import require_real_array
from .pixels import Picture
from .scores import tolerance

_LONGEST = 4096  # letters of the name of a file, with its folders: no system has longer ones


@dataclass(frozen=True)
class Pair:
    """The original, ready to be resized, what was made of it, and notes on what was done to compare them.

    Both have channels last. `dtype` is what the original was given in. Floats are the same that are no farther
    apart than `tolerance`.
    """

    picture: Picture
    theirs: NDArray
    dtype: np.dtype
    tolerance: float
    notes: tuple[str, ...] = ()

    @property
    def input_size(self) -> tuple[int, int]:
        """Height and width of the original."""
        height, width = self.picture.x.shape[:2]
        return height, width

    @property
    def output_size(self) -> tuple[int, int]:
        """Height and width of what was made of it."""
        height, width = self.theirs.shape[:2]
        return height, width


def pair(original: Any, resized: Any) -> Pair:
    """Two images, arrays or names of files, as a pair.

    >>> two = pair(np.zeros((4, 6, 4), np.uint8), np.zeros((2, 3, 3), np.uint8))
    >>> two.input_size, two.output_size, two.notes
    ((4, 6), (2, 3), ('alpha of the original is left out: the resized image has none',))
    """
    x, y = image(original, "original"), image(resized, "resized")
    notes: list[str] = []
    x, y = _same_channels(x, y, notes)
    dtype, x = x.dtype, _same_range(x, y, notes)
    alpha = x.shape[-1] in (2, 4) and x.dtype == np.uint8
    return Pair(Picture(x, y.dtype, alpha), y, dtype, tolerance(x, y), tuple(notes))


def image(given: Any, name: str) -> NDArray:
    """Pixels as an array with channels last; a string or a path is the name of a file.

    >>> image([[0.0, 1.0]], "original").shape
    (1, 2, 1)
    """
    pixels = _read(given) if isinstance(given, (str, os.PathLike)) else require_real_array(given, name)
    if pixels.ndim not in (2, 3) or 0 in pixels.shape:
        raise ArgumentError(
            f"{name} has shape {pixels.shape}; an image is (height, width) or (height, width, channels)"
        )
    if pixels.dtype == bool:
        pixels = pixels.astype(np.uint8)
    if pixels.dtype.kind == "f" and not np.isfinite(pixels).all():
        raise ArgumentError(f"{name} holds NaN or Inf, which cannot be compared; replace them first")
    return pixels if pixels.ndim == 3 else pixels[..., None]


def _same_channels(x: NDArray, y: NDArray, notes: list[str]) -> tuple[NDArray, NDArray]:
    ours, theirs = x.shape[-1], y.shape[-1]
    if ours in (2, 4) and theirs == ours - 1:
        notes.append("alpha of the original is left out: the resized image has none")
        return x[..., :-1], y
    if ours == 1 and theirs == 3 and (y == y[..., :1]).all():
        notes.append("the resized image is grey in three equal channels: one of them is compared")
        return x, y[..., :1]
    if ours == 3 and theirs == 1 and (x == x[..., :1]).all():
        notes.append("the original is grey in three equal channels: one of them is compared")
        return x[..., :1], y
    if ours != theirs:
        raise ArgumentError(
            f"original has {ours} channels and resized has {theirs}; they must be the same, channels last: "
            "convert colours, or move the channel axis, first"
        )
    return x, y


def _same_range(x: NDArray, y: NDArray, notes: list[str]) -> NDArray:
    """The original in the range of numbers of the other: integers from 0 to 255 may have become floats up to 1."""
    if is_floating(x.dtype) == is_floating(y.dtype):
        if not is_floating(x.dtype) and x.dtype != y.dtype:
            raise ArgumentError(f"original is {x.dtype} and resized is {y.dtype}; convert one of them first")
        return x.astype(y.dtype) if is_floating(x.dtype) else x
    whole, real = (y, x) if is_floating(x.dtype) else (x, y)
    most = np.iinfo(whole.dtype).max
    in_units = float(real.max()) <= 2.0 and float(whole.max()) > 2.0  # from 0 to 1, with room for an overshoot
    factor = (most if whole is y else 1.0 / most) if in_units else 1.0
    if in_units:
        notes.append(f"floats are taken for {whole.dtype} divided by {most}")
    kind = x.dtype if whole is y else y.dtype
    scaled: NDArray = (x.astype(np.float64) * factor).astype(kind)
    return scaled


def _read(path: str | os.PathLike[str]) -> NDArray:
    try:
        from ..files.reading import read_pixels  # only now: arrays need no Pillow
    except ImportError:
        raise MissingExtraError("reading images", "cli") from None
    if len(os.fspath(path)) > _LONGEST:
        raise FileError(f"{short_repr(path)} is no name of a file: it has {len(os.fspath(path)):,} letters")
    pixels = read_pixels(path)
    if pixels.ndim not in (2, 3):
        raise FileError(f"{os.fspath(path)!r} holds an array of shape {pixels.shape}, not an image")
    return pixels
