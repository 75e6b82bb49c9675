"""Taps in whole numbers, as many for each output, so that loops over them are short and of one length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .packing import LANES, Packed, is_rising, pack_sixteens, pack_steps, readonly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .axis_taps import Runs


class Table(NamedTuple):
    """Taps kept apart: output o reads pixels first[o], first[o] + 1, ..., those outside the axis as its nearest end.

    No output begins before the one before it.
    """

    n_in: int
    first: NDArray[np.int64]
    weights: NDArray[np.int32]

    @property
    def reaches_beyond(self) -> bool:
        """Whether the last output reads beyond the end of the axis."""
        return bool(self.first[-1] + self.weights.shape[1] > self.n_in)

    def folded(self, step: int) -> Table:
        """The taps inside the axis, those of the same pixel added up; their number a multiple of `step`, given room."""
        n_out, width = self.weights.shape
        wide = min(-(-width // step) * step, self.n_in)
        start = np.clip(self.first, 0, self.n_in - wide)
        place = np.clip(self.first[:, None] + np.arange(width), 0, self.n_in - 1) - start[:, None]
        weights = np.zeros((n_out, wide), np.int32)
        np.add.at(weights, (np.arange(n_out)[:, None], place), self.weights)
        return Table(self.n_in, start, weights)

    def across(self, channels: int) -> Table:
        """The same as pixels of so many channels are summed the fastest: by pairs of taps, those of 3 or 4 by fours."""
        by_four = channels in (3, 4) and self.weights.shape[1] > 2
        wide = self.folded(4 if by_four else 2)
        return wide if wide.weights.shape[1] % 2 == 0 else self.folded(2)

    def sixteens(self, channels: int) -> Packed | None:
        """The same for sixteen numbers of a row at a time, as pixels of few channels are summed faster still.

        Weights must be int16. None where it cannot be; whether it is faster depends on the processor, too: see
        `vectors.permutes_bytes`.
        """
        return pack_sixteens(self.first, self.weights.astype(np.int16), channels) if channels < LANES else None


def paired(rows: Runs, columns: Runs, channels: int, *, permutes: bool) -> tuple[Any, ...] | None:
    """What `loops.paired_sixteens`, or `paired_quads`, takes for the taps of two axes; None where others are faster.

    Without sixteens that is where rows of pixels do not shrink, and where pixels have one channel, or many.
    """
    if columns.n_out * channels < LANES or not (_fits(rows) and _fits(columns) and is_rising(columns.start)):
        return None
    down, across = _table(rows).folded(2), _table(columns).folded(2)
    n_taps = down.weights.shape[1]
    if n_taps % 2:
        return None
    sixteens = across.sixteens(channels) if permutes else None
    if sixteens is None:
        across = _table(columns).folded(4)
        if channels not in (3, 4) or columns.n_out >= columns.n_in or across.weights.shape[1] % 4:
            return None
    header = (rows.n_in, n_taps, 1, rows.add, rows.shift, columns.add, columns.shift, columns.n_in)
    packed = pack_steps(header, down.first, across.first, across.weights.astype(np.int16), channels, sixteens)
    return (*packed, readonly(down.weights.astype(np.int16).reshape(-1)))


def _fits(runs: Runs) -> bool:
    """Whether there are weights, and all are int16."""
    limits = np.iinfo(np.int16)
    there = runs.n_in > 0 and runs.weights.size > 0
    return there and bool(limits.min <= runs.weights.min() and runs.weights.max() <= limits.max)


def _table(runs: Runs) -> Table:
    inside = np.arange(runs.weights.shape[1]) < runs.count[:, None]
    return Table(runs.n_in, runs.start, np.where(inside, runs.weights, 0))
