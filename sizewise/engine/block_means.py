"""Means of blocks of whole numbers, rounded: what Pillow's `reducing_gap` takes before it resizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(eq=False, repr=False)
class BlockMeans:
    """Along each of `axes` blocks that follow each other, given by where they start and how many pixels they have."""

    axes: tuple[int, ...]
    starts: tuple[NDArray[np.int64], ...]
    counts: tuple[NDArray[np.int64], ...]

    def run(self, x: Array, out: Array, n_threads: int | None) -> None:
        """Fill `out` with the means of blocks of x, of uint8 as Pillow rounds them (Reduce.c)."""
        sums = x
        for axis, start, count in zip(self.axes, self.starts, self.counts, strict=True):
            inside = (slice(None),) * axis + (slice(start[0], start[-1] + count[-1]),)
            sums = np.add.reduceat(sums[inside], start - start[0], axis=axis, dtype=np.int64)
        counts = self._pixels(x.ndim)
        share = (np.float32(2**24) / counts.astype(np.float32)).astype(np.int64)  # 1 / count in 24 bits
        out[...] = (sums + counts // 2) * share >> 24

    def _pixels(self, rank: int) -> NDArray[np.int64]:
        """Return how many pixels each block has, along all axes of an array of that rank."""
        shapes = ([-1 if axis == own else 1 for axis in range(rank)] for own in self.axes)
        return reduce(np.multiply, (count.reshape(shape) for count, shape in zip(self.counts, shapes, strict=True)))
