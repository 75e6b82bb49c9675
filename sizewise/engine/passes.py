"""One pass: resize one axis, or two neighboring axes, of an array of any rank, strides and dtype.

Kernels read and write arrays in place, in bands of rows on several threads, wherever the elements of a row are
contiguous; rows and images may lie anywhere. Other arrays (other byte order, pixels apart from each other, 64-bit
integers) go through contiguous copies, in `tiles`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from .. import _core
from ..cpu_cache import last_level_cache_bytes
from . import costs, integer_taps, layout, staging
from .axis_taps import Runs, identity
from .kernel_call import KernelCall
from .packing import LANES, pack_both, steps_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

MIN_RING_ROWS = 64  # in a band, where a ring buffer of rows is filled again for each
MIN_BLOCK_ROWS = 4  # below this, transposing eight rows at a time would mostly move copies of the last
NONTEMPORAL_FRACTION = 0.5  # of the last-level cache: results of larger calls bypass it
MAX_CALLS = 64  # shapes for which a pass keeps its call
MAX_AMBIGUOUS = 0.02  # fraction of sums to recompute above which float64 is faster from the beginning


class Step(Protocol):
    """A part of a resize that one kernel call does: along the axis `axis`, and the next."""

    @property
    def axis(self) -> int:
        """The axis of the rows, counted with one more axis put before the array's own."""

    def call(self, x: Array, out: Array) -> KernelCall | None:
        """Return the kernel call for arrays of these shapes and dtypes; None where no kernel takes them in place."""


@dataclass(eq=False, repr=False)
class Pass:
    """Vertical taps on axis `axis` and horizontal taps on the next; None leaves that axis alone.

    `axis` is counted with one more axis put before the array's own, so that there is always one before the horizontal.
    `vertical_first` says which half goes first, and `between` the dtype kept between the halves; `copies` that every
    output is one pixel, unchanged, or none: bits are copied and no arithmetic is done.
    """

    axis: int
    vertical: Runs | None
    horizontal: Runs | None
    vertical_first: bool
    copies: bool
    between: np.dtype
    _calls: dict[Any, KernelCall] = field(init=False, default_factory=dict)

    @property
    def sums(self) -> np.dtype:
        """The dtype in which sums are formed."""
        runs = self.vertical or self.horizontal
        assert runs is not None
        return runs.weights.dtype

    def takes(self, x: np.dtype, out: np.dtype) -> bool:
        """Return whether kernels read the one dtype and write the other: the same, or float32 made of integers."""
        if self.copies:
            return x == out and x.isnative
        same = x == out or (x.kind in "iu" and out == np.float32)
        return same and layout.taken(x, self.sums) and layout.taken(out, self.sums)

    def call(self, x: Array, out: Array) -> KernelCall | None:
        """Return the kernel call for arrays of these shapes and dtypes, kept; None where no kernel takes them."""
        key = (x.shape, out.shape, x.dtype, out.dtype)
        call = self._calls.get(key)
        if call is None and self.takes(x.dtype, out.dtype):
            if len(self._calls) >= MAX_CALLS:
                self._calls.clear()  # another thread may be looking, so nothing here reads a key twice
            call = self._calls[key] = _make_call(self, (1, *x.shape), (1, *out.shape), x.dtype, out.dtype)
        return call

    def run(self, x: Array, out: Array, n_threads: int | None) -> KernelCall | None:
        """Fill `out` from `x`; see `run`."""
        return run(self, x, out, n_threads)


def run(step: Step, x: Array, out: Array, n_threads: int | None) -> KernelCall | None:
    """Fill `out` from `x`; the two agree in every axis that the pass leaves alone.

    Return the kernel call that did it, if that is one on C-contiguous arrays.
    """
    if out.size == 0:
        return None
    call = step.call(x, out)
    if call is None:
        assert isinstance(step, Pass)
        staging.run(step, x, out, n_threads)
        return None
    if layout.plain(x) and layout.plain(out):
        call.run(x, out, n_threads)
        return call
    _run_in_place(step, call, x, out, n_threads)
    return None


def _run_in_place(step: Step, call: KernelCall, x: Array, out: Array, n_threads: int | None) -> None:
    """Run on arrays whose rows may lie anywhere: all at once, else image by image, else in tiles."""
    source = layout.lay(layout.compact_rows(x[None], step.axis), step.axis)
    target = layout.lay(out[None], step.axis)
    if source is None or target is None:
        assert isinstance(step, Pass)  # others have seen to it
        staging.run(step, x, out, n_threads)
    elif source.image is None or target.image is None:  # no one distance between images: those of the first axis apart
        part = replace(step, axis=step.axis - 1)  # type: ignore[type-var]
        for one, result in zip(x, out, strict=True):
            run(part, one, result, n_threads)
    else:
        call.run(source.flat, target.flat, n_threads, layout.moved(call.layout, source, target))


class _Case(NamedTuple):
    """A pass over arrays of these shapes (one axis more than the array's own) and dtypes."""

    step: Pass
    x: np.dtype
    out: np.dtype
    shape: tuple[int, ...]
    n_rows: int

    @property
    def channels(self) -> int:
        return prod(self.shape[self.step.axis + 2 :])

    @property
    def blocks(self) -> bool:
        return self.n_rows >= MIN_BLOCK_ROWS

    def types(self, *, scratch: np.dtype | None = None) -> tuple[str, str, str, str]:
        return self.x.name, self.out.name, self.step.sums.name, "" if scratch is None else scratch.name


class _Choice(NamedTuple):
    """A kernel and its tables; what a horizontal tap of it costs, and how its results may be cut and stored."""

    kind: str
    types: tuple[str, str, str, str]
    tables: tuple[Array, ...]
    parameter: float = 0.0
    horizontal_cost: float = costs.HORIZONTAL_COST
    streams: bool = False
    min_rows: int = LANES


def _nearest(case: _Case) -> _Choice | None:
    step, shape = case.step, case.shape
    if not step.copies:
        return None
    row = prod(shape[step.axis + 1 :])
    h = identity(1).packed(row) if step.horizontal is None else step.horizontal.packed(case.channels)
    v = identity(shape[step.axis]).packed() if step.vertical is None else step.vertical.packed()
    bits = f"bits{8 * case.x.itemsize}"
    return _Choice("nearest", (bits, bits, "", ""), pack_both(v, h), streams=True)


def _one_axis(case: _Case) -> _Choice | None:
    vertical, horizontal = case.step.vertical, case.step.horizontal
    if vertical is None:
        assert horizontal is not None
        return _Choice("horizontal_only", case.types(), horizontal.packed(case.channels, blocks=case.blocks))
    return _Choice("vertical_only", case.types(), vertical.packed()) if horizontal is None else None


def _fused_2x2(case: _Case) -> _Choice | None:
    step, (vertical, horizontal) = case.step, _both(case.step)
    if step.between != step.sums or not costs.is_direct(vertical, horizontal, case.channels):
        return None
    packed = pack_both(vertical.paired.packed(), horizontal.paired.packed(case.channels))
    return _Choice("fused_2x2", case.types(), packed, streams=True)


def _verified_float32(case: _Case) -> _Choice | None:
    """Choose float32 for uint8 images where it is close enough to float64 that few sums are ambiguous."""
    step, (vertical, horizontal) = case.step, _both(case.step)
    is_float64 = step.sums == step.between == np.float64
    if not (case.x == case.out == np.uint8 and is_float64 and float32_error_bound(step) < MAX_AMBIGUOUS):
        return None
    single = pack_both(vertical.single.packed(), horizontal.single.packed(case.channels, blocks=case.blocks))
    exact = pack_both(vertical.packed(), horizontal.packed(case.channels))
    kind = "vertical_first_verified" if step.vertical_first else "horizontal_first_verified"
    types, limit = ("uint8", "uint8", "float64", "float32"), float(np.float32(0.5 - float32_error_bound(step)))
    return _Choice(kind, types, (*single, *exact), limit, min_rows=MIN_RING_ROWS)


def _fixed_point_pairs(case: _Case) -> _Choice | None:
    step, (vertical, horizontal) = case.step, _both(case.step)
    if case.x != np.uint8 or step.vertical_first or step.sums != np.int32 or step.between != np.uint8:
        return None
    packed = integer_taps.paired(vertical, horizontal, case.channels, permutes=_core.has_byte_shuffle())
    if packed is None:
        return None
    shuffled = len(steps_of(*packed[:2]).windows) > 0
    kind = "fixed_point_pairs_shuffled" if shuffled else "fixed_point_pairs"
    cost = costs.NAMED_COST if shuffled else costs.PAIRED_COST
    types = ("uint8", "uint8", "int16", "uint8")
    return _Choice(kind, types, packed, horizontal_cost=cost, min_rows=MIN_RING_ROWS)


def _two_passes(case: _Case) -> _Choice:
    step, (vertical, horizontal) = case.step, _both(case.step)
    packed = pack_both(vertical.packed(), horizontal.packed(case.channels, blocks=case.blocks))
    types = case.types(scratch=step.between)
    if step.vertical_first:
        return _Choice("vertical_first", types, packed)
    return _Choice("horizontal_first", types, packed, streams=True, min_rows=MIN_RING_ROWS)


# In order of preference. The fallback has no kernels of the native-only ones, which give the same results faster.
_CANDIDATES: tuple[Callable[[_Case], _Choice | None], ...] = (_nearest, _one_axis, _fused_2x2)
_NATIVE_CANDIDATES: tuple[Callable[[_Case], _Choice | None], ...] = (_verified_float32, _fixed_point_pairs)


def _choose(case: _Case) -> _Choice:
    native = () if _core.native() is None else _NATIVE_CANDIDATES
    for candidate in (*_CANDIDATES, *native):
        choice = candidate(case)
        if choice is not None:
            return choice
    return _two_passes(case)


def _both(step: Pass) -> tuple[Runs, Runs]:
    assert step.vertical is not None and step.horizontal is not None
    return step.vertical, step.horizontal


def _make_call(step: Pass, shape: tuple[int, ...], result: tuple[int, ...], x: np.dtype, out: np.dtype) -> KernelCall:
    """Return the kernel call for arrays of these shapes (one axis more than the array's own)."""
    n_rows, sizes = prod(result[: step.axis + 1]), (prod(shape), prod(result))
    choice = _choose(_Case(step, x, out, shape, n_rows))
    n_bytes = sizes[0] * x.itemsize + sizes[1] * out.itemsize
    streams = choice.streams and out.itemsize >= 4 and n_bytes > NONTEMPORAL_FRACTION * last_level_cache_bytes()
    place = layout.place(shape, result, step.axis, vertical_first=step.vertical_first, streams=streams)
    work = costs.work(step, shape, result, x.itemsize, choice.horizontal_cost)
    kind, types, packed, parameter = choice[:4]
    return KernelCall(kind, types, tuple(packed), parameter, place, n_rows, sizes, work, choice.min_rows)


def float32_error_bound(step: Pass) -> float:
    """Return by how much a float32 sum of uint8 may differ from the float64 one; below 0 where it never does."""
    both = [runs for runs in (step.vertical, step.horizontal) if runs is not None]
    if sum(runs.bits for runs in both) + 8 <= 23:
        return -1.0
    # Each tap is rounded as a weight, as a product and in the sum, by 2 ** -24 of its contribution; then the quotient.
    roundings = sum(runs.weights.shape[1] + 3 for runs in both)
    largest = 255.0
    for runs in both:
        largest *= runs.gain
    return float(1.1 * roundings * 2.0**-24 * largest)
