"""How far two images are apart, in whole or in windows that tell most."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..dialects import is_floating
from ..errors import ArgumentError

Windows = list[tuple[slice, slice]]
ULP = 64  # of the largest number: how far frameworks of one formula are apart in floats, which round on the way


@dataclass(frozen=True)
class Score:
    """How far two images are apart: pixels that are identical, of how many, the largest difference, and the residual,
    the root of the mean square of the differences. Floats are identical that are as close as rounding leaves them.
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
        """What scores are sorted by, the nearest first; a few identical pixels are chance, and do not count."""
        if 100 * self.identical < self.pixels:
            return 0, self.residual, self.largest
        return -self.identical, self.largest, self.residual

    def __add__(self, other: Score) -> Score:
        pixels = self.pixels + other.pixels
        square = (self.residual**2 * self.pixels + other.residual**2 * other.pixels) / pixels
        largest = max(self.largest, other.largest)
        return Score(self.identical + other.identical, pixels, largest, math.sqrt(square))


def score(ours: NDArray, theirs: NDArray, tolerance: float = 0.0) -> Score:
    """How far images of the same shape, channels last, are apart.

    >>> score(np.array([[[1], [2]]], np.uint8), np.array([[[1], [5]]], np.uint8))
    Score(identical=1, pixels=2, largest=3.0, residual=2.1213203435596424)
    """
    kind = np.float64 if is_floating(theirs.dtype) or theirs.dtype.itemsize > 2 else np.int32
    difference = np.abs(ours.astype(kind) - theirs.astype(kind))
    largest = float(difference.max())
    if not math.isfinite(largest):
        raise ArgumentError("the images hold NaN or Inf, which cannot be compared; replace them first")
    identical = int((difference <= tolerance).all(axis=-1).sum())
    square = float(np.square(difference, dtype=np.float64).mean())
    return Score(identical, math.prod(difference.shape[:-1]), largest, math.sqrt(square))


def tolerance(x: NDArray, y: NDArray) -> float:
    """How far floats of one formula may be apart, in images of this range and the coarser of these dtypes: integers 0.

    >>> tolerance(np.ones((2, 2)), np.ones((1, 1), np.float32)) > 1e-6
    True
    """
    if not is_floating(y.dtype):
        return 0.0
    coarser = max(float(np.finfo(one.dtype).eps) for one in (x, y) if one.dtype.kind == "f")
    return ULP * coarser * max(float(np.abs(x).max()), float(np.abs(y).max()))


def telling(theirs: NDArray, *, side: int = 32, most: int = 4096) -> Windows:
    """Parts of an image that tell ways apart: all of it if it is small, else where it varies most, and a corner.

    They begin at multiples of 16 pixels, as the blocks of JPEG do.

    >>> telling(np.zeros((8, 8, 1))), telling(np.zeros((100, 100, 1)))[1]
    ([(slice(0, 8, None), slice(0, 8, None))], (slice(0, 32, None), slice(64, 100, None)))
    """
    height, width = theirs.shape[:2]
    if height * width <= most:
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
    """An axis in parts of `side`, the last of which is longer."""
    starts = range(0, max(n - side, 0) + 1, side)
    return [slice(start, n if start == starts[-1] else start + side) for start in starts]


def cut(image: NDArray, windows: Windows | None) -> NDArray:
    """The pixels of an image, or of windows of it one after the other: an array with channels last.

    >>> cut(np.arange(6).reshape(2, 3, 1), [(slice(0, 1), slice(0, 2)), (slice(1, 2), slice(2, 3))]).ravel()
    array([0, 1, 5])
    """
    if windows is None:
        return image
    return np.concatenate([image[window].reshape(-1, image.shape[-1]) for window in windows])
