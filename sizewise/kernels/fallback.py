"""The same kernels in NumPy, for machines where Numba cannot be imported: same results to rounding, slower.

Each function has the signature of its namesake in `loops`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from .packing import (
    BFLOAT,
    CHANNELS,
    HALF,
    HEADER,
    LANES,
    LINES,
    N_IN,
    N_OUT,
    OUT_BASE,
    OUT_IMAGE,
    OUT_LINE,
    ROW,
    VERTICAL_FIRST,
    X_BASE,
    X_IMAGE,
    X_LINE,
    Indices,
    lines_of,
    steps_of,
    unpack_both,
)

Array = NDArray[Any]


def silent(kernel: Callable[..., None]) -> Callable[..., None]:
    """The kernel as the compiled ones are: what overflows or is not a number is no error, whatever NumPy was told."""

    @wraps(kernel)
    def run(*args: Any) -> None:
        with np.errstate(all="ignore"):
            kernel(*args)

    return run


def code(kernel: Callable[..., None], *args: Any) -> None:
    """Machine code: there is none."""


def permutes_bytes() -> bool:
    """Whether bytes are picked by their names: they are not."""
    return False


@silent
def rows(x: Array, out: Array, place: Indices, index: Indices, weights: Array, first: int, last: int) -> None:
    """Vertical taps only, on rows of place[ROW] numbers."""
    row = int(place[ROW])
    for image, target, part in _images(x, out, place, index[N_IN], row, row, first, last):
        _put(_gather(_numbers(image)[None], index, weights, part)[0], target)


@silent
def columns(x: Array, out: Array, place: Indices, index: Indices, weights: Array, first: int, last: int) -> None:
    """Horizontal taps only."""
    channels = index[CHANNELS]
    row_in, row_out = int(index[N_IN] * channels), int(index[N_OUT] * channels)
    for image, target, part in _images(x, out, place, place[LINES], row_in, row_out, first, last):
        pixels = _numbers(image[part]).reshape(len(target), index[N_IN], channels)
        _put(_gather(pixels, index, weights).reshape(target.shape), target)


@silent
def down(
    x: Array, out: Array, place: Indices, index: Indices, weights: Array, between: Array, first: int, last: int
) -> None:
    """Both axes, vertical first."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    channels = h_index[CHANNELS]
    row_in, row_out = int(h_index[N_IN] * channels), int(h_index[N_OUT] * channels)
    for image, target, part in _images(x, out, place, v_index[N_IN], row_in, row_out, first, last):
        combined = _kept(_gather(_numbers(image)[None], v_index, v_weights, part)[0], between.dtype)
        spread = _gather(combined.reshape(len(target), h_index[N_IN], channels), h_index, h_weights)
        _put(spread.reshape(target.shape), target)


@silent
def up(
    x: Array, out: Array, place: Indices, index: Indices, weights: Array, between: Array, first: int, last: int
) -> None:
    """Both axes, horizontal first."""
    v_index, v_weights, h_index, h_weights = unpack_both(index, weights)
    channels = h_index[CHANNELS]
    row_in, row_out = int(h_index[N_IN] * channels), int(h_index[N_OUT] * channels)
    for image, target, part in _images(x, out, place, v_index[N_IN], row_in, row_out, first, last):
        spread = _gather(_numbers(image).reshape(len(image), h_index[N_IN], channels), h_index, h_weights)
        lines = _kept(spread.reshape(1, len(image), row_out), between.dtype)
        _put(_gather(lines, v_index, v_weights, part)[0], target)


@silent
def stepped(
    x: Array, out: Array, place: Indices, index: Indices, across: Array, down: Array, tail: Array, between: Array,
    gain: np.float32, first: int, last: int,
) -> None:  # fmt: skip
    """Both axes of uint8 images in whole numbers, width first."""
    steps = steps_of(index, across)
    n_taps, n_out, channels = steps.n_taps, len(steps.place), steps.channels
    weights = (tail if len(tail) else down).reshape(-1, n_taps).astype(np.int64)
    table = steps.across.reshape(n_out, -1).astype(np.int64)
    for image, target, part in _images(x, out, place, steps.h_in, steps.row_in, n_out * channels, first, last):
        pixels = image.reshape(len(image), steps.row_in // channels, channels).astype(np.int64)
        spread = sum(pixels[:, steps.place // channels + k] * table[:, k, None] for k in range(table.shape[1]))
        lines = ((np.asarray(spread) + steps.half) >> steps.cut).reshape(len(image), -1)
        named = np.clip(steps.first[part, None] + steps.step * np.arange(n_taps), 0, steps.h_in - 1)
        whole = sum(_upper(lines[named[:, k]] * weights[part, k, None], down) for k in range(n_taps))
        sums = np.asarray(whole)
        _put(sums.astype(np.float32) * gain if gain else (sums + steps.add) >> steps.shift, target)
        if len(tail):
            n = target.shape[1] // LANES * LANES
            total = np.zeros((len(target), n), np.float32)
            for k in range(n_taps):
                total += down.reshape(-1, n_taps)[part, k, None] * lines[named[:, k], :n].astype(np.float32)
            _put(total, target[:, :n])


stepped_sixteens = stepped  # only tests ask for it: see `permutes_bytes`


def _upper(products: Array, weights: Array) -> Array:
    """The upper half of products of int16; others whole."""
    return products >> 16 if weights.dtype == np.int16 else products


@silent
def direct(x: Array, out: Array, place: Indices, index: Indices, weights: Array, first: int, last: int) -> None:
    """Both axes, where no output reads more than 2 x 2 pixels."""
    both = down if place[VERTICAL_FIRST] else up
    both(x, out, place, index, weights, np.empty(0, weights.dtype), first, last)


@silent
def pick(x: Array, out: Array, place: Indices, index: Indices, weights: Array, first: int, last: int) -> None:
    """Both axes, at most one tap each, of weight 1; 0 for none."""
    vertical, _, horizontal, _ = unpack_both(index, weights)
    channels = horizontal[CHANNELS]
    row_in, row_out = int(horizontal[N_IN] * channels), int(horizontal[N_OUT] * channels)
    (v_start, v_count), (h_start, h_count) = _indices(vertical), _indices(horizontal)
    for image, target, part in _images(x, out, place, vertical[N_IN], row_in, row_out, first, last):
        pixels = np.zeros((len(target), len(h_start), channels), out.dtype)
        rows_used, used = np.flatnonzero(v_count[part]), np.flatnonzero(h_count)
        read = image[v_start[part][rows_used]].reshape(len(rows_used), int(horizontal[N_IN]), channels)
        pixels[np.ix_(rows_used, used)] = read[:, h_start[used]]
        target[...] = pixels.reshape(target.shape)


def _images(
    x: Array, out: Array, place: Indices, h_in: int, row_in: int, row_out: int, first: int, last: int
) -> Iterator[tuple[Array, Array, slice]]:
    """For each image that lines first .. last - 1 belong to: its lines, those of out to fill, and which these are."""
    h_out = int(place[LINES])
    for n in range(first // h_out, -(-last // h_out)):
        part = slice(max(first - n * h_out, 0), min(last - n * h_out, h_out))
        source = _lines(x, place[X_BASE] + n * place[X_IMAGE], place[X_LINE], int(h_in), row_in)
        target = _lines(out, place[OUT_BASE] + n * place[OUT_IMAGE], place[OUT_LINE], h_out, row_out)
        yield source, target[part], part


def _lines(flat: Array, base: int, line: int, n: int, row: int) -> Array:
    """n lines of `row` numbers, the first at flat[base], each `line` after the one before."""
    return as_strided(flat[base:], (n, row), (int(line) * flat.itemsize, flat.itemsize))


def _gather(x: Array, index: Indices, weights: Array, part: slice = slice(None)) -> Array:
    """The outputs of one part from x of shape (n, n_in, inner): the sum of weights times lines, in tap order."""
    taps = lines_of(index, weights)
    start, count = taps.start[part], taps.counts[part]
    table = taps.weights.reshape(len(taps.start), taps.width)[part]
    total = np.zeros((x.shape[0], len(start), x.shape[2]), table.dtype)
    for k in range(table.shape[1]):
        used = np.flatnonzero((k < count) & (table[:, k] != 0))
        total[:, used] += table[used, k, None] * x[:, start[used] + k].astype(table.dtype)
    return (total + taps.add) >> taps.shift if total.dtype.kind == "i" else total


def _numbers(array: Array) -> Array:
    """What an array holds, as numbers that NumPy can add."""
    if array.dtype.names == (HALF,):
        return array.view(np.float16).astype(np.float32)
    if array.dtype.names == (BFLOAT,):
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array


def _kept(sums: Array, dtype: np.dtype) -> Array:
    """Sums as they are kept between two passes."""
    kept = np.empty(sums.shape, dtype)
    _put(sums, kept)
    return kept


def _put(values: Array, out: Array) -> None:
    """Sums as an array holds them: rounded half to even, and clipped to what integers hold."""
    if out.dtype.names == (HALF,):
        out.view(np.float16)[...] = values
    elif out.dtype.names == (BFLOAT,):
        bits = values.astype(np.float32).view(np.uint32)
        rounded = (bits + ((bits >> 16) & 1) + 0x7FFF) >> 16
        out.view(np.uint16)[...] = np.where(np.isnan(values), 0x7FC0, rounded)
    elif out.dtype.kind in "iu":
        limits = np.iinfo(out.dtype)
        out[...] = np.clip(np.rint(values), limits.min, limits.max).astype(out.dtype)
    else:
        out[...] = values


def _indices(packed: Indices) -> tuple[Indices, Indices]:
    """Start and count of a packed axis."""
    n = packed[N_OUT]
    return packed[HEADER : HEADER + n], packed[HEADER + n : HEADER + 2 * n]
