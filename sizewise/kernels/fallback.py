"""The same kernels in NumPy, for machines where Numba cannot be imported: same results to rounding, slower.

Each function has the signature of its namesake in `loops`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .packing import Blocks, Lines

Array = NDArray[Any]


def _gather(x: Array, taps: Lines, first: int = 0, last: int | None = None) -> Array:
    """Outputs first .. last - 1 from x of shape (n, n_in, inner): the sum of weights times lines, in tap order."""
    start, count = taps.start[first:last], taps.counts[first:last]
    weights = taps.weights.reshape(len(taps.start), -1)[first:last]
    total = np.zeros((x.shape[0], len(start), x.shape[2]), weights.dtype)
    for k in range(weights.shape[1]):
        used = np.flatnonzero((k < count) & (weights[:, k] != 0))
        total[:, used] += weights[used, k, None] * x[:, start[used] + k]
    return total


def _images(first: int, last: int, h_out: int) -> Iterator[tuple[int, int, int]]:
    """The rows first .. last - 1 as (image, first row in it, last row in it)."""
    for n in range(first // h_out, -(-last // h_out)):
        yield n, max(first - n * h_out, 0), min(last - n * h_out, h_out)


def _as_images(x: Array, out: Array, h_in: int, h_out: int, row_in: int, row_out: int) -> tuple[Array, Array]:
    """Both arrays as (image, row, number); an image may have no rows to read."""
    n = out.size // (h_out * row_out)
    return x.reshape(n, h_in, row_in), out.reshape(n, h_out, row_out)


def rows(x: Array, out: Array, h_in: int, row: int, taps: Lines, first: int, last: int) -> None:
    """Vertical taps only."""
    h_out = len(taps.start)
    images, results = _as_images(x, out, h_in, h_out, row, row)
    for n, a, b in _images(first, last, h_out):
        results[n, a:b] = _gather(images[n : n + 1], taps, a, b)[0]


def columns(
    x: Array, out: Array, row_in: int, row_out: int, channels: int, taps: Lines, _: Blocks, first: int, last: int
) -> None:
    """Horizontal taps only."""
    pixels = x[first * row_in : last * row_in].reshape(last - first, -1, channels)
    out[first * row_out : last * row_out] = _gather(pixels, taps).reshape(-1)


def down(
    x: Array, out: Array, h_in: int, row_in: int, row_out: int, channels: int,
    vertical: Lines, taps: Lines, blocks: Blocks, first: int, last: int,
) -> None:  # fmt: skip
    """Both axes, vertical first."""
    h_out = len(vertical.start)
    images, results = _as_images(x, out, h_in, h_out, row_in, row_out)
    for n, a, b in _images(first, last, h_out):
        combined = _gather(images[n : n + 1], vertical, a, b)[0]
        results[n, a:b] = _gather(combined.reshape(b - a, -1, channels), taps).reshape(b - a, row_out)


def up(
    x: Array, out: Array, h_in: int, row_in: int, row_out: int, channels: int,
    vertical: Lines, taps: Lines, blocks: Blocks, first: int, last: int,
) -> None:  # fmt: skip
    """Both axes, horizontal first."""
    h_out = len(vertical.start)
    images, results = _as_images(x, out, h_in, h_out, row_in, row_out)
    for n, a, b in _images(first, last, h_out):
        spread = _gather(images[n].reshape(h_in, -1, channels), taps).reshape(1, h_in, row_out)
        results[n, a:b] = _gather(spread, vertical, a, b)[0]


def pick(
    x: Array, out: Array, h_in: int, row_in: int, row_out: int, channels: int,
    v_index: Array, h_index: Array, first: int, last: int,
) -> None:  # fmt: skip
    """Both axes, one tap of weight 1 each."""
    h_out = len(v_index)
    images, results = _as_images(x, out, h_in, h_out, row_in, row_out)
    for n, a, b in _images(first, last, h_out):
        pixels = images[n, v_index[a:b]].reshape(b - a, -1, channels)
        results[n, a:b] = pixels[:, h_index].reshape(b - a, row_out)
