"""The same kernels in NumPy, for machines where Numba cannot be imported: same results to rounding, slower.

Each function has the signature of its namesake in `loops`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .packing import CHANNELS, HEADER, N_IN, N_OUT, WIDTH, Indices, lines_of

Array = NDArray[Any]


def _gather(x: Array, index: Indices, weights: Array, first: int = 0, last: int | None = None) -> Array:
    """Outputs first .. last - 1 from x of shape (n, n_in, inner): the sum of weights times lines, in tap order."""
    taps = lines_of(index, weights)
    start, count = taps.start[first:last], taps.counts[first:last]
    table = taps.weights.reshape(len(taps.start), index[WIDTH])[first:last]
    total = np.zeros((x.shape[0], len(start), x.shape[2]), table.dtype)
    for k in range(table.shape[1]):
        used = np.flatnonzero((k < count) & (table[:, k] != 0))
        total[:, used] += table[used, k, None] * x[:, start[used] + k]
    return total


def _images(first: int, last: int, h_out: int) -> Iterator[tuple[int, int, int]]:
    """The rows first .. last - 1 as (image, first row in it, last row in it)."""
    for n in range(first // h_out, -(-last // h_out)):
        yield n, max(first - n * h_out, 0), min(last - n * h_out, h_out)


def _as_images(x: Array, out: Array, index: Indices, row_in: int, row_out: int) -> tuple[Array, Array]:
    """Both arrays as (image, row, number); an image may have no rows to read."""
    h_in, h_out = index[N_IN], index[N_OUT]
    n = out.size // (h_out * row_out)
    return x.reshape(n, h_in, row_in), out.reshape(n, h_out, row_out)


def rows(x: Array, out: Array, row: int, v_index: Indices, v_weights: Array, first: int, last: int) -> None:
    """Vertical taps only, on rows of `row` numbers."""
    images, results = _as_images(x, out, v_index, row, row)
    for n, a, b in _images(first, last, v_index[N_OUT]):
        results[n, a:b] = _gather(images[n : n + 1], v_index, v_weights, a, b)[0]


def columns(x: Array, out: Array, h_index: Indices, h_weights: Array, first: int, last: int) -> None:
    """Horizontal taps only."""
    channels = h_index[CHANNELS]
    row_in, row_out = h_index[N_IN] * channels, h_index[N_OUT] * channels
    pixels = x[first * row_in : last * row_in].reshape(last - first, -1, channels)
    out[first * row_out : last * row_out] = _gather(pixels, h_index, h_weights).reshape(-1)


def down(
    x: Array, out: Array, v_index: Indices, v_weights: Array, h_index: Indices, h_weights: Array, first: int, last: int
) -> None:
    """Both axes, vertical first."""
    channels = h_index[CHANNELS]
    images, results = _as_images(x, out, v_index, h_index[N_IN] * channels, h_index[N_OUT] * channels)
    for n, a, b in _images(first, last, v_index[N_OUT]):
        combined = _gather(images[n : n + 1], v_index, v_weights, a, b)[0]
        spread = _gather(combined.reshape(b - a, -1, channels), h_index, h_weights)
        results[n, a:b] = spread.reshape(b - a, -1)


def up(
    x: Array, out: Array, v_index: Indices, v_weights: Array, h_index: Indices, h_weights: Array, first: int, last: int
) -> None:
    """Both axes, horizontal first."""
    channels, h_in = h_index[CHANNELS], v_index[N_IN]
    images, results = _as_images(x, out, v_index, h_index[N_IN] * channels, h_index[N_OUT] * channels)
    for n, a, b in _images(first, last, v_index[N_OUT]):
        spread = _gather(images[n].reshape(h_in, h_index[N_IN], channels), h_index, h_weights)
        results[n, a:b] = _gather(spread.reshape(1, h_in, results.shape[2]), v_index, v_weights, a, b)[0]


def pick(x: Array, out: Array, vertical: Indices, horizontal: Indices, first: int, last: int) -> None:
    """Both axes, at most one tap each, of weight 1; 0 for none."""
    channels = horizontal[CHANNELS]
    v_start, v_count = _indices(vertical)
    h_start, h_count = _indices(horizontal)
    images, results = _as_images(x, out, vertical, horizontal[N_IN] * channels, horizontal[N_OUT] * channels)
    for n, a, b in _images(first, last, vertical[N_OUT]):
        pixels = np.zeros((b - a, len(h_start), channels), out.dtype)
        rows_used, used = np.flatnonzero(v_count[a:b]), np.flatnonzero(h_count)
        read = images[n, v_start[a:b][rows_used]].reshape(len(rows_used), -1, channels)
        pixels[np.ix_(rows_used, used)] = read[:, h_start[used]]
        results[n, a:b] = pixels.reshape(b - a, -1)


def direct(
    x: Array, out: Array, vertical_first: bool, v_index: Indices, v_weights: Array, h_index: Indices, h_weights: Array,
    first: int, last: int,
) -> None:  # fmt: skip
    """Both axes, where no output reads more than 2 x 2 pixels."""
    (down if vertical_first else up)(x, out, v_index, v_weights, h_index, h_weights, first, last)


def _indices(packed: Indices) -> tuple[Indices, Indices]:
    """Start and count of a packed axis."""
    n = packed[N_OUT]
    return packed[HEADER : HEADER + n], packed[HEADER + n : HEADER + 2 * n]
