"""Kernels in NumPy: the same results to rounding, slower. They run where the native core cannot be loaded.

They are the reference for the native ones: short, without optimizations. Kernels that only exist to be faster (verified
float32, pairs, byte shuffles) have no counterpart here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .layout import ROW_LENGTH, ROWS_PER_IMAGE, VERTICAL_FIRST, Layout
from .packing import CHANNELS, FIXED_POINT_HEADER, HEADER, LANES, N_IN, N_OUT, Array, Indices

Axis = tuple[Indices, Array]  # a packed axis: integers and weights


class Kernel:
    """A kernel with its tables: called with flat arrays, the layout of their rows, and the rows to fill."""

    def __init__(
        self, kind: str, types: tuple[str, str, str, str], tables: tuple[Array, ...], parameter: float
    ) -> None:
        self._fill: Callable[[Kernel, Array, Array, Layout, int, int], None] | None = _KERNELS.get(kind)
        self.kind, self.tables, self.parameter = kind, tables, parameter
        self.is_bfloat16 = types[0] == "bfloat16"
        self.scratch = np.dtype(types[3] or types[2] or np.float32)

    def __call__(self, x: Array, out: Array, layout: Layout, first: int, last: int) -> None:
        """Fill rows first .. last - 1 of `out`. Overflow and NaN are no errors, whatever NumPy's error state."""
        assert self._fill is not None
        with np.errstate(all="ignore"):
            self._fill(self, x, out, layout, first, last)

    def read(self, array: Array) -> Array:
        """Return the elements of an array in a dtype that NumPy can sum."""
        if self.is_bfloat16:
            return (array.astype(np.uint32) << 16).view(np.float32)
        return array.astype(np.float32) if array.dtype == np.float16 else array

    def write(self, sums: Array, out: Array) -> None:
        """Store sums: rounded half to even, and clamped to the range of integers."""
        if self.is_bfloat16:
            bits = sums.astype(np.float32).view(np.uint32)
            out[...] = np.where(np.isnan(sums), 0x7FC0, (bits + ((bits >> 16) & 1) + 0x7FFF) >> 16)
        else:
            _store(sums, out)

    def keep(self, sums: Array) -> Array:
        """Return sums in the dtype of the rows kept between two passes."""
        rows = np.empty(sums.shape, self.scratch)
        _store(sums, rows)
        return rows

    def axes(self, layout: Layout) -> tuple[Axis | None, Axis | None, bool]:
        """Return the vertical and the horizontal axis, and whether the vertical goes first."""
        if self.kind == "vertical_only":
            return (self.tables[0], self.tables[1]), None, True
        if self.kind == "horizontal_only":
            return None, (self.tables[0], self.tables[1]), False
        vertical_first = layout[VERTICAL_FIRST] if self.kind == "fused_2x2" else self.kind == "vertical_first"
        return *_unpack_both(*self.tables), bool(vertical_first)


def _store(sums: Array, out: Array) -> None:
    if out.dtype.kind in "iu":
        limits = np.iinfo(out.dtype)
        sums = np.clip(np.rint(sums), limits.min, limits.max)
    out[...] = sums.astype(out.dtype)


def _unpack_both(index: Indices, weights: Array) -> tuple[Axis, Axis]:
    """Return the vertical and the horizontal axis of `pack_both`."""
    return (index[2 : index[0]], weights[: index[1]]), (index[index[0] :], weights[index[1] :])


def _sum(kernel: Kernel, x: Array, out: Array, layout: Layout, first: int, last: int) -> None:
    """Fill rows with weighted sums along one axis or both."""
    vertical, horizontal, vertical_first = kernel.axes(layout)
    row_in = row_out = int(layout[ROW_LENGTH])
    h_in, channels = int(layout[ROWS_PER_IMAGE]), 1
    if vertical is not None:
        h_in = int(vertical[0][N_IN])
    if horizontal is not None:
        channels = int(horizontal[0][CHANNELS])
        row_in, row_out = (int(horizontal[0][n]) * channels for n in (N_IN, N_OUT))
    for image, target, part in _images(x, out, layout, h_in, row_in, row_out, first, last):
        rows = kernel.read(image if vertical is not None else image[part])
        if vertical is not None and vertical_first:
            rows = _gather(rows[None], *vertical, part)[0]
            rows = rows if horizontal is None else kernel.keep(rows)
        if horizontal is not None:
            pixels = rows.reshape(len(rows), row_in // channels, channels)
            rows = _gather(pixels, *horizontal).reshape(len(rows), row_out)
        if vertical is not None and not vertical_first:
            rows = _gather(kernel.keep(rows)[None], *vertical, part)[0]
        kernel.write(rows, target)


def _nearest(kernel: Kernel, x: Array, out: Array, layout: Layout, first: int, last: int) -> None:
    (vertical, _), (horizontal, _) = _unpack_both(kernel.tables[0], kernel.tables[1])
    w_in, channels = int(horizontal[N_IN]), int(horizontal[CHANNELS])
    (v_start, v_count), (h_start, h_count) = (
        index[HEADER : HEADER + 2 * index[N_OUT]].reshape(2, -1) for index in (vertical, horizontal)
    )
    row_in, row_out = w_in * channels, len(h_start) * channels
    for image, target, part in _images(x, out, layout, vertical[N_IN], row_in, row_out, first, last):
        pixels = np.zeros((len(target), len(h_start), channels), out.dtype)
        rows, columns = np.flatnonzero(v_count[part]), np.flatnonzero(h_count)
        read = image[v_start[part][rows]].reshape(len(rows), w_in, channels)
        pixels[np.ix_(rows, columns)] = read[:, h_start[columns]]
        target[...] = pixels.reshape(target.shape)


def _fixed_point(kernel: Kernel, x: Array, out: Array, layout: Layout, first: int, last: int) -> None:
    index, packed, v_weights, tail = kernel.tables
    h_in, n_taps, row_step, v_add, v_shift, h_add, h_shift, row_in, channels, h_taps, h_out, w_out = map(
        int, index[:FIXED_POINT_HEADER]
    )
    first_row = index[FIXED_POINT_HEADER : FIXED_POINT_HEADER + h_out]
    pixel = index[FIXED_POINT_HEADER + h_out : FIXED_POINT_HEADER + h_out + w_out] // channels
    h_weights, gain = packed[: w_out * h_taps].reshape(w_out, h_taps).astype(np.int64), np.float32(kernel.parameter)
    weights = (tail if len(tail) else v_weights).reshape(-1, n_taps).astype(np.int64)
    for image, target, part in _images(x, out, layout, h_in, row_in, w_out * channels, first, last):
        pixels = image.reshape(len(image), row_in // channels, channels).astype(np.int64)
        taps = [pixels[:, pixel + k] * h_weights[:, k, None] for k in range(h_taps)]
        rows = ((np.sum(taps, axis=0) + h_add) >> h_shift).reshape(len(image), -1)
        read = np.clip(first_row[part, None] + row_step * np.arange(n_taps), 0, h_in - 1)
        products = [rows[read[:, k]] * weights[part, k, None] for k in range(n_taps)]
        shift = 16 if v_weights.dtype == np.int16 else 0  # the upper half of products of int16
        sums = np.sum([product >> shift for product in products], axis=0)
        _store(sums.astype(np.float32) * gain if gain else (sums + v_add) >> v_shift, target)
        if len(tail):
            n = target.shape[1] // LANES * LANES
            total = np.zeros((len(target), n), np.float32)
            for k in range(n_taps):
                total += v_weights.reshape(-1, n_taps)[part, k, None] * rows[read[:, k], :n].astype(np.float32)
            _store(total, target[:, :n])


_SUMS = ("vertical_only", "horizontal_only", "vertical_first", "horizontal_first", "fused_2x2")
_KERNELS: dict[str, Callable[[Kernel, Array, Array, Layout, int, int], None]] = {
    **dict.fromkeys(_SUMS, _sum), "nearest": _nearest, "fixed_point": _fixed_point,
}  # fmt: skip


def _images(
    x: Array, out: Array, layout: Layout, h_in: int, row_in: int, row_out: int, first: int, last: int
) -> Iterator[tuple[Array, Array, slice]]:
    """Yield for each image that rows first .. last - 1 belong to: its rows, those of out to fill, and their slice."""
    x_base, x_image, x_row, out_base, out_image, out_row, h_out = layout[: ROWS_PER_IMAGE + 1].tolist()
    for n in range(first // h_out, -(-last // h_out)):
        part = slice(max(first - n * h_out, 0), min(last - n * h_out, h_out))
        source = _rows(x, x_base + n * x_image, x_row, int(h_in), row_in)
        target = _rows(out, out_base + n * out_image, out_row, h_out, row_out)
        yield source, target[part], part


def _rows(flat: Array, base: int, stride: int, n: int, length: int) -> Array:
    """Return a view of n rows, the first at flat[base], each `stride` elements after the one before."""
    return as_strided(flat[base:], (n, length), (stride * flat.itemsize, flat.itemsize))


def _gather(x: Array, index: Indices, weights: Array, part: slice = slice(None)) -> Array:
    """Return the outputs of one part from x of shape (n, n_in, inner): the sum of weights times rows, in tap order."""
    _, n_out, width, _, _, add, shift, divides, n_block = index[:HEADER].tolist()
    start, count = index[HEADER : HEADER + 2 * n_out].reshape(2, n_out)[:, part]
    table = weights[: n_out * width].reshape(n_out, width)[part]
    total = np.zeros((x.shape[0], len(start), x.shape[2]), table.dtype)
    for first in range(0, width, n_block):
        block = np.zeros_like(total)
        for k in range(first, min(first + n_block, width)):
            used = np.flatnonzero((k < count) & (table[:, k] != 0))
            block[:, used] += table[used, k, None] * x[:, start[used] + k].astype(table.dtype)
        total += block
    if total.dtype.kind == "i":
        total += add
        total >>= shift
        return total
    if divides:
        total /= weights[n_out * width : n_out * (width + 1)][part, None]
    if shift:
        total = np.rint(total * 2.0**shift) / 2.0**shift
    return total
