"""The kernels in NumPy: the same results to rounding, slower. They run where the native core cannot be loaded.

They are the reference for the native ones: short, and free of everything that makes those fast. Kernels that only exist
to be faster (verified float32, pairs, byte shuffles) have no counterpart here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .packing import (
    CHANNELS,
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
    lines_of,
    steps_of,
    unpack_both,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .packing import Indices

    Array = NDArray[Any]


class Kernel:
    """A kernel with its tables: called with flat arrays, the layout of their rows, and the rows to fill."""

    def __init__(
        self, kind: str, types: tuple[str, str, str, str], tables: tuple[Array, ...], parameter: float
    ) -> None:
        self._fill: Callable[[Kernel, Array, Array, Indices, int, int], None] | None = _KERNELS.get(kind)
        self.tables, self.parameter = tables, parameter
        self.is_bfloat = types[0] == "bfloat16"
        self.scratch = np.dtype(types[3] or types[2] or np.float32)

    def __call__(self, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
        """Fill rows first .. last - 1 of `out`. Overflow and NaN are no errors, whatever NumPy was told."""
        assert self._fill is not None
        with np.errstate(all="ignore"):
            self._fill(self, x, out, layout, first, last)

    def read(self, array: Array) -> Array:
        """Return the elements of an array in a dtype that NumPy can sum."""
        if self.is_bfloat:
            return (array.astype(np.uint32) << 16).view(np.float32)
        return array.astype(np.float32) if array.dtype == np.float16 else array

    def write(self, sums: Array, out: Array) -> None:
        """Store sums: rounded half to even, and clamped to the range of integers."""
        if self.is_bfloat:
            bits = sums.astype(np.float32).view(np.uint32)
            out[...] = np.where(np.isnan(sums), 0x7FC0, (bits + ((bits >> 16) & 1) + 0x7FFF) >> 16)
        else:
            _store(sums, out)


def _store(sums: Array, out: Array) -> None:
    if out.dtype.kind in "iu":
        limits = np.iinfo(out.dtype)
        sums = np.clip(np.rint(sums), limits.min, limits.max)
    out[...] = sums.astype(out.dtype)


def _vertical_only(kernel: Kernel, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
    index, weights = kernel.tables
    row = int(layout[ROW])
    for image, target, part in _images(x, out, layout, index[N_IN], row, row, first, last):
        kernel.write(_gather(kernel.read(image)[None], index, weights, part)[0], target)


def _horizontal_only(kernel: Kernel, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
    index, weights = kernel.tables
    channels = index[CHANNELS]
    row_in, row_out = int(index[N_IN] * channels), int(index[N_OUT] * channels)
    for image, target, part in _images(x, out, layout, layout[LINES], row_in, row_out, first, last):
        pixels = kernel.read(image[part]).reshape(len(target), index[N_IN], channels)
        kernel.write(_gather(pixels, index, weights).reshape(target.shape), target)


def _vertical_first(kernel: Kernel, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
    v_index, v_weights, h_index, h_weights = unpack_both(*kernel.tables)
    channels = h_index[CHANNELS]
    row_in, row_out = int(h_index[N_IN] * channels), int(h_index[N_OUT] * channels)
    for image, target, part in _images(x, out, layout, v_index[N_IN], row_in, row_out, first, last):
        rows = _round_to(kernel.scratch, _gather(kernel.read(image)[None], v_index, v_weights, part)[0])
        sums = _gather(rows.reshape(len(target), h_index[N_IN], channels), h_index, h_weights)
        kernel.write(sums.reshape(target.shape), target)


def _horizontal_first(kernel: Kernel, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
    v_index, v_weights, h_index, h_weights = unpack_both(*kernel.tables)
    channels = h_index[CHANNELS]
    row_in, row_out = int(h_index[N_IN] * channels), int(h_index[N_OUT] * channels)
    for image, target, part in _images(x, out, layout, v_index[N_IN], row_in, row_out, first, last):
        sums = _gather(kernel.read(image).reshape(len(image), h_index[N_IN], channels), h_index, h_weights)
        rows = _round_to(kernel.scratch, sums.reshape(1, len(image), row_out))
        kernel.write(_gather(rows, v_index, v_weights, part)[0], target)


def _fused_2x2(kernel: Kernel, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
    (_vertical_first if layout[VERTICAL_FIRST] else _horizontal_first)(kernel, x, out, layout, first, last)


def _nearest(kernel: Kernel, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
    vertical, _, horizontal, _ = unpack_both(*kernel.tables)
    channels = horizontal[CHANNELS]
    row_in, row_out = int(horizontal[N_IN] * channels), int(horizontal[N_OUT] * channels)
    (v_start, v_count), (h_start, h_count) = _start_and_count(vertical), _start_and_count(horizontal)
    for image, target, part in _images(x, out, layout, vertical[N_IN], row_in, row_out, first, last):
        pixels = np.zeros((len(target), len(h_start), channels), out.dtype)
        rows_used, used = np.flatnonzero(v_count[part]), np.flatnonzero(h_count)
        read = image[v_start[part][rows_used]].reshape(len(rows_used), int(horizontal[N_IN]), channels)
        pixels[np.ix_(rows_used, used)] = read[:, h_start[used]]
        target[...] = pixels.reshape(target.shape)


def _fixed_point(kernel: Kernel, x: Array, out: Array, layout: Indices, first: int, last: int) -> None:
    index, across, down, tail = kernel.tables
    steps, gain = steps_of(index, across), np.float32(kernel.parameter)
    n_taps, n_out, channels = steps.n_taps, len(steps.place), steps.channels
    weights = (tail if len(tail) else down).reshape(-1, n_taps).astype(np.int64)
    table = steps.across.reshape(n_out, -1).astype(np.int64)
    for image, target, part in _images(x, out, layout, steps.h_in, steps.row_in, n_out * channels, first, last):
        pixels = image.reshape(len(image), steps.row_in // channels, channels).astype(np.int64)
        taps = [pixels[:, steps.place // channels + k] * table[:, k, None] for k in range(table.shape[1])]
        rows = ((np.sum(taps, axis=0) + steps.half) >> steps.cut).reshape(len(image), -1)
        named = np.clip(steps.first[part, None] + steps.step * np.arange(n_taps), 0, steps.h_in - 1)
        products = [rows[named[:, k]] * weights[part, k, None] for k in range(n_taps)]
        shift = 16 if down.dtype == np.int16 else 0  # the upper half of products of int16
        sums = np.sum([product >> shift for product in products], axis=0)
        _store(sums.astype(np.float32) * gain if gain else (sums + steps.add) >> steps.shift, target)
        if len(tail):
            n = target.shape[1] // LANES * LANES
            total = np.zeros((len(target), n), np.float32)
            for k in range(n_taps):
                total += down.reshape(-1, n_taps)[part, k, None] * rows[named[:, k], :n].astype(np.float32)
            _store(total, target[:, :n])


_KERNELS: dict[str, Callable[[Kernel, Array, Array, Indices, int, int], None]] = {
    "vertical_only": _vertical_only,
    "horizontal_only": _horizontal_only,
    "vertical_first": _vertical_first,
    "horizontal_first": _horizontal_first,
    "fused_2x2": _fused_2x2,
    "nearest": _nearest,
    "fixed_point": _fixed_point,
}


def _images(
    x: Array, out: Array, layout: Indices, h_in: int, row_in: int, row_out: int, first: int, last: int
) -> Iterator[tuple[Array, Array, slice]]:
    """Yield for each image that rows first .. last - 1 belong to: its rows, those of out to fill, and their slice."""
    h_out = int(layout[LINES])
    for n in range(first // h_out, -(-last // h_out)):
        part = slice(max(first - n * h_out, 0), min(last - n * h_out, h_out))
        source = _rows(x, layout[X_BASE] + n * layout[X_IMAGE], layout[X_LINE], int(h_in), row_in)
        target = _rows(out, layout[OUT_BASE] + n * layout[OUT_IMAGE], layout[OUT_LINE], h_out, row_out)
        yield source, target[part], part


def _rows(flat: Array, base: int, stride: int, n: int, length: int) -> Array:
    """Return a view of n rows, the first at flat[base], each `stride` elements after the one before."""
    return as_strided(flat[base:], (n, length), (int(stride) * flat.itemsize, flat.itemsize))


def _gather(x: Array, index: Indices, weights: Array, part: slice = slice(None)) -> Array:
    """Return the outputs of one part from x of shape (n, n_in, inner): the sum of weights times rows, in tap order."""
    taps = lines_of(index, weights)
    start, count = taps.start[part], taps.counts[part]
    table = taps.weights.reshape(len(taps.start), taps.width)[part]
    total = np.zeros((x.shape[0], len(start), x.shape[2]), table.dtype)
    n_block = int(taps.sum_block)
    for first in range(0, table.shape[1], n_block):
        block = np.zeros_like(total)
        for k in range(first, min(first + n_block, table.shape[1])):
            used = np.flatnonzero((k < count) & (table[:, k] != 0))
            block[:, used] += table[used, k, None] * x[:, start[used] + k].astype(table.dtype)
        total += block
    if total.dtype.kind == "i":
        return (total + taps.add) >> taps.shift
    if len(taps.divisors):
        total /= taps.divisors[part, None]
    if not taps.shift:
        return total
    unit = 2.0 ** int(taps.shift)
    rounded: Array = np.rint(total * unit) / unit
    return rounded


def _round_to(dtype: np.dtype, sums: Array) -> Array:
    """Return sums as they are kept between two passes."""
    rows = np.empty(sums.shape, dtype)
    _store(sums, rows)
    return rows


def _start_and_count(packed: Indices) -> tuple[Indices, Indices]:
    """Return start and count of a packed axis."""
    n = packed[N_OUT]
    return packed[HEADER : HEADER + n], packed[HEADER + n : HEADER + 2 * n]
