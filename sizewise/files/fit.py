"""Size rules: what size an image is resized to, and where that lands in the size that was asked for.

Lengths are rounded to the nearest whole one, halves up, and never to 0; computed in whole numbers. Where a pixel cannot
be shared between two sides, the end (bottom, right) gets it: the one more that is padded, or cut away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import unknown_name

FITS = ("stretch", "contain", "cover", "letterbox")


@dataclass(frozen=True)
class Placement:
    """An image of `input_size`, resized to `size`, lands at `start` of a result of `output_size`.

    `start` is negative where the resized image is cut. All are lengths in array order: (height, width).
    """

    input_size: tuple[int, ...]
    size: tuple[int, ...]
    start: tuple[int, ...]
    output_size: tuple[int, ...]

    def apply(self, resized: NDArray, axes: Sequence[int], fill: ArrayLike = 0) -> NDArray:
        """The result, made of the resized image: cut, or with `fill` around it.

        >>> place((2, 4), (4, 4), "letterbox").apply(np.ones((2, 4), int), (0, 1)).tolist()
        [[0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]]
        """
        if self.size == self.output_size:
            return resized
        taken, given, shape = [slice(None)] * resized.ndim, [slice(None)] * resized.ndim, list(resized.shape)
        for axis, first, n, n_out in zip(axes, self.start, self.size, self.output_size, strict=True):
            taken[axis] = slice(max(0, -first), max(0, -first) + min(n, n_out))
            given[axis] = slice(max(0, first), max(0, first) + min(n, n_out))
            shape[axis] = n_out
        result = np.empty(shape, resized.dtype)
        result[...] = fill
        result[tuple(given)] = resized[tuple(taken)]
        return result

    def map_points(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points of the input as points of the result: (..., axes), in array order, where pixel i spans i to i + 1.

        >>> place((480, 640), (640, 640), "letterbox").map_points([[0, 0], [480, 640]]).tolist()
        [[80.0, 0.0], [560.0, 640.0]]
        """
        return np.asarray(points, float) * self.size / self.input_size + self.start

    def unmap_points(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points of the result as points of the input: the inverse of `map_points`.

        >>> place((480, 640), (640, 640), "letterbox").unmap_points([[80, 0], [560, 640]]).tolist()
        [[0.0, 0.0], [480.0, 640.0]]
        """
        return (np.asarray(points, float) - self.start) * self.input_size / self.size


def place(input_size: Sequence[int], size: Sequence[int], fit: str = "stretch") -> Placement:
    """Where an image of `input_size` goes in `size`, one length per axis.

    - stretch: `size` as it is, whatever becomes of the aspect.
    - contain: the largest size of the same aspect within it; that is the result.
    - cover: the smallest size of the same aspect around it, whose middle is cut out.
    - letterbox: as contain, in the middle of it, padded.

    >>> [place((3, 4), (6, 6), fit).size for fit in FITS]
    [(6, 6), (5, 6), (6, 8), (5, 6)]
    >>> place((3, 4), (6, 6), "cover").start, place((3, 4), (6, 6), "letterbox").start
    ((0, -1), (0, 0))
    """
    if fit not in FITS:
        raise unknown_name("fit", fit, FITS)
    given, wanted = tuple(input_size), tuple(size)
    if fit == "stretch":
        return Placement(given, wanted, (0,) * len(wanted), wanted)
    resized = _same_aspect(given, wanted, outside=fit == "cover")
    if fit == "contain":
        return Placement(given, resized, (0,) * len(wanted), resized)
    start = tuple(int((n_out - n) / 2) for n, n_out in zip(resized, wanted, strict=True))  # towards 0, cut or padded
    return Placement(given, resized, start, wanted)


def _same_aspect(n_in: tuple[int, ...], n_out: tuple[int, ...], *, outside: bool) -> tuple[int, ...]:
    """The size of n_in's aspect that just fits into n_out, or just around it."""
    # The axis that decides has the smallest n_out / n_in (outside: the largest), compared as whole products.
    up, down = n_out[0], n_in[0]
    for one, other in zip(n_out, n_in, strict=True):
        if (one * down > up * other) if outside else (one * down < up * other):
            up, down = one, other
    return tuple(max(1, (2 * n * up + down) // (2 * down)) for n in n_in)
