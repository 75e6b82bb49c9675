"""Pixel errors: how far apart two images are, as a whole or in their most distinctive windows."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..dialects import is_floating
from ..errors import ArgumentError

Windows = list[tuple[slice, slice]]
ULP = 64  # of the largest value: how far frameworks with the same formula are apart in floats


@dataclass(frozen=True)
class PixelError:
    """The number of identical pixels, of how many, the largest difference, and the residual: the root mean square of
    the differences. Floats count as identical if they agree to rounding.
    """

    identical: int
    pixels: int
    largest: float
    residual: float

    @property
    def exact(self) -> bool:
        """Whether all pixels are identical."""
        return self.identical == self.pixels

    @property
    def key(self) -> tuple[float, float, float]:
        """The sort key, nearest first; less than 1 % of identical pixels is chance, and does not count."""
        if 100 * self.identical < self.pixels:
            return 0, self.residual, self.largest
        return -self.identical, self.largest, self.residual


def format_value(value: float, digits: int = 4) -> str:
    """Return a difference of pixels as text: in significant digits, but whole where these do not reach the point.

    >>> format_value(65535.0), format_value(0.123456), format_value(999.9, 3), format_value(3e38)
    ('65,535', '0.1235', '1,000', '3e+38')
    """
    return f"{value:,.0f}" if 10 ** (digits - 1) <= value < 1e10 else f"{value:.{digits}g}"


def difference(ours: NDArray, theirs: NDArray) -> NDArray:
    """Return the absolute difference of each value, without overflow of integers."""
    kind = np.float64 if is_floating(theirs.dtype) or theirs.dtype.itemsize > 2 else np.int32
    apart: NDArray = np.abs(ours.astype(kind) - theirs.astype(kind))
    return apart


def pixel_error(ours: NDArray, theirs: NDArray, tolerance: float = 0.0) -> PixelError:
    """Return the error between images of the same shape, channels last."""
    apart = difference(ours, theirs)
    largest = float(apart.max())
    if not math.isfinite(largest):
        raise ArgumentError("the images contain NaN or Inf, which cannot be compared; replace them first")
    identical = int((apart <= tolerance).all(axis=-1).sum())
    square = float(np.square(apart, dtype=np.float64).mean())
    return PixelError(identical, math.prod(apart.shape[:-1]), largest, math.sqrt(square))


def tolerance(x: NDArray, y: NDArray) -> float:
    """Return how far apart floats of the same formula may be, for the range and coarser dtype of these images."""
    if not is_floating(y.dtype):
        return 0.0
    coarser = max(float(np.finfo(one.dtype).eps) for one in (x, y) if one.dtype.kind == "f")
    return ULP * coarser * max(float(np.abs(x).max()), float(np.abs(y).max()))


def distinctive_windows(theirs: NDArray, *, side: int = 32, max_pixels: int = 4096) -> Windows:
    """Return the parts of an image that tell resizes apart: all of a small one, else the busiest part and a corner.

    They start at multiples of 16 pixels, as the blocks of JPEG do.
    """
    height, width = theirs.shape[:2]
    if height * width <= max_pixels:
        return [(slice(0, height), slice(0, width))]
    rows, columns = _spans(height, side), _spans(width, side)

    def variance(window: tuple[slice, slice]) -> float:
        return float(theirs[window].astype(np.float32).var())

    inner = max(itertools.product(rows, columns), key=variance)
    corners = [
        window for window in itertools.product((rows[0], rows[-1]), (columns[0], columns[-1])) if window != inner
    ]
    return [inner, max(corners, key=variance)] if corners else [inner]


def _spans(n: int, side: int) -> list[slice]:
    """Split an axis into parts of `side`, the last of which is longer."""
    starts = range(0, max(n - side, 0) + 1, side)
    return [slice(start, n if start == starts[-1] else start + side) for start in starts]


def crop(image: NDArray, windows: Windows | None) -> NDArray:
    """Return the pixels of an image, or those of its windows one after the other: channels last."""
    if windows is None:
        return image
    return np.concatenate([image[window].reshape(-1, image.shape[-1]) for window in windows])
