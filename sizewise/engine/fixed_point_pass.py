"""Both axes of uint8 images in fixed point, where rounding between the passes is part of the result.

The horizontal pass goes first, exactly; then the vertical one, whose taps are rounded one by one, so that two taps that
read the same row, at the edge of an image, are not one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..fork_safety import lazy
from . import layout, pass_order, passes
from .integer_taps import IntegerTaps
from .kernel_call import KernelCall
from .packing import LANES, Array, Packed, pack_fixed_point, readonly

if TYPE_CHECKING:
    from ..dialects import TwoPassInteger

MIN_ROWS_READ = 0.65  # of all rows, for byte shuffles to be faster than 2x2 pixels at once


@dataclass(eq=False, repr=False)
class FixedPointPass:
    """Both axes: horizontal, kept as `arithmetic.intermediate`, then vertical; see `TwoPassInteger`.

    `axis` is that of the rows once the axes are in this `order`, counted with one more before the array's own.
    """

    axis: int
    order: tuple[int, ...]
    vertical: IntegerTaps
    horizontal: IntegerTaps
    arithmetic: TwoPassInteger
    _calls: dict[Any, KernelCall] = field(init=False, default_factory=dict)

    @lazy
    def _weights(self) -> tuple[Array, Array]:
        """Vertical weights in the dtype of the sums; and for float32 in int32, from the last tap to the first.

        The latter are for the elements at the end of a row that fill no vector of eight, whose sums are integers.
        """
        weights, sums = self.vertical.weights, self.arithmetic.sums
        if sums.kind != "f":
            return readonly(weights.astype(sums).reshape(-1)), readonly(np.zeros(0, np.int32))
        backwards = weights[:, ::-1]
        scaled = backwards * 2.0**-self.arithmetic.bits
        return readonly(scaled.astype(sums).reshape(-1)), readonly(backwards.reshape(-1))

    def call(self, x: Array, out: Array) -> KernelCall:
        """Return the kernel call for arrays of these shapes, cached."""
        call = self._calls.get(x.shape)
        if call is None:
            if len(self._calls) >= passes.MAX_CALLS:
                self._calls.clear()
            call = self._calls[x.shape] = self._make_call((1, *x.shape), (1, *out.shape))
        return call

    def _make_call(self, shape: tuple[int, ...], result: tuple[int, ...]) -> KernelCall:
        channels, (weights, tail) = prod(shape[self.axis + 2 :]), self._weights
        kind, shuffles = self._choose_kernel(channels)
        tables: tuple[Array, ...] = (*self._pack(channels, shuffles), weights)
        scratch, min_rows = "", LANES
        if kind != "fixed_point_2x2":
            scratch, min_rows, tables = self.arithmetic.intermediate.name, passes.MIN_RING_ROWS, (*tables, tail)
        rows = layout.contiguous_layout(shape, result, self.axis, vertical_first=False)
        return KernelCall(
            kind, ("uint8", "uint8", weights.dtype.name, scratch), tables, self.arithmetic.gain, rows,
            prod(result[: self.axis + 1]), (prod(shape), prod(result)), self._work(shape, result, shuffles), min_rows,
        )  # fmt: skip

    def _choose_kernel(self, channels: int) -> tuple[str, Packed | None]:
        """Return the name of the fastest kernel, and the tables of its byte shuffles."""
        use_2x2, shuffles = _core.native() is not None and self._use_2x2(channels), None
        # Byte shuffles fill groups of four rows, which may hold too many that no output reads.
        skips_rows = self.vertical.weights.size < MIN_ROWS_READ * self.vertical.n_in
        if _core.has_byte_shuffle() and not (use_2x2 and skips_rows):
            shuffles = self.horizontal.clamp_and_pad(2).byte_shuffles(channels)
        if shuffles is not None:
            return "fixed_point_shuffled", shuffles
        return "fixed_point_2x2" if use_2x2 else "fixed_point", None

    def _use_2x2(self, channels: int) -> bool:
        """Return whether 2x2 pixels at once are faster than two passes: where the image shrinks, rows are read once."""
        both = (self.vertical, self.horizontal)
        shrinks = all(len(taps.first) <= taps.n_in and taps.weights.shape[1] == 2 for taps in both)
        return self.arithmetic.sums == np.int16 and shrinks and channels in (3, 4) and self.horizontal.n_in >= 2

    def _pack(self, channels: int, shuffles: Packed | None) -> Packed:
        n_taps, bits = self.vertical.weights.shape[1], self.arithmetic.bits
        columns = self.horizontal.pad_for_channels(channels) if shuffles is None else self.horizontal.clamp_and_pad(2)
        first_row, step = self.vertical.first, 1
        if self.arithmetic.sums.kind == "f":  # from the last tap to the first
            first_row, step = first_row + n_taps - 1, -1
        header = (self.vertical.n_in, n_taps, step, (1 << bits) >> 1, bits, 0, self.arithmetic.shift, columns.n_in)
        return pack_fixed_point(header, first_row, columns.first, columns.weights.astype(np.int16), channels, shuffles)

    def _work(self, shape: tuple[int, ...], result: tuple[int, ...], shuffles: Packed | None) -> float:
        v_cost, h_cost = (1 + taps.weights.shape[1] for taps in (self.vertical, self.horizontal))
        rows, columns = self.vertical, self.horizontal
        n_read = min(prod(shape), prod(shape) // rows.n_in * (v_cost - 1) * len(rows.first))  # in whole rows
        n_scratch = n_read // columns.n_in * len(columns.first)
        tap_cost = pass_order.FIXED_POINT_COST if shuffles is None else pass_order.SHUFFLE_COST
        return float(tap_cost * (n_read + n_scratch * h_cost + prod(result) * v_cost))

    def run(self, x: Array, out: Array, n_threads: int | None) -> KernelCall | None:
        """Fill `out` from `x`; return the kernel call that did it, if it was one, on the arrays themselves."""
        x, target = x.transpose(self.order), out.transpose(self.order)
        call = self._run(x, target, n_threads)
        cuts_rows, cuts_columns = (
            self.arithmetic.blocks and taps.exceeds_axis for taps in (self.vertical, self.horizontal)
        )
        if not (cuts_rows or cuts_columns):
            return call
        pixels, means = (np.moveaxis(array, (self.axis - 1, self.axis), (0, 1)) for array in (x, target))
        block = self.vertical.weights.shape[1], self.horizontal.weights.shape[1]
        if cuts_rows:
            fill_last_row(pixels, means, block)
        if cuts_columns:
            fill_last_row(pixels.swapaxes(0, 1), means.swapaxes(0, 1), block[::-1])
        return None

    def _run(self, x: Array, target: Array, n_threads: int | None) -> KernelCall | None:
        """Fill `target` from `x`, through copies where the elements of a row are not contiguous."""
        if layout.is_c_contiguous(x, target):
            return passes.run(self, x, target, n_threads)
        if layout.strided_rows(x[None], self.axis) is None:
            x = np.ascontiguousarray(x)
        if layout.strided_rows(target[None], self.axis) is not None:
            passes.run(self, x, target, n_threads)
        else:
            result = np.empty(target.shape, target.dtype)
            passes.run(self, x, result, n_threads)
            target[...] = result
        return None  # the call may have read or written a copy


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
    divisors = counts.astype(np.float32).reshape(-1, *[1] * (sums.ndim - 1))
    means[-1] = np.rint(sums.astype(np.float32) / divisors)
