"""One pass: resizes one axis, or two neighbouring axes, of an array of any rank, strides and dtype.

Arrays that the kernels can read as they are, are read in place, in bands of rows on several threads. All others (other
dtypes, other byte order, odd strides, integer results) go through in tiles: of about a megabyte, or of all that one row
of the result reads, where that is more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import load, threads
from .packing import MANY_CHANNELS, Packed, pack

Array = NDArray[Any]

TILE = 1 << 18  # numbers read into one tile
INLINE = 200_000  # numbers moved or multiplied (about 50 us) below which a second thread costs more than it gives
FEW_ROWS = 4  # below this, transposing eight rows at a time would mostly move copies of the last
_PLAIN = 0x101  # NumPy's flags C_CONTIGUOUS and ALIGNED
MOST_CALLS = 64  # shapes for which a pass keeps its call
HORIZONTAL_COST = 3.0  # the time of a horizontal tap over that of a vertical one, measured with few channels


@dataclass(frozen=True, eq=False)
class Runs:
    """The taps of one axis: start[n_out], count[n_out], weights[n_out, width], in the dtype of the sums."""

    n_in: int
    start: NDArray[np.int64]
    count: NDArray[np.int64]
    weights: NDArray[np.floating]
    mean_count: float
    _packed: dict[tuple[int, bool], Packed] = field(init=False, default_factory=dict)

    @property
    def n_out(self) -> int:
        """The number of outputs."""
        return len(self.start)

    def packed(self, channels: int = 1, *, blocks: bool = False) -> Packed:
        """The taps as the kernels take them, kept for the next call."""
        key = (channels, blocks)
        if key not in self._packed:
            self._packed[key] = pack(self.n_in, self.start, self.count, self.weights, channels, blocks=blocks)
        return self._packed[key]

    @cached_property
    def paired(self) -> Runs:
        """The same taps with exactly two to each output, the ones added of weight 0; for runs of two at most."""
        start = np.minimum(self.start, self.n_in - 2)
        weights = np.zeros((self.n_out, 2), self.weights.dtype)
        row = np.arange(self.n_out)
        for k in range(self.weights.shape[1]):
            own = self.count > k
            weights[row[own], (self.start - start)[own] + k] = self.weights[own, k]
        return Runs(self.n_in, start, np.full(self.n_out, 2), weights, 2.0)

    def rows(self, first: int, last: int) -> tuple[slice, Runs]:
        """The inputs that outputs first .. last - 1 read, and the taps from those inputs."""
        start, count = self.start[first:last], self.count[first:last]
        high = int((start + count).max())
        low = min(int(start[count > 0].min(initial=high)), high)
        moved = np.where(count > 0, start - low, 0)
        return slice(low, high), Runs(high - low, moved, count, self.weights[first:last], self.mean_count)


class Call(NamedTuple):
    """A kernel with all its arguments but the arrays and the rows; `bits` is how it wants to see the arrays."""

    kernel: Callable[..., None]
    args: tuple[Any, ...]
    n_rows: int
    work: float
    bits: np.dtype | None

    def flat(self, x: Array, out: Array) -> tuple[Array, Array]:
        """Plain arrays as the kernel wants to see them."""
        source, target = x.reshape(-1), out.reshape(-1)
        source.flags.writeable = False  # of the view: one Numba type for all inputs, so one compilation
        if self.bits is not None:
            return source.view(self.bits), target.view(self.bits)
        return source, target

    def whole(self, x: Array, out: Array) -> None:
        """Fills all of out from x, both plain, on this thread."""
        self.kernel(*self.flat(x, out), *self.args, 0, self.n_rows)


@dataclass(frozen=True, eq=False)
class Pass:
    """Vertical taps on axis `axis` and horizontal taps on the next; None leaves that axis as it is.

    `axis` is counted with one more axis put before the array's own, so that there is always one before the horizontal.
    `vertical_first` says which half goes first; `copies` that every output is one pixel as it is, or none: bits are
    copied and no arithmetic is done.
    """

    axis: int
    vertical: Runs | None
    horizontal: Runs | None
    vertical_first: bool
    copies: bool
    _calls: dict[Any, Call] = field(init=False, default_factory=dict)

    @property
    def sums(self) -> np.dtype:
        """The dtype in which sums are formed."""
        runs = self.vertical or self.horizontal
        assert runs is not None
        return runs.weights.dtype

    def call(self, x: Array, out: Array) -> Call | None:
        """The kernel call for plain arrays of these shapes and dtypes, kept; None where no kernel takes them so.

        float32 arrays may be summed in float64; every other mixture goes through tiles, to keep the kernels few.
        """
        known = self.copies or x.dtype in (np.float32, self.sums)
        if not (known and x.dtype == out.dtype and x.dtype.isnative):
            return None
        key = (x.shape, out.shape, x.itemsize)
        call = self._calls.get(key)
        if call is None:
            if len(self._calls) >= MOST_CALLS:
                self._calls.clear()  # another thread may be looking, so nothing here reads a key twice
            call = self._calls[key] = _call(self, (1, *x.shape), (1, *out.shape), x.itemsize)
        return call


def plain(array: Array) -> bool:
    """Whether an array lies in memory as the kernels want it: one number after the other, aligned."""
    return array.flags.num & _PLAIN == _PLAIN


def prefer_vertical(vertical: Runs, horizontal: Runs) -> bool:
    """Whether the vertical half should go first, by the cost of both orders in multiply-adds and moves.

    A matter of the taps alone: were it to depend on batch, channels or tile, so would the last bits of the result.
    """
    h_in, h_out, w_in, w_out = vertical.n_in, vertical.n_out, horizontal.n_in, horizontal.n_out
    along, across = vertical.mean_count + 1, HORIZONTAL_COST * (horizontal.mean_count + 1)
    down = h_out * w_in * (along + 1) + h_out * w_out * across
    up = h_in * w_in + h_in * w_out * across + h_out * w_out * along
    return down <= up


def run(step: Pass, x: Array, out: Array, n_threads: int | None) -> Call | None:
    """Fills `out` from `x`; the two agree in every axis that the pass leaves alone.

    Returns the kernel call that did it, if that is one so small that it needs no second thread.
    """
    if out.size == 0:
        return None
    call = step.call(x, out) if plain(x) and plain(out) else None
    if call is None:
        tiles = list(_tiles(*_merged(replace(step, axis=step.axis + 1), x[None, None], out[None, None])))
        threads.run(lambda first, last: _run_tiles(tiles[first:last]), len(tiles), n_threads or threads.available())
        return None
    if call.work < 2 * INLINE:
        call.whole(x, out)
        return call
    kernel, args, arrays = call.kernel, call.args, call.flat(x, out)
    most = min(n_threads or threads.available(), int(call.work // INLINE))
    threads.run(lambda first, last: kernel(*arrays, *args, first, last), call.n_rows, most)
    return None


def _call(step: Pass, shape: tuple[int, ...], result: tuple[int, ...], itemsize: int) -> Call:
    """The kernel for arrays of these shapes (one axis more than the array's own), and its arguments."""
    kernels, axis, vertical, horizontal = load(), step.axis, step.vertical, step.horizontal
    n_rows, row, channels = prod(result[: axis + 1]), prod(shape[axis + 1 :]), prod(shape[axis + 2 :])
    work = prod(shape) + prod(result) * (1 + sum(runs.mean_count for runs in (vertical, horizontal) if runs))
    args: tuple[Any, ...]
    bits = None
    if step.copies:
        h = _identity(1).packed(row) if horizontal is None else horizontal.packed(channels)
        v = _identity(shape[axis]).packed() if vertical is None else vertical.packed()
        kernel, args, bits = kernels.pick, (v.integers, h.integers), np.dtype(f"u{itemsize}")
    elif vertical is None:
        assert horizontal is not None
        kernel, args = kernels.columns, horizontal.packed(channels, blocks=n_rows >= FEW_ROWS)
    elif horizontal is None:
        kernel, args = kernels.rows, (row, *vertical.packed())
    elif _is_direct(vertical, horizontal, channels):
        pairs = (*vertical.paired.packed(), *horizontal.paired.packed(channels))
        kernel, args = kernels.direct, (step.vertical_first, *pairs)
    else:
        kernel = kernels.down if step.vertical_first else kernels.up
        args = (*vertical.packed(), *horizontal.packed(channels, blocks=n_rows >= FEW_ROWS))
    return Call(kernel, tuple(args), n_rows, work, bits)


def _is_direct(vertical: Runs, horizontal: Runs, channels: int) -> bool:
    """Whether the direct form is the fastest: 2 x 2 taps at most, and pixels that fill vectors by themselves.

    With 3 or 4 channels only where the image shrinks: growing reads every pixel often, and a row between saves that.
    """
    both = (vertical, horizontal)
    if any(runs.n_in < 2 or runs.weights.shape[1] > 2 for runs in both):
        return False
    return channels >= MANY_CHANNELS or (channels in (3, 4) and all(runs.n_out <= runs.n_in for runs in both))


def _identity(n: int) -> Runs:
    return Runs(n, np.arange(n), np.ones(n, np.int64), np.ones((n, 1)), 1.0)


def _merged(step: Pass, x: Array, out: Array) -> tuple[Pass, Array, Array]:
    """The same with all axes before the rows as one, where strides allow it: then one tile can hold many images."""
    try:
        images, results = _as_images(x, step.axis), _as_images(out, step.axis)
    except (ValueError, TypeError):  # no such view; or a NumPy before 2.1, which has no `copy`
        return step, x, out
    return replace(step, axis=1), images, results


def _as_images(array: Array, axis: int) -> Array:
    """A view of the array with one axis before `axis`; raises where only a copy could be so."""
    shape = (-1, *array.shape[axis:])
    images: Array = array.reshape(shape) if array.flags.c_contiguous else array.reshape(shape, copy=False)
    return images


def _tiles(step: Pass, x: Array, out: Array) -> Iterator[tuple[Pass, Array, Array]]:
    """The pass in pieces: several small images at a time, or blocks of rows of a large one.

    Here `step.axis` counts the axes of x as it is; the pieces are arrays of images, whose rows are their second axis.
    """
    size = max(prod(x.shape[step.axis :]), prod(out.shape[step.axis :]), 1)
    whole = replace(step, axis=2)
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
        dtype = out.dtype.newbyteorder("=") if step.copies else step.sums
        result = np.empty(out.shape, dtype)
        block = np.ascontiguousarray(x, dtype)
        call = step.call(block, result)
        assert call is not None  # both are plain, and in the dtype of the sums
        call.whole(block, result)
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
