"""Size rules: the size that an image is resized to, and its offset in the requested size.

Lengths are rounded to the nearest integer, halves up, and are at least 1; they are computed in integers. If padding or
cropping is odd, the end (bottom, right) gets one pixel more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import unknown_name

FITS = ("stretch", "contain", "cover", "letterbox")


@dataclass(frozen=True)
class Placement:
    """An image of `input_size`, resized to `size`, at `start` in a result of `output_size`.

    `start` is negative where the resized image is cropped. All are in array order: (height, width).
    """

    input_size: tuple[int, ...]
    size: tuple[int, ...]
    start: tuple[int, ...]
    output_size: tuple[int, ...]

    def apply(self, resized: NDArray, axes: Sequence[int], fill: ArrayLike = 0) -> NDArray:
        """Return the resized image cropped, or padded with `fill`."""
        if self.size == self.output_size:
            return resized
        source, target, shape = [slice(None)] * resized.ndim, [slice(None)] * resized.ndim, list(resized.shape)
        for axis, first, n, n_out in zip(axes, self.start, self.size, self.output_size, strict=True):
            source[axis] = slice(max(0, -first), max(0, -first) + min(n, n_out))
            target[axis] = slice(max(0, first), max(0, first) + min(n, n_out))
            shape[axis] = n_out
        result = np.empty(shape, resized.dtype)
        result[...] = fill
        result[tuple(target)] = resized[tuple(source)]
        return result


def place(input_size: Sequence[int], size: Sequence[int], fit: str = "stretch") -> Placement:
    """Return the placement of an image of `input_size` in `size`, one length per axis.

    - stretch: exactly `size`, which may change the aspect ratio.
    - contain: the largest size of the same aspect ratio within `size`; that is the result.
    - cover: the smallest size of the same aspect ratio around `size`, cropped to its center.
    - letterbox: like contain, centered in `size` and padded.
    """
    if fit not in FITS:
        raise unknown_name("fit", fit, FITS)
    given, wanted = tuple(input_size), tuple(size)
    if fit == "stretch":
        return Placement(given, wanted, (0,) * len(wanted), wanted)
    ratios = [Fraction(n_out, n_in or 1) for n_in, n_out in zip(given, wanted, strict=True)]
    scale = max(ratios) if fit == "cover" else min(ratios)
    resized = tuple(max(1, int(n * scale + Fraction(1, 2))) for n in given)
    if fit == "contain":
        return Placement(given, resized, (0,) * len(wanted), resized)
    start = tuple(int((n_out - n) / 2) for n, n_out in zip(resized, wanted, strict=True))  # rounds towards 0
    return Placement(given, resized, start, wanted)
