"""The taps of one axis as the kernels take them: `Lines`, and `Blocks` for a horizontal pass over few channels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LANES = 8  # numbers in one vector, and rows transposed at a time; 4 and 16 rows were slower
MANY_CHANNELS = 16  # from here on a pixel fills vectors by itself, and rows need not be transposed

Array = NDArray[Any]
Indices = NDArray[np.int64]


class Lines(NamedTuple):
    """Which lines each output reads: `counts` of them from `start`, with `weights` (flat, equally many per output)."""

    start: Indices
    counts: Indices
    weights: NDArray[np.floating]


class Blocks(NamedTuple):
    """The same taps for eight transposed rows, eight neighbouring numbers of the result at a time.

    Block b makes the numbers first[b] .. first[b] + 7 of each row; its eight windows begin at place[8 b + a] of the
    transposed rows, are depth[b] taps deep, and have their weights at table[offset[b] + 8 k + a].
    """

    first: Indices
    place: Indices
    depth: Indices
    offset: Indices
    table: NDArray[np.floating]


def no_blocks(dtype: np.dtype) -> Blocks:
    """Blocks that say: row by row."""
    nothing = readonly(np.zeros(0, np.int64))
    return Blocks(nothing, nothing, nothing, nothing, readonly(np.zeros(1, dtype)))


def pack_lines(start: Indices, count: Indices, weights: NDArray[np.floating]) -> Lines:
    """Lines from start[n_out], count[n_out] and weights[n_out, width]."""
    flat = weights.reshape(-1) if weights.size else np.zeros(max(len(start), 1), weights.dtype)
    return Lines(readonly(start), readonly(count), readonly(flat))


def pack_blocks(start: Indices, count: Indices, weights: NDArray[np.floating], n_in: int, channels: int) -> Blocks:
    """Blocks from the same, for rows of n_in pixels; none where rows are too short or pixels long enough already."""
    n_out, width = weights.shape
    length = n_out * channels
    if channels >= MANY_CHANNELS or length < LANES or n_in * channels < LANES or width == 0:
        return no_blocks(weights.dtype)
    first = np.minimum(np.arange(0, length, LANES), length - LANES)
    number = first[:, None] + np.arange(LANES)  # which number of the row each lane of each block makes
    pixel, channel = number // channels, number % channels
    depth = count[pixel].max(axis=1)
    # A window is padded to the depth of its block, to the left where it would leave the row on the right.
    window = np.minimum(start[pixel], n_in - depth[:, None])
    offset = (np.cumsum(depth) - depth) * LANES
    table = np.zeros(max(int(depth.sum()), 1) * LANES, weights.dtype)
    taps = count[pixel].reshape(-1)
    lane = np.repeat(np.arange(number.size), taps)  # every tap of every lane of every block, in a row
    tap = np.arange(len(lane)) - np.repeat(np.cumsum(taps) - taps, taps)
    down = (start[pixel] - window).reshape(-1)[lane] + tap  # how deep in its block's window the tap lies
    table[offset[lane // LANES] + LANES * down + lane % LANES] = weights[pixel.reshape(-1)[lane], tap]
    place = (window * channels + channel) * LANES
    return Blocks(readonly(first), readonly(place.reshape(-1)), readonly(depth), readonly(offset), readonly(table))


def readonly(array: Array) -> Array:
    """A view of the array, contiguous and marked read-only: one Numba type for all, so one compilation."""
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array
