"""One pass: resizes one axis, or two neighbouring axes, of an array of any rank, strides and dtype.

The kernels read and write arrays in place, in bands of rows on several threads, wherever the numbers of a row lie one
after the other; rows and images may lie anywhere. Other arrays (other byte order, pixels apart from each other, 64-bit
integers) go through in `tiles`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from . import caches, costs, layout, load, tables, threads, tiles
from .layout import Place
from .packing import LANES, pack_both, steps_of
from .runs import Runs, identity

Array = NDArray[Any]
Fill = Callable[[Array, Array], None]  # fills the second from the first

# Work is counted as in `costs`.
INLINE = 2_000_000  # below which a second thread costs more than it gives
AWAKE = 900_000  # done by the caller while a worker wakes up: 30 us, on virtual machines up to 100
SLICE = 450_000  # below which a piece would cost more than the balance it brings
PIECE = 100_000_000  # after which a kernel returns, so that Ctrl-C is seen: 2 to 12 ms
LEAST_ROWS = 64  # in a piece, where a sliding window of rows is filled anew for each
FEW_ROWS = 4  # below this, transposing eight rows at a time would mostly move copies of the last
STREAMED = 0.5  # of the largest cache: what is read and written in one call, above which results are not kept there
MOST_CALLS = 64  # shapes for which a pass keeps its call
MOST_DOUBT = 0.02  # of sums that may have to be made again, above which float64 is faster from the beginning


class Call(NamedTuple):
    """A kernel with all its arguments but the arrays, their place and the rows; and how it wants to see the arrays."""

    kernel: Callable[..., None]
    place: Place
    args: tuple[Any, ...]
    n_rows: int
    work: float
    sees: tuple[np.dtype | None, np.dtype | None]
    least_rows: int

    def whole(self, x: Array, out: Array) -> None:
        """Fills all of out from x, both plain, on this thread."""
        source, target = self.seen(x.ravel(), out.ravel())
        self.kernel(source, target, self.place, *self.args, 0, self.n_rows)

    def quick(self, x: Array, out: Array) -> Fill | None:
        """What fills all plain arrays of these dtypes and shapes in less time: for small ones it counts.

        The types of the arguments are looked at here, and not again in every call: machine code sees memory alone. None
        where there is no machine code, or it wants to see more.
        """
        rest, n_rows = (self.place, *self.args), self.n_rows
        code = load().code(self.kernel, *self.seen(x.ravel(), out.ravel()), *rest, 0, n_rows)
        if code is None or not _takes(code, x.ravel(), out.ravel(), *rest, 0, 0):
            return None
        cuts: dict[int, threads.Cut] = {}

        def fill(x: Array, out: Array) -> None:
            code(x.ravel(), out.ravel(), *rest, 0, n_rows)

        def fill_in_bands(x: Array, out: Array) -> None:
            source, target = x.ravel(), out.ravel()
            n_threads = threads.available()
            cut = cuts.get(n_threads)
            if cut is None:
                cut = cuts[n_threads] = self.cut(n_threads)
            threads.run_cut(lambda first, last: code(source, target, *rest, first, last), cut)

        return fill if self.work < 2 * INLINE else fill_in_bands

    def cut(self, n_threads: int) -> threads.Cut:
        """The bands of rows in which it is run, on as many threads as are worth their while."""
        most = max(1, min(n_threads, int(self.work // INLINE)))
        rows = self.n_rows / self.work
        least, at_once, ahead = max(self.least_rows, int(SLICE * rows)), int(PIECE * rows), int(AWAKE * rows)
        return threads.cut(self.n_rows, most, LANES, least, max(self.least_rows, at_once), ahead)

    def seen(self, source: Array, target: Array) -> tuple[Array, Array]:
        """Flat arrays, views of others, as the kernel wants to see them."""
        source.setflags(write=False)  # one Numba type for all inputs, so one compilation
        as_source, as_target = self.sees
        if as_source is not None:
            source = source.view(as_source)
        return source, target if as_target is None else target.view(as_target)


def _takes(code: Callable[..., None], *args: Any) -> bool:
    """Whether machine code takes arguments that are not quite of its types."""
    try:
        code(*args)
    except TypeError:
        return False
    return True


class Step(Protocol):
    """What `run` runs: something that resizes the axis `axis`, and the next, by one kernel call."""

    @property
    def axis(self) -> int:
        """The axis of the rows, counted with one more axis put before the array's own."""

    def call(self, x: Array, out: Array) -> Call | None:
        """The kernel call for arrays of these shapes and dtypes; None where no kernel takes them as they are."""


@dataclass(frozen=True, eq=False)
class Pass:
    """Vertical taps on axis `axis` and horizontal taps on the next; None leaves that axis as it is.

    `axis` is counted with one more axis put before the array's own, so that there is always one before the horizontal.
    `vertical_first` says which half goes first, and `between` what is kept between the halves; `copies` that every
    output is one pixel as it is, or none: bits are copied and no arithmetic is done.
    """

    axis: int
    vertical: Runs | None
    horizontal: Runs | None
    vertical_first: bool
    copies: bool
    between: np.dtype
    _calls: dict[Any, Call] = field(init=False, default_factory=dict)

    @property
    def sums(self) -> np.dtype:
        """The dtype in which sums are formed."""
        runs = self.vertical or self.horizontal
        assert runs is not None
        return runs.weights.dtype

    def takes(self, x: np.dtype, out: np.dtype) -> bool:
        """Whether the kernels read the one dtype and write the other: the same, or float32 made of integers.

        Other mixtures arise only between the passes of plans of three axes, and would be compiled for nothing else.
        """
        if self.copies:
            return x == out and x.isnative
        same = x == out or (x.kind in "iu" and out == np.float32)
        return same and layout.taken(x, self.sums) and layout.taken(out, self.sums)

    def call(self, x: Array, out: Array) -> Call | None:
        """The kernel call for arrays of these shapes and dtypes, kept; None where no kernel takes them as they are."""
        key = (x.shape, out.shape, x.dtype, out.dtype)
        call = self._calls.get(key)
        if call is None and self.takes(x.dtype, out.dtype):
            if len(self._calls) >= MOST_CALLS:
                self._calls.clear()  # another thread may be looking, so nothing here reads a key twice
            call = self._calls[key] = _call(self, (1, *x.shape), (1, *out.shape), x.dtype, out.dtype)
        return call

    def run(self, x: Array, out: Array, n_threads: int | None) -> Call | None:
        """Fills `out` from `x`; see `run`."""
        return run(self, x, out, n_threads)


def run(step: Step, x: Array, out: Array, n_threads: int | None) -> Call | None:
    """Fills `out` from `x`; the two agree in every axis that the pass leaves alone.

    Returns the kernel call that did it, if that is one on plain arrays.
    """
    if out.size == 0:
        return None
    call = step.call(x, out)
    if call is None:
        assert isinstance(step, Pass)
        tiles.run(step, x, out, n_threads)
        return None
    if layout.plain(x) and layout.plain(out):
        if call.work < 2 * INLINE:
            call.whole(x, out)
        else:
            _run_in_bands(call, *call.seen(x.ravel(), out.ravel()), call.place, n_threads)
        return call
    _run_in_place(step, call, x, out, n_threads)
    return None


def _run_in_bands(call: Call, source: Array, target: Array, place: Place, n_threads: int | None) -> None:
    """The call on flat arrays, in bands of rows."""
    kernel, args = call.kernel, call.args
    cut = call.cut(n_threads or threads.available())
    threads.run_cut(lambda first, last: kernel(source, target, place, *args, first, last), cut)


def _run_in_place(step: Step, call: Call, x: Array, out: Array, n_threads: int | None) -> None:
    """Arrays whose rows may lie anywhere: as one, else image by image, else in tiles."""
    source, target = layout.lay(x[None], step.axis), layout.lay(out[None], step.axis)
    if source is None or target is None:
        assert isinstance(step, Pass)  # others have seen to it
        tiles.run(step, x, out, n_threads)
    elif source.image is None or target.image is None:  # images lie in no regular order: those of the first axis apart
        part = replace(step, axis=step.axis - 1)  # type: ignore[type-var]
        for one, result in zip(x, out, strict=True):
            run(part, one, result, n_threads)
    else:
        place = layout.moved(call.place, source, target)
        _run_in_bands(call, *call.seen(source.flat, target.flat), place, n_threads)


def _call(step: Pass, shape: tuple[int, ...], result: tuple[int, ...], x: np.dtype, out: np.dtype) -> Call:
    """The kernel for arrays of these shapes (one axis more than the array's own), and its arguments."""
    kernels, axis, vertical, horizontal = load(), step.axis, step.vertical, step.horizontal
    n_rows, row, channels = prod(result[: axis + 1]), prod(shape[axis + 1 :]), prod(shape[axis + 2 :])
    horizontal_cost, blocks = costs.HORIZONTAL_COST, n_rows >= FEW_ROWS
    args: tuple[Any, ...]
    sees = layout.seen_as(x), layout.seen_as(out)
    if step.copies:
        h = identity(1).packed(row) if horizontal is None else horizontal.packed(channels)
        v = identity(shape[axis]).packed() if vertical is None else vertical.packed()
        bits = np.dtype(f"u{x.itemsize}")
        kernel, args, sees = kernels.pick, pack_both(v, h), (bits, bits)
    elif vertical is None:
        assert horizontal is not None
        kernel, args = kernels.columns, horizontal.packed(channels, blocks=blocks)
    elif horizontal is None:
        kernel, args = kernels.rows, vertical.packed()
    elif step.between == step.sums and costs.is_direct(vertical, horizontal, channels):
        kernel, args = kernels.direct, pack_both(vertical.paired.packed(), horizontal.paired.packed(channels))
    elif x == out == np.uint8 and _is_certain(step) and hasattr(kernels, "down_certain"):
        kernel = kernels.down_certain if step.vertical_first else kernels.up_certain
        single = pack_both(vertical.single.packed(), horizontal.single.packed(channels, blocks=blocks))
        args = (*single, *pack_both(vertical.packed(), horizontal.packed(channels)), np.float32(0.5 - _doubt(step)))
    elif x == out == np.uint8 and hasattr(kernels, "paired_quads") and (pairs := _paired(step, channels)):
        sixteens, args = len(steps_of(*pairs[:2]).windows) > 0, pairs
        kernel = kernels.paired_sixteens if sixteens else kernels.paired_quads
        horizontal_cost = costs.NAMED_COST if sixteens else costs.PAIRED_COST
    else:
        kernel = kernels.down if step.vertical_first else kernels.up
        both = pack_both(vertical.packed(), horizontal.packed(channels, blocks=blocks))
        args = (*both, np.empty(0, step.between))
    n_bytes = prod(shape) * x.itemsize + prod(result) * out.itemsize
    streaming = kernel in (kernels.up, kernels.direct, kernels.pick) and out.itemsize >= 4
    streams = streaming and n_bytes > STREAMED * caches.largest()
    place = layout.place(shape, result, axis, vertical_first=step.vertical_first, streams=streams)
    alone = (kernels.rows, kernels.columns, kernels.down, kernels.direct, kernels.pick)  # whose rows share no window
    least_rows = LANES if kernel in alone else LEAST_ROWS
    work = costs.work(step, shape, result, x.itemsize, horizontal_cost)
    return Call(kernel, place, tuple(args), n_rows, work, sees, least_rows)


def _paired(step: Pass, channels: int) -> tuple[Any, ...] | None:
    """What the kernel takes that sums whole numbers in pairs, horizontal first; None where it does not."""
    if step.vertical_first or step.sums != np.int32 or step.between != np.uint8:
        return None
    assert step.vertical is not None and step.horizontal is not None
    return tables.paired(step.vertical, step.horizontal, channels, permutes=load().permutes_bytes())


def _is_certain(step: Pass) -> bool:
    """Whether float32 is near enough to sums of uint8 in float64 that few of them are in doubt."""
    return step.sums == step.between == np.float64 and _doubt(step) < MOST_DOUBT


def _doubt(step: Pass) -> float:
    """By how much a sum of uint8 in float32 may be off; below 0 where it never is."""
    both = [runs for runs in (step.vertical, step.horizontal) if runs is not None]
    if sum(runs.bits for runs in both) + 8 <= 23:
        return -1.0
    # Each tap is rounded as a weight, as a product and in the sum: by 2 ** -24 of what it amounts to.
    roundings = sum(runs.weights.shape[1] + 2 for runs in both)
    largest = 255.0
    for runs in both:
        largest *= float(np.abs(runs.weights).sum(axis=1).max())
    return float(1.1 * roundings * 2.0**-24 * largest)
