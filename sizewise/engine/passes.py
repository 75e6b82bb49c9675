"""One pass: resize one axis, or two neighboring axes, of an array of any rank, strides and dtype.

Kernels read and write arrays in place, in bands of rows on several threads, wherever the elements of a row are
contiguous; rows and images may have any strides. Other arrays (other byte order, strided pixels, 64-bit integers) go
through contiguous copies, in `staging`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core
from ..cpu_cache import MIN_BYTES, last_level_cache_bytes
from . import integer_taps, layout, pass_order, staging
from .axis_taps import AxisTaps, identity_taps
from .kernel_call import KernelCall, Types
from .packing import LANES, MIN_VECTOR_CHANNELS, Array, pack_axis, pack_both

if TYPE_CHECKING:
    from .fixed_point_pass import FixedPointPass

MIN_RING_ROWS = 64  # in a band, where a ring buffer of rows is filled again for each
MIN_BLOCK_ROWS = 4  # below this, transposing eight rows at a time would mostly move copies of the last
NONTEMPORAL_FRACTION = 0.5  # of the last-level cache: results of larger calls bypass it
MAX_CALLS = 64  # shapes for which a pass keeps its call
MAX_AMBIGUOUS = 0.02  # fraction of sums to recompute above which float64 is faster from the beginning


def run(step: Pass | FixedPointPass, x: Array, out: Array, n_threads: int | None) -> KernelCall | None:
    """Fill `out` from `x`; the two agree in every axis that the pass leaves alone.

    Return the kernel call that did it, if that is one on C-contiguous arrays.
    """
    if out.size == 0:
        return None
    call = step.call(x, out)
    if call is not None and layout.is_c_contiguous(x, out):
        call.run(x, out, n_threads)
        return call
    if call is None or not _run_in_place(step, call, x, out, n_threads):
        assert isinstance(step, Pass)  # a fixed-point pass is given what its kernels read
        staging.run(step, x, out, n_threads)
    return None


def _run_in_place(step: Pass | FixedPointPass, call: KernelCall, x: Array, out: Array, n_threads: int | None) -> bool:
    """Run on arrays of any row strides, at once or image by image; return False where rows are not contiguous."""
    source = layout.strided_rows(layout.compact_rows(x[None], step.axis), step.axis)
    target = layout.strided_rows(out[None], step.axis)
    if source is None or target is None:
        return False
    if source.image_stride is None or target.image_stride is None:  # split along the first axis
        part = replace(step, axis=step.axis - 1)
        for image, result in zip(x, out, strict=True):
            run(part, image, result, n_threads)
    else:
        call.run(source.flat, target.flat, n_threads, layout.strided_layout(call.layout, source, target))
    return True


@dataclass(eq=False, repr=False)
class Pass:
    """Vertical taps on axis `axis` and horizontal taps on the next; None leaves that axis alone.

    `axis` is counted with one more axis put before the array's own, so that there is always one before the horizontal.
    `between` is the dtype kept between the two halves. `is_selection`: every output is one pixel, unchanged, or none;
    bits are copied without arithmetic.
    """

    axis: int
    vertical: AxisTaps | None
    horizontal: AxisTaps | None
    vertical_first: bool
    is_selection: bool
    between: np.dtype

    def __post_init__(self) -> None:
        self.taps = [taps for taps in (self.vertical, self.horizontal) if taps is not None]
        self.sums = self.taps[0].weights.dtype
        self._calls: dict[Any, KernelCall] = {}

    def has_kernels(self, x: np.dtype, out: np.dtype) -> bool:
        """Return whether kernels read the one dtype and write the other: the same, or float32 made of integers."""
        if self.is_selection:
            return x == out and x.isnative
        same = x == out or (x.kind in "iu" and out == np.float32)
        return same and layout.has_kernels(x, self.sums) and layout.has_kernels(out, self.sums)

    def call(self, x: Array, out: Array) -> KernelCall | None:
        """Return the kernel call for arrays of these shapes and dtypes, cached; None where there is no kernel."""
        key = (x.shape, out.shape, x.dtype, out.dtype)
        call = self._calls.get(key)
        if call is None and self.has_kernels(x.dtype, out.dtype):
            if len(self._calls) >= MAX_CALLS:
                self._calls.clear()  # another thread may be looking, so nothing here reads a key twice
            case = _Case(self, x.dtype, out.dtype, (1, *x.shape), (1, *out.shape))
            call = self._calls[key] = _make_call(case)
        return call

    run = run


class _Case:
    """A pass over arrays of these dtypes and shapes (one axis more than the array's own)."""

    def __init__(self, step: Pass, x: np.dtype, out: np.dtype, shape: tuple[int, ...], result: tuple[int, ...]) -> None:
        self.step, self.x, self.out, self.shape, self.result = step, x, out, shape, result
        self.sizes = prod(shape), prod(result)
        self.n_rows = prod(result[: step.axis + 1])
        self.channels = prod(shape[step.axis + 2 :])
        self.use_blocks = self.n_rows >= MIN_BLOCK_ROWS

    def types(self, *, scratch: str = "") -> Types:
        return self.x.name, self.out.name, self.step.sums.name, scratch

    def tap_cost(self, cost: float) -> float:
        """Return the cost of a tap: `cost`, unless the channels of a pixel fill vectors."""
        return 1.0 if self.channels >= MIN_VECTOR_CHANNELS else cost

    def two_passes(self, tap_cost: float = pass_order.HORIZONTAL_COST) -> float:
        """Return the work of two passes."""
        vertical, horizontal = self.step.taps
        work = pass_order.two_passes(vertical, horizontal, self.tap_cost(tap_cost))[not self.step.vertical_first]
        return prod(self.shape[: self.step.axis]) * self.channels * work


class _Choice(NamedTuple):
    """A kernel with its packed tables, its work in elements of 4 bytes, and how its results may be split and stored."""

    kind: str
    types: Types
    tables: tuple[Array, ...]
    work: float
    parameter: float = 0.0
    may_bypass_cache: bool = False
    min_rows: int = LANES


def _nearest(case: _Case) -> _Choice:
    step, shape = case.step, case.shape
    row = prod(shape[step.axis + 1 :])
    h = pack_axis(identity_taps(1), row) if step.horizontal is None else pack_axis(step.horizontal, case.channels)
    v = pack_axis(identity_taps(shape[step.axis])) if step.vertical is None else pack_axis(step.vertical)
    bits = f"bits{8 * case.x.itemsize}"
    work = pass_order.nearest(*case.sizes, case.channels * case.x.itemsize)
    return _Choice("nearest", (bits, bits, "", ""), pack_both(v, h), work, may_bypass_cache=True)


def _one_axis(case: _Case) -> _Choice:
    if case.step.vertical is not None:
        taps = case.step.vertical
        return _Choice("vertical_only", case.types(), pack_axis(taps), pass_order.one_pass(*case.sizes, taps))
    taps = case.step.taps[0]
    work = pass_order.one_pass(*case.sizes, taps, case.tap_cost(pass_order.HORIZONTAL_COST))
    return _Choice("horizontal_only", case.types(), pack_axis(taps, case.channels, blocks=case.use_blocks), work)


def _fused_2x2(case: _Case) -> _Choice | None:
    """Choose the fused kernel for 2x2 taps at most, of pixels that fill vectors.

    Of 3 or 4 channels only where the image shrinks: growing reads every pixel often, and a scratch row saves that.
    """
    step, channels, both = case.step, case.channels, case.step.taps
    if step.between != step.sums or any(
        taps.n_in < 2 or taps.weights.shape[1] > 2 or taps.divisors is not None for taps in both
    ):
        return None
    if channels < MIN_VECTOR_CHANNELS and not (channels in (3, 4) and all(taps.n_out <= taps.n_in for taps in both)):
        return None
    vertical, horizontal = both
    packed = pack_both(pack_axis(vertical.with_two_taps), pack_axis(horizontal.with_two_taps, channels))
    work = pass_order.fused_2x2(*case.sizes, vertical, case.tap_cost(pass_order.FUSED_COST))
    return _Choice("fused_2x2", case.types(), packed, work, may_bypass_cache=True)


def _verified_float32(case: _Case) -> _Choice | None:
    """Choose float32 for uint8 images where it is close enough to float64 that few sums are ambiguous."""
    step, (vertical, horizontal) = case.step, case.step.taps
    is_float64 = step.sums == step.between == np.float64
    if not (case.x == case.out == np.uint8 and is_float64 and float32_error_bound(step) < MAX_AMBIGUOUS):
        return None
    single = pack_both(
        pack_axis(vertical.as_float32), pack_axis(horizontal.as_float32, case.channels, blocks=case.use_blocks)
    )
    exact = pack_both(pack_axis(vertical), pack_axis(horizontal, case.channels))
    kind = "vertical_first_verified" if step.vertical_first else "horizontal_first_verified"
    types, limit = ("uint8", "uint8", "float64", "float32"), float(np.float32(0.5 - float32_error_bound(step)))
    return _Choice(kind, types, (*single, *exact), case.two_passes(), limit, min_rows=MIN_RING_ROWS)


def _fixed_point_pairs(case: _Case) -> _Choice | None:
    step, (vertical, horizontal) = case.step, case.step.taps
    if case.x != np.uint8 or step.vertical_first or step.sums != np.int32 or step.between != np.uint8:
        return None
    packed = integer_taps.pack_pairs(vertical, horizontal, case.channels, use_shuffles=_core.has_byte_shuffle())
    if packed is None:
        return None
    tables, is_shuffled = packed
    kind, cost = ("_shuffled", pass_order.SHUFFLE_COST) if is_shuffled else ("", pass_order.PAIRS_COST)
    types, work = ("uint8", "uint8", "int16", "uint8"), case.two_passes(cost)
    return _Choice("fixed_point_pairs" + kind, types, tables, work, min_rows=MIN_RING_ROWS)


def _two_passes(case: _Case) -> _Choice:
    step, (vertical, horizontal) = case.step, case.step.taps
    packed = pack_both(pack_axis(vertical), pack_axis(horizontal, case.channels, blocks=case.use_blocks))
    types, work = case.types(scratch=step.between.name), case.two_passes()
    if step.vertical_first:
        return _Choice("vertical_first", types, packed, work)
    return _Choice("horizontal_first", types, packed, work, may_bypass_cache=True, min_rows=MIN_RING_ROWS)


# In order of preference; each returns None where it does not apply, or its packed tables and their cost. The native
# core has more, which give the same results faster.
_TWO_AXES: tuple[Callable[[_Case], _Choice | None], ...] = (_fused_2x2, _two_passes)
_NATIVE_TWO_AXES = (_fused_2x2, _verified_float32, _fixed_point_pairs, _two_passes)


def _make_call(case: _Case) -> KernelCall:
    """Return the call of the first candidate that applies."""
    step = case.step
    if step.is_selection:
        choice = _nearest(case)
    elif len(step.taps) == 1:
        choice = _one_axis(case)
    else:
        candidates = _TWO_AXES if _core.native() is None else _NATIVE_TWO_AXES
        choice = next(filter(None, (candidate(case) for candidate in candidates)))
    n_bytes = case.sizes[0] * case.x.itemsize + case.sizes[1] * case.out.itemsize
    is_large = case.out.itemsize >= 4 and n_bytes > NONTEMPORAL_FRACTION * MIN_BYTES
    nontemporal = choice.may_bypass_cache and is_large and n_bytes > NONTEMPORAL_FRACTION * last_level_cache_bytes()
    rows = layout.contiguous_layout(
        case.shape, case.result, step.axis, vertical_first=step.vertical_first, nontemporal=nontemporal
    )
    work = choice.work * (1.0 if step.is_selection else step.sums.itemsize / 4)
    return KernelCall(
        choice.kind, choice.types, tuple(choice.tables), choice.parameter, rows, case.n_rows, case.sizes, work,
        choice.min_rows,
    )  # fmt: skip


def float32_error_bound(step: Pass) -> float:
    """Return by how much a float32 sum of uint8 may differ from the float64 one; below 0 where it never does."""
    both = step.taps
    if sum(taps.weight_bits for taps in both) + 8 <= 23:
        return -1.0
    # Each tap is rounded as a weight, as a product and in the sum, by 2 ** -24 of its contribution; then the quotient.
    roundings = sum(taps.weights.shape[1] + 3 for taps in both)
    largest = prod((taps.max_gain for taps in both), start=255.0)
    return float(1.1 * roundings * 2.0**-24 * largest)
