"""Draft decoding of JPEG files: libjpeg scales blocks by 1/2, 1/4 or 1/8 while it decodes them.

A draft is decoded in a fraction of the time, and its pixels differ from those of a full decode. The scale is that of
Pillow's `Image.thumbnail`: the decoded size is at least `REDUCING_GAP` times the size to resize to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

REDUCING_GAP = 2.0
_FLIPS_ROWS, _FLIPS_COLUMNS, _SWAPS_AXES = (3, 4, 6, 7), (2, 3, 7, 8), (5, 6, 7, 8)

Size = tuple[int, int]
ResizedSize = Callable[[Size], Size]


@dataclass(frozen=True)
class Draft:
    """The scale of a decoded JPEG, the upright size of its file, and the part of the decoded pixels that it covers.

    Blocks have 8 pixels, so the last row or column of a draft may cover fewer pixels of the file than the others.
    `box` is (left, upper, right, lower) in decoded pixels, with fractions.
    """

    scale: int
    file_size: Size
    box: tuple[float, float, float, float]

    def __str__(self) -> str:
        return f"1/{self.scale}"

    def crop(self, pixels: NDArray) -> NDArray:
        """Return the decoded pixels of the box, with its edges rounded to pixels."""
        left, upper, right, lower = (round(edge) for edge in self.box)
        return pixels[upper : max(lower, upper + 1), left : max(right, left + 1)]


@dataclass(frozen=True)
class Difference:
    """Absolute differences between the resized pixels of a draft and of a full decode, on the scale of 0 to 255."""

    name: str
    scale: str
    mean: float
    largest: int


def begin(image: Any, orientation: int, resized_size: ResizedSize) -> Draft | None:
    """Let an opened image be decoded as a draft, and return it; None for other formats than JPEG.

    `resized_size` returns the size to resize to, from the upright size of the file; both are (height, width).
    """
    if image.format not in ("JPEG", "MPO"):
        return None
    is_swapped = orientation in _SWAPS_AXES
    width, height = image.size
    file_size = (width, height) if is_swapped else (height, width)
    wanted = resized_size(file_size)
    columns, rows = wanted if is_swapped else wanted[::-1]
    found = image.draft(None, (int(columns * REDUCING_GAP), int(rows * REDUCING_GAP)))
    right, lower = found[1][2:] if found else (width, height)
    box = _upright_box(image.size, (right, lower), orientation)
    return Draft(round(width / right), file_size, box)


def difference(name: str, scale: str, draft: NDArray, full: NDArray) -> Difference:
    """Return the difference between two results of the same shape."""
    gaps = np.abs(draft.astype(np.int16) - full)
    return Difference(name, scale, float(gaps.mean()), int(gaps.max()))


def _upright_box(decoded: Size, covered: tuple[float, float], orientation: int) -> tuple[float, float, float, float]:
    """Return the covered part of decoded pixels, both (width, height), after the rotation by EXIF's orientation."""
    starts = [
        length - part if orientation in flips else 0.0
        for length, part, flips in zip(decoded, covered, (_FLIPS_COLUMNS, _FLIPS_ROWS), strict=True)
    ]
    edges = [(start, start + part) for start, part in zip(starts, covered, strict=True)]
    (left, right), (upper, lower) = edges[::-1] if orientation in _SWAPS_AXES else edges
    return left, upper, right, lower
