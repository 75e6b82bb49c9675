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
    """Both axes, one tap of weight 1 each."""
    channels = horizontal[CHANNELS]
    rows_read = vertical[HEADER : HEADER + vertical[N_OUT]]
    pixels_read = horizontal[HEADER : HEADER + horizontal[N_OUT]]
    images, results = _as_images(x, out, vertical, horizontal[N_IN] * channels, horizontal[N_OUT] * channels)
    for n, a, b in _images(first, last, vertical[N_OUT]):
        pixels = images[n, rows_read[a:b]].reshape(b - a, -1, channels)
        results[n, a:b] = pixels[:, pixels_read].reshape(b - a, -1)
