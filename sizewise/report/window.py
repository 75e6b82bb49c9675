"""Windows: what of an image or of an axis fits in a picture of few cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..insight.axis import Axis
from .heatmap import block_means

Array = NDArray[np.float64]


def by(size: Sequence[int]) -> str:
    """A size in words.

    >>> by((480, 640))
    '480x640'
    """
    return "x".join(map(str, size))


@dataclass(frozen=True)
class Window:
    """What of an image fits in a map: the first `shown` pixels of each axis, the mean of each `block` as one cell.

    >>> Window.fit((1000, 16), (4, 4), 22)
    Window(shown=(1000, 16), block=(46, 1))
    """

    shown: tuple[int, ...]
    block: tuple[int, ...]

    @classmethod
    def fit(cls, input_size: Sequence[int], output_size: Sequence[int], cells: int) -> Window:
        """An axis whole where it fits, or as means where two cells or more are left for each output pixel.

        Otherwise its first pixels: means of more than an output pixel are the same everywhere, and would show full
        coverage.
        """
        fits = [n_in <= cells or 2 * n_out <= cells for n_in, n_out in zip(input_size, output_size, strict=True)]
        shown = tuple(n if fit else cells for n, fit in zip(input_size, fits, strict=True))
        return cls(shown, tuple(-(-n // cells) for n in shown))

    @property
    def step(self) -> tuple[int, int]:
        """How many pixels a row and a column of cells stand for, of an image with one or two axes."""
        rows, columns = (1, *self.block)[-2:]
        return rows, columns

    def cells(self, profiles: Sequence[Array]) -> Array:
        """The gradient in each cell, as rows and columns, of an image with one or two axes."""
        parts = zip(profiles, self.shown, self.block, strict=True)
        means = [block_means(profile[:shown], block) for profile, shown, block in parts]
        table: Array = np.multiply.outer(means[0], means[1]) if len(means) == 2 else means[0][None, :]
        return table

    def caption(self, size: Sequence[int]) -> Iterator[str]:
        """What is shown, where it is not the whole image pixel by pixel."""
        if max(self.block) > 1:
            yield f"Each cell is the mean of {by(self.block)} pixels."
        if self.shown != tuple(size):
            yield f"Shown are the {'first' if len(size) == 1 else 'top left'} {by(self.shown)} pixels."


@dataclass(frozen=True)
class TapsWindow:
    """The first outputs of an axis and the inputs they read: a row for each output, and its weights.

    Where even few outputs read more inputs than there is room for, a cell is the sum of `block` weights.

    >>> import sizewise as sw
    >>> one = TapsWindow.of(sw.make_plan((8,), (4,), "area").explain().axes[0], rows=2, columns=6)
    >>> one.cells.tolist(), one.block
    ([[0.5, 0.5, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 0.0, 0.0]], 1)
    """

    cells: Array
    block: int
    axis: Axis

    @classmethod
    def of(cls, axis: Axis, rows: int, columns: int) -> TapsWindow:
        """The window of an axis that fits in so many cells."""
        taps, count = axis.taps, min(axis.n_out, rows)
        while count > min(axis.n_out, 4) and taps.input_range(0, count).stop > columns:
            count -= 1
        block = -(-taps.input_range(0, count).stop // columns) or 1
        width = min(-(-axis.n_in // block), columns)
        row, place = np.nonzero(np.arange(taps.width) < taps.count[:count, None])
        cell = (taps.start[row] + place) // block
        sums: Array = np.bincount(row * width + cell, taps.weights[row, place], count * width).astype(np.float64)
        return cls(sums.reshape(count, width), block, axis)

    @property
    def caption(self) -> str:
        """What is shown, where it is not the whole axis tap by tap; else nothing."""
        words = []
        if len(self.cells) < self.axis.n_out:
            words.append(f"the first {len(self.cells)} of {self.axis.n_out:,} outputs")
        if self.block > 1:
            words.append(f"each cell the sum of {self.block:,} weights")
        return ", ".join(words)


def alike(axes: Sequence[Axis]) -> list[tuple[str, Axis]]:
    """Axes that do the same, once, each with a name.

    >>> import sizewise as sw
    >>> [name for name, _ in alike(sw.make_plan((8, 8), (4, 4)).explain().axes)]
    ['both axes']
    """
    groups: list[list[int]] = []
    for position, axis in enumerate(axes):
        same = next((group for group in groups if _same(axes[group[0]], axis)), None)
        if same is None:
            groups.append([position])
        else:
            same.append(position)
    return [(_name(group, len(axes)), axes[group[0]]) for group in groups]


def _same(one: Axis, other: Axis) -> bool:
    pairs = ((one.taps.start, other.taps.start), (one.taps.weights, other.taps.weights))
    return one.n_in == other.n_in and all(np.array_equal(left, right) for left, right in pairs)


def _name(positions: list[int], rank: int) -> str:
    if len(positions) == rank:
        return {1: "the axis", 2: "both axes"}.get(rank, "all axes")
    if rank == 2:
        return ("down the rows", "along the columns")[positions[0]]
    return f"ax{'i' if len(positions) == 1 else 'e'}s {' and '.join(map(str, positions))}"
