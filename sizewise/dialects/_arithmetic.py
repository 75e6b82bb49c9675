"""Arithmetic: the dtypes, the order and the rounding in which a dialect sums pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..taps import Taps
from ._request import Request

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FixedPoint(NamedTuple):
    """Fixed-point sums: a pass returns (sum + 2**(bits - 1)) >> bits, clipped to the dtype of the result.

    A weight w becomes w * 2**bits, rounded half away from zero. An axis has up to `bits` bits: as many as keep its
    largest weight below `weight_limit`.

    >>> FixedPoint(bits=22, weight_limit=2**15).quantize(np.array([0.25, 0.75]))
    (array([ 8192, 24576], dtype=int32), 15)
    """

    bits: int
    weight_limit: int = 2**31

    def quantize(
        self, weights: NDArray[np.float64], axis_weights: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.int32], int]:
        """Return weights as integers, and their number of bits; `axis_weights` is the full axis if these are a tile."""
        largest = float(np.abs(weights if axis_weights is None else axis_weights).max(initial=0.0))
        bits = next((bits for bits in range(self.bits, 0, -1) if int(0.5 + largest * 2**bits) < self.weight_limit), 1)
        scaled = weights * 2.0**bits
        return np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int32), bits


class IntegerTaps(NamedTuple):
    """Integer taps of one axis: output o reads pixels first[o], first[o] + 1, ...

    Taps outside the axis read its nearest end. They are not merged, because each product is rounded.

    >>> taps = IntegerTaps(4, first=np.array([0, 2]), weights=np.array([[1, 3], [2, 2]], np.int32))
    >>> pixels = np.array([10, 20, 30, 40])
    >>> (pixels[taps.first[:, None] + np.arange(2)] * taps.weights).sum(axis=1)  # the sums of the two outputs
    array([ 70, 140])
    """

    n_in: int
    first: NDArray[np.int64]
    weights: NDArray[np.int32]


class TwoPassInteger(NamedTuple):
    """Integer arithmetic of a two-axis resize: an exact pass along the last axis, then one along the other.

    The first pass drops `shift` bits and stores the dtype `intermediate`. The second one sums as the dtype `sums` says:
    int32 exactly; int16 with the upper half of each product; float32 with weights divided by 2**bits, from the last tap
    to the first, except that the last elements of a row, fewer than a vector of eight, are exact.

    The result is the sum times `gain`, or, if that is 0, (sum + 2**(bits - 1)) >> bits. With `blocks`, sums are those
    of blocks of pixels, and a block that extends beyond the image is the float32 mean of its pixels inside.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((4, 4), (8, 8), "linear", dialect="opencv")
    >>> two_pass = sw.dialects.get("opencv").arithmetic(np.dtype(np.uint8), plan.request).two_pass
    >>> two_pass.intermediate, two_pass.shift, two_pass.bits  # as in OpenCV
    (dtype('int16'), 4, 2)
    """

    tables: Callable[[Request], tuple[IntegerTaps, IntegerTaps]]
    sums: np.dtype
    intermediate: np.dtype
    shift: int = 0
    bits: int = 0
    gain: float = 0.0
    blocks: bool = False


class Reduction(NamedTuple):
    """Means of blocks of pixels, rounded, as a first step; then the request and taps that resize these means.

    `blocks` holds the means of each axis before rounding.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((16, 16), (2, 2), "bicubic", dialect="pillow", reducing_gap=1.5)
    >>> reduction = sw.dialects.get("pillow").arithmetic(np.dtype(np.uint8), plan.request).reduction
    >>> reduction.blocks[0].n_in, reduction.request.input_size, reduction.request.output_size
    (16, (4, 4), (2, 2))
    """

    blocks: tuple[Taps, ...]
    request: Request
    taps: tuple[Taps, ...]


@dataclass(frozen=True)
class Arithmetic:
    """The dtypes and rounding of a resize; an integer result is rounded half to even, unless it is `fixed_point`.

    `accumulate` is the dtype of sums, `intermediate` that stored between two passes (None: the sums themselves).
    `order` lists the passes as positions among the resized axes (None: the fastest order). `two_pass` replaces all of
    these for two axes; `reduction` is a first step, after which its own request decides. With `in_tap_order`, sums
    are formed tap by tap like the framework's, so that every bit is the same even where that loses accuracy.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((8, 8), (4, 4), "bilinear", dialect="pillow")
    >>> arithmetic = sw.dialects.get("pillow").arithmetic(np.dtype(np.uint8), plan.request)
    >>> arithmetic.intermediate, arithmetic.fixed_point.bits  # bytes between the passes, as in Pillow
    (dtype('uint8'), 22)
    """

    accumulate: np.dtype
    result: np.dtype
    intermediate: np.dtype | None = None
    order: tuple[int, ...] | None = None
    fixed_point: FixedPoint | None = None
    two_pass: TwoPassInteger | None = None
    reduction: Reduction | None = None
    in_tap_order: bool = False

    # Whether sums have no more precision than results, so that their rounding errors show. These sums are formed in
    # blocks; wider ones in the order of the taps, as frameworks do.
    is_narrow: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        is_as_wide = self.accumulate.itemsize <= max(4, self.result.itemsize)
        is_narrow = is_as_wide and is_floating(self.result) and not self.in_tap_order
        object.__setattr__(self, "is_narrow", is_narrow)

    def weights(self, taps: Taps) -> tuple[NDArray, NDArray | None]:
        """Return the weights of an axis in the dtype of the sums, and the divisors of the sums if some are means."""
        weights, divisors = (taps.means if self.is_narrow else None) or (taps.weights, None)
        return weights.astype(self.accumulate), None if divisors is None else divisors.astype(self.accumulate)

    @property
    def needs_full_image(self) -> bool:
        """Whether only the kernels can compute it, from all pixels at once: neither tiles nor a framework's ops can."""
        return self.two_pass is not None or self.reduction is not None


@cache
def is_floating(dtype: np.dtype) -> bool:
    """Return whether a dtype is floating: NumPy's floats, and bfloat16 from another package.

    >>> is_floating(np.dtype(np.float16)), is_floating(np.dtype(np.uint8))
    (True, False)
    """
    return dtype.kind == "f" or dtype.name == "bfloat16"


@cache
def float_arithmetic(dtype: np.dtype) -> Arithmetic | None:
    """Return the usual arithmetic of a floating dtype: its own, and float32 sums for 16-bit floats; else None.

    >>> float_arithmetic(np.dtype(np.float16)).accumulate, float_arithmetic(np.dtype(np.uint8))
    (dtype('float32'), None)
    """
    if not is_floating(dtype):
        return None
    return Arithmetic(np.dtype(np.float32) if dtype.itemsize == 2 else dtype, dtype)
