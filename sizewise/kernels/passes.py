"""One pass: resizes one axis, or two neighbouring axes, of an array of any rank, strides and dtype.

Arrays that the kernels can read as they are, are read in place, in bands of rows on several threads. All others (other
dtypes, other byte order, odd strides, integer results) go through in tiles: of about a megabyte, or of all that one row
of the result reads, where that is more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import load, threads
from .packing import Blocks, Lines, no_blocks, pack_blocks, pack_lines, readonly

Array = NDArray[Any]

TILE = 1 << 18  # numbers read into one tile
INLINE = 200_000  # numbers moved or multiplied (about 50 us) below which a second thread costs more than it gives
FEW_ROWS = 4  # below this, transposing eight rows at a time would mostly move copies of the last
HORIZONTAL_COST = 3.0  # the time of a horizontal tap over that of a vertical one, measured with few channels


@dataclass(frozen=True, eq=False)
class Runs:
    """The taps of one axis: start[n_out], count[n_out], weights[n_out, width], in the dtype of the sums."""

    n_in: int
    n_out: int
    start: NDArray[np.int64]
    count: NDArray[np.int64]
    weights: NDArray[np.floating]
    mean_count: float
    lines: Lines = field(init=False)
    _blocks: dict[int, Blocks] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", pack_lines(self.start, self.count, self.weights))

    def blocks(self, channels: int) -> Blocks:
        """The taps packed for eight rows of so many channels, kept for the next call."""
        if channels not in self._blocks:
            self._blocks[channels] = pack_blocks(self.start, self.count, self.weights, self.n_in, channels)
        return self._blocks[channels]

    def rows(self, first: int, last: int) -> tuple[slice, Runs]:
        """The inputs that outputs first .. last - 1 read, and the taps from those inputs."""
        start, count = self.start[first:last], self.count[first:last]
        high = int((start + count).max())
        low = min(int(start[count > 0].min(initial=high)), high)
        moved = np.where(count > 0, start - low, 0)
        return slice(low, high), Runs(high - low, last - first, moved, count, self.weights[first:last], self.mean_count)


@dataclass(frozen=True)
class Pass:
    """Vertical taps on axis `axis` and horizontal taps on the next; None leaves that axis as it is.

    `axis` is counted with one more axis put before the array's own, so that there is always one before the horizontal.
    `vertical_first` says which half goes first; `picks` that every output is one pixel as it is: bits are copied and no
    arithmetic is done.
    """

    axis: int
    vertical: Runs | None
    horizontal: Runs | None
    vertical_first: bool
    picks: bool

    @property
    def sums(self) -> np.dtype:
        """The dtype in which sums are formed."""
        runs = self.vertical or self.horizontal
        assert runs is not None
        return runs.weights.dtype


def prefer_vertical(vertical: Runs, horizontal: Runs) -> bool:
    """Whether the vertical half should go first, by the cost of both orders in multiply-adds and moves.

    A matter of the taps alone: were it to depend on batch, channels or tile, so would the last bits of the result.
    """
    h_in, h_out, w_in, w_out = vertical.n_in, vertical.n_out, horizontal.n_in, horizontal.n_out
    along, across = vertical.mean_count + 1, HORIZONTAL_COST * (horizontal.mean_count + 1)
    down = h_out * w_in * (along + 1) + h_out * w_out * across
    up = h_in * w_in + h_in * w_out * across + h_out * w_out * along
    return down <= up


def run(step: Pass, x: Array, out: Array, n_threads: int) -> None:
    """Fills `out` from `x`; the two agree in every axis that the pass leaves alone."""
    if out.size == 0:
        return
    x, out = x[None], out[None]
    if _readable(step, x, out):
        taps = sum(runs.mean_count for runs in (step.vertical, step.horizontal) if runs)
        most = max(1, int((x.size + out.size * (1 + taps)) // INLINE))
        threads.run(_band(step, x, out), prod(out.shape[: step.axis + 1]), min(n_threads, most))
    else:
        tiles = list(_tiles(*_merged(replace(step, axis=step.axis + 1), x[None], out[None])))
        threads.run(lambda first, last: _run_tiles(tiles[first:last]), len(tiles), n_threads)


def _readable(step: Pass, x: Array, out: Array) -> bool:
    """Whether the kernels can read x and write out as they are."""
    plain = all(a.flags.c_contiguous and a.flags.aligned and a.dtype.isnative for a in (x, out))
    # float32 arrays may be summed in float64; every other mixture goes through tiles, to keep the kernels few.
    return plain and x.dtype == out.dtype and (step.picks or x.dtype == step.sums or x.dtype == np.float32)


def _band(step: Pass, x: Array, out: Array) -> threads.Band:
    """The kernel call that fills output rows first .. last - 1 of contiguous arrays."""
    kernels, axis = load(), step.axis
    h_in, row_in, row_out = x.shape[axis], prod(x.shape[axis + 1 :]), prod(out.shape[axis + 1 :])
    channels = prod(x.shape[axis + 2 :])
    source, target = readonly(x.reshape(-1)), out.reshape(-1)
    vertical, horizontal = step.vertical, step.horizontal
    few = prod(out.shape[: axis + 1]) < FEW_ROWS
    blocks = horizontal.blocks(channels) if horizontal and not step.picks and not few else no_blocks(step.sums)
    args: tuple[Any, ...]
    if step.picks:
        bits = np.dtype(f"u{x.itemsize}")
        v_index = readonly(np.arange(h_in)) if vertical is None else vertical.lines.start
        h_index = readonly(np.zeros(1, np.int64)) if horizontal is None else horizontal.lines.start
        pixel = row_in if horizontal is None else channels
        kernel, args = kernels.pick, (h_in, row_in, row_out, pixel, v_index, h_index)
        source, target = source.view(bits), target.view(bits)
    elif vertical is None:
        assert horizontal is not None
        kernel, args = kernels.columns, (row_in, row_out, channels, horizontal.lines, blocks)
    elif horizontal is None:
        kernel, args = kernels.rows, (h_in, row_in, vertical.lines)
    else:
        kernel = kernels.down if step.vertical_first else kernels.up
        args = (h_in, row_in, row_out, channels, vertical.lines, horizontal.lines, blocks)
    return lambda first, last: kernel(source, target, *args, first, last)


def _merged(step: Pass, x: Array, out: Array) -> tuple[Pass, Array, Array]:
    """The same with all axes before the rows as one, where strides allow it: then one tile can hold many images."""
    try:
        images: Array = x.reshape(-1, *x.shape[step.axis :], copy=False)
        results: Array = out.reshape(-1, *out.shape[step.axis :], copy=False)
    except (ValueError, TypeError):  # no such view; or a NumPy before 2.1, which has no `copy`
        return step, x, out
    return replace(step, axis=1), images, results


def _tiles(step: Pass, x: Array, out: Array) -> Iterator[tuple[Pass, Array, Array]]:
    """The pass in pieces: several small images at a time, or blocks of rows of a large one."""
    size = max(prod(x.shape[step.axis :]), prod(out.shape[step.axis :]), 1)
    whole = replace(step, axis=1)
    for index in np.ndindex(x.shape[: step.axis - 1]):
        images, results = x[index], out[index]
        if size <= TILE:
            n_images = TILE // size
            for n in range(0, len(images), n_images):
                yield whole, images[n : n + n_images], results[n : n + n_images]
            continue
        h_out = results.shape[1]
        n_rows = max(1, TILE * h_out // size)
        for first in range(0, h_out, n_rows):
            last = min(first + n_rows, h_out)
            inputs, piece = slice(first, last), whole
            if step.vertical is not None:
                inputs, vertical = step.vertical.rows(first, last)
                piece = replace(whole, vertical=vertical)
            for n in range(len(images)):
                yield piece, images[n : n + 1, inputs], results[n : n + 1, first:last]


def _run_tiles(tiles: list[tuple[Pass, Array, Array]]) -> None:
    """Tile by tile through small contiguous copies, in the dtype of the sums."""
    for step, x, out in tiles:
        dtype = out.dtype.newbyteorder("=") if step.picks else step.sums
        result = np.empty(out.shape, dtype)
        band = _band(step, np.ascontiguousarray(x, dtype), result)
        band(0, prod(out.shape[: step.axis + 1]))
        store(result, out)


def store(values: Array, out: Array) -> None:
    """Writes values into out, rounded half to even and clipped where they are real and out holds integers."""
    if out.dtype.kind == "f" or values.dtype.kind != "f":
        with np.errstate(over="ignore", under="ignore"):  # a float16 that overflows is infinite, silently
            out[...] = values
        return
    low, high = (0, 1) if out.dtype.kind == "b" else (int(np.iinfo(out.dtype).min), int(np.iinfo(out.dtype).max))
    # The largest float64 not above the largest integer: for 64 bits they differ.
    top = float(high) if int(float(high)) == high else float(np.nextafter(float(high), 0.0))
    rounded = np.rint(values)
    out[...] = np.clip(rounded, low, top).astype(out.dtype)
    if top != high:
        out[rounded > top] = high
