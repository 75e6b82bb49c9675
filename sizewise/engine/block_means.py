"""Block means of uint8 images, rounded as Pillow rounds them: its `reducing_gap` (Reduce.c)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from .packing import Array, Indices


@dataclass(eq=False, repr=False)
class BlockMeans:
    """Consecutive blocks along each of `axes`: where they start, and how many pixels they have."""

    axes: tuple[int, ...]
    starts: tuple[Indices, ...]
    counts: tuple[Indices, ...]

    def run(self, x: Array, out: Array, n_threads: int | None) -> None:
        """Fill `out` with the means of the blocks of x."""
        sums = x
        for axis, start, count in zip(self.axes, self.starts, self.counts, strict=True):
            inside = (slice(None),) * axis + (slice(start[0], start[-1] + count[-1]),)
            sums = np.add.reduceat(sums[inside], start - start[0], axis=axis, dtype=np.int64)
        shapes = ([-1 if axis == own else 1 for axis in range(x.ndim)] for own in self.axes)
        sizes = (count.reshape(shape) for count, shape in zip(self.counts, shapes, strict=True))
        n_pixels: Indices = reduce(np.multiply, sizes)
        reciprocal = (np.float32(2**24) / n_pixels.astype(np.float32)).astype(np.int64)  # in 24 fractional bits
        out[...] = (sums + n_pixels // 2) * reciprocal >> 24
