"""Downsampling of images and taps for maps of few cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..insight.axis import Axis
from .text import format_size

Array = NDArray[np.float64]


def block_means(profile: Array, block: int) -> Array:
    """Return the mean of each run of `block` entries; the last run may be shorter."""
    edges = np.arange(0, len(profile), block)
    means: Array = np.add.reduceat(profile, edges) / np.diff([*edges, len(profile)])
    return means


@dataclass(frozen=True)
class Window:
    """The part of an image in a map: the first `size` pixels of each axis, one cell for the mean of each `block`."""

    size: tuple[int, ...]
    block: tuple[int, ...]

    @classmethod
    def fit(cls, input_size: Sequence[int], output_size: Sequence[int], cells: int) -> Window:
        """Fit an axis as a whole, or as means where each output pixel has two cells or more; else its first pixels.

        Means over more than an output pixel are the same everywhere, and would suggest full coverage.
        """
        fits = [n_in <= cells or 2 * n_out <= cells for n_in, n_out in zip(input_size, output_size, strict=True)]
        size = tuple(n if fit else cells for n, fit in zip(input_size, fits, strict=True))
        return cls(size, tuple(-(-n // cells) for n in size))

    @property
    def step(self) -> tuple[int, int]:
        """Pixels per row and per column of cells, of an image with one or two axes."""
        rows, columns = (1, *self.block)[-2:]
        return rows, columns

    def cells(self, profiles: Sequence[Array]) -> Array:
        """Return the gradient in each cell, as rows and columns, of an image with one or two axes."""
        parts = zip(profiles, self.size, self.block, strict=True)
        means = [block_means(profile[:length], block) for profile, length, block in parts]
        table: Array = np.multiply.outer(means[0], means[1]) if len(means) == 2 else means[0][None, :]
        return table

    def caption(self, input_size: Sequence[int]) -> Iterator[str]:
        """Yield sentences on the part and the cells; none for the whole image pixel by pixel."""
        if max(self.block) > 1:
            yield f"Each cell is the mean of {format_size(self.block)} pixels."
        if self.size != tuple(input_size):
            yield f"Shown are the {'first' if len(self.size) == 1 else 'top left'} {format_size(self.size)} pixels."


@dataclass(frozen=True)
class TapsWindow:
    """The weights of the first outputs of an axis, one row per output.

    Where even few outputs read more inputs than there are cells, a cell is the sum of `block` weights.
    """

    cells: Array
    block: int
    axis: Axis

    @classmethod
    def of(cls, axis: Axis, rows: int, columns: int) -> TapsWindow:
        """Return the window of an axis that fits in these rows and columns."""
        taps, count = axis.taps, min(axis.n_out, rows)
        while count > min(axis.n_out, 4) and taps.input_range(0, count).stop > columns:
            count -= 1
        block = -(-taps.input_range(0, count).stop // columns) or 1
        width = min(-(-axis.n_in // block), columns)
        row, tap = np.nonzero(np.arange(taps.width) < taps.count[:count, None])
        cell = (taps.start[row] + tap) // block
        sums: Array = np.bincount(row * width + cell, taps.weights[row, tap], count * width).astype(np.float64)
        return cls(sums.reshape(count, width), block, axis)

    @property
    def caption(self) -> str:
        """The outputs and the cells of the window; empty for the whole axis tap by tap."""
        parts = []
        if len(self.cells) < self.axis.n_out:
            parts.append(f"the first {len(self.cells)} of {self.axis.n_out:,} outputs")
        if self.block > 1:
            parts.append(f"each cell the sum of {self.block:,} weights")
        return ", ".join(parts)


def distinct_axes(axes: Sequence[Axis]) -> list[tuple[str, Axis]]:
    """Return axes with different taps, each with a name for the axes that share them."""
    groups: dict[tuple[int, bytes, bytes], list[int]] = {}
    for position, axis in enumerate(axes):
        groups.setdefault((axis.n_in, axis.taps.start.tobytes(), axis.taps.weights.tobytes()), []).append(position)
    return [(_name(group, len(axes)), axes[group[0]]) for group in groups.values()]


def _name(positions: list[int], rank: int) -> str:
    if len(positions) == rank:
        return {1: "the axis", 2: "both axes"}.get(rank, "all axes")
    if rank == 2:
        return ("down the rows", "along the columns")[positions[0]]
    return f"ax{'i' if len(positions) == 1 else 'e'}s {' and '.join(map(str, positions))}"
