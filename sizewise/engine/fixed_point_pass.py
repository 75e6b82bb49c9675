"""Both axes of uint8 images in whole numbers, where what is rounded in between is part of the result.

The last axis goes first, exactly; then the other, whose taps are rounded one by one, so that two taps that read the
same row, at the edge of an image, are not one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from . import costs, layout, passes
from .integer_taps import Table
from .kernel_call import KernelCall
from .packing import LANES, Packed, pack_steps, readonly

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

LEAST_READ = 0.65  # of all rows, for sixteens to be faster than 2 x 2 pixels at once


@dataclass(eq=False, repr=False)
class Stepped:
    """Both axes: columns first, kept as `between`, then rows.

    `axis` is that of the rows, counted with one more before the array's own, once the axes are in this `order`. The
    rows' weights come in the dtype of their sums: int32 exactly, int16 of the upper half of each product, float32 from
    the last tap to the first. Then there is a `tail`: the numbers at the end of a row that fill no vector of eight are
    summed by these, in whole numbers. Columns' sums are cut off by the first of `shifts`, and rows' rounded by the
    second, or multiplied by the gain, if there is one. `cut` says whether the last row and the last column are of
    blocks of pixels that reach beyond the image: what kernels make of them is replaced.
    """

    axis: int
    order: tuple[int, ...]
    rows: Table
    columns: Table
    weights: Array
    tail: Array
    between: np.dtype
    shifts: tuple[int, int]
    gain: float
    cut: tuple[bool, bool]
    _calls: dict[Any, KernelCall] = field(init=False, default_factory=dict)

    def call(self, x: Array, out: Array) -> KernelCall:
        """The kernel call for arrays of these shapes, kept."""
        call = self._calls.get(x.shape)
        if call is None:
            if len(self._calls) >= passes.MAX_CALLS:
                self._calls.clear()
            call = self._calls[x.shape] = self._call((1, *x.shape), (1, *out.shape))
        return call

    def _call(self, shape: tuple[int, ...], result: tuple[int, ...]) -> KernelCall:
        channels, native = prod(shape[self.axis + 2 :]), _core.native() is not None
        columns = self.columns.folded(2)
        direct, shuffled = native and self._is_direct(channels), None
        if _core.has_byte_shuffle() and not (direct and self._skips_rows()):
            shuffled = columns.sixteens(channels)
        if shuffled is None:
            columns = self.columns.across(channels)
        packed: tuple[Array, ...] = (*self._packed(columns, channels, shuffled), self.weights)
        if shuffled is None and direct:
            kind, scratch, min_rows = "fixed_point_2x2", "", LANES
        else:
            kind = "fixed_point" if shuffled is None else "fixed_point_shuffled"
            scratch, min_rows, packed = self.between.name, passes.MIN_RING_ROWS, (*packed, self.tail)
        place = layout.place(shape, result, self.axis, vertical_first=False)
        return KernelCall(
            kind, ("uint8", "uint8", self.weights.dtype.name, scratch), packed, self.gain, place,
            prod(result[: self.axis + 1]), (prod(shape), prod(result)), self._work(shape, result, shuffled), min_rows,
        )  # fmt: skip

    def _work(self, shape: tuple[int, ...], result: tuple[int, ...], shuffled: Packed | None) -> float:
        along, across = (1 + table.weights.shape[1] for table in (self.rows, self.columns))
        n_read = min(prod(shape), prod(shape) // self.rows.n_in * (along - 1) * len(self.rows.first))  # in whole rows
        n_spread = n_read // self.columns.n_in * len(self.columns.first)
        cost = costs.STEP_COST if shuffled is None else costs.NAMED_COST
        return float(cost * (n_read + n_spread * across + prod(result) * along))

    def _is_direct(self, channels: int) -> bool:
        """Whether 2 x 2 pixels at once are the fastest: where rows are read once, which is where the image shrinks."""
        both = (self.rows, self.columns)
        shrinks = all(len(table.first) <= table.n_in and table.weights.shape[1] == 2 for table in both)
        return self.weights.dtype == np.int16 and shrinks and channels in (3, 4) and self.columns.n_in >= 2

    def _skips_rows(self) -> bool:
        """Whether fours of rows, by which sixteens go, hold too many that nobody reads."""
        n_taps: int = self.rows.weights.shape[1]
        return n_taps * len(self.rows.first) < LEAST_READ * self.rows.n_in

    def _packed(self, columns: Table, channels: int, sixteens: Packed | None) -> Packed:
        n_taps, (cut, shift) = self.rows.weights.shape[1], self.shifts
        backwards = len(self.tail) > 0
        first, step = self.rows.first + (n_taps - 1 if backwards else 0), -1 if backwards else 1
        header = (self.rows.n_in, n_taps, step, (1 << shift) >> 1, shift, 0, cut, columns.n_in)
        return pack_steps(header, first, columns.first, columns.weights.astype(np.int16), channels, sixteens)

    def run(self, x: Array, out: Array, n_threads: int | None) -> KernelCall | None:
        """Fills `out` from `x`; returns the kernel call that did it, if it was one, of the arrays as they are."""
        x, target = x.transpose(self.order), out.transpose(self.order)
        call = self._run(x, target, n_threads)
        if not any(self.cut):
            return call
        pixels, means = (np.moveaxis(array, (self.axis - 1, self.axis), (0, 1)) for array in (x, target))
        block = self.rows.weights.shape[1], self.columns.weights.shape[1]
        if self.cut[0]:
            fill_last_row(pixels, means, block)
        if self.cut[1]:
            fill_last_row(pixels.swapaxes(0, 1), means.swapaxes(0, 1), block[::-1])
        return None

    def _run(self, x: Array, target: Array, n_threads: int | None) -> KernelCall | None:
        """Fills `target` from `x`, through copies where the numbers of a row do not lie one after the other."""
        if layout.plain(x) and layout.plain(target):
            return passes.run(self, x, target, n_threads)
        if layout.lay(x[None], self.axis) is None:
            x = np.ascontiguousarray(x)
        if layout.lay(target[None], self.axis) is not None:
            passes.run(self, x, target, n_threads)
        else:
            result = np.empty(target.shape, target.dtype)
            passes.run(self, x, result, n_threads)
            target[...] = result
        return None  # what was called may have seen a copy, and not the arrays that were given


def stepped(
    axes: tuple[int, int], rank: int, tables: tuple[Table, Table], sums: np.dtype, between: np.dtype,
    shifts: tuple[int, int], gain: float = 0.0, blocks: bool = False,
) -> Stepped:  # fmt: skip
    """The step along two axes of an array of that rank, rows and columns, each with its taps."""
    rows, columns = tables
    others = [axis for axis in range(rank) if axis not in axes]
    before = sum(axis < axes[0] for axis in others)
    weights: Array = rows.weights
    tail = np.zeros(0, np.int32)
    if sums.kind == "f":
        weights, tail = rows.weights[:, ::-1] * 2.0 ** -shifts[1], rows.weights[:, ::-1].reshape(-1)
    return Stepped(
        axis=before + 1,
        order=(*others[:before], *axes, *others[before:]),
        rows=rows,
        columns=columns,
        weights=readonly(weights.astype(sums).reshape(-1)),
        tail=readonly(tail),
        between=between,
        shifts=shifts,
        gain=gain,
        cut=(blocks and rows.reaches_beyond, blocks and columns.reaches_beyond),
    )


def fill_last_row(pixels: Array, means: Array, block: tuple[int, int]) -> None:
    """Fill the last row of `means`: of each block of pixels the mean of those inside, rounded half to even.

    >>> means = np.zeros((1, 2), np.uint8)
    >>> fill_last_row(np.uint8([[2, 4, 9], [3, 5, 8]]), means, (3, 2))
    >>> means
    array([[4, 8]], dtype=uint8)
    """
    (height, width), (n_rows, n_columns) = block, means.shape[:2]
    inside = pixels[(n_rows - 1) * height :, : n_columns * width]
    first = np.arange(n_columns) * width
    sums = np.add.reduceat(inside.sum(axis=0, dtype=np.int32), first, axis=0)
    counts = len(inside) * np.minimum(width, inside.shape[1] - first)
    shares = counts.astype(np.float32).reshape(-1, *[1] * (sums.ndim - 1))
    means[-1] = np.rint(sums.astype(np.float32) / shares)
