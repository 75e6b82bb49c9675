"""The taps of one axis, as the kernels want them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fork_safety import lazy
from .packing import Packed, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ONE_BLOCK = 1 << 32  # taps: more than there are
MAX_CHAINED = 4  # taps of a part of a long sum: few, since the errors of equal parts add up
MOST_PACKED = 16  # channel counts for which an axis keeps its tables


@dataclass(eq=False, repr=False)
class Runs:
    """The taps of one axis: start[n_out], count[n_out], weights[n_out, width], in the dtype of the sums.

    Where sums are integers, what comes out is (sum + add) >> shift. Real ones are divided by divisors[n_out], if there
    are any; where `shift` is not 0 they are rounded to so many fractional bits, since integers are made of them.
    `sum_block` taps are summed one after the other, and then these sums.
    """

    n_in: int
    start: NDArray[np.int64]
    count: NDArray[np.int64]
    weights: Array
    mean_count: float
    add: int = 0
    shift: int = 0
    divisors: Array | None = None
    sum_block: int = ONE_BLOCK
    _packed: dict[tuple[int, bool], Packed] = field(init=False, default_factory=dict)

    @property
    def n_out(self) -> int:
        """The number of outputs."""
        return len(self.start)

    def packed(self, channels: int = 1, *, blocks: bool = False) -> Packed:
        """The taps as the kernels take them, kept for the next call."""
        key = (channels, blocks)
        packed = self._packed.get(key)
        if packed is None:
            if len(self._packed) >= MOST_PACKED:
                self._packed.clear()
            taps = (
                self.n_in,
                self.start,
                self.count,
                self.weights,
                self.divisors,
                self.add,
                self.shift,
                self.sum_block,
            )
            packed = self._packed[key] = pack(*taps, channels, blocks=blocks)
        return packed

    @lazy
    def single(self) -> Runs:
        """The same taps in float32."""
        divisors = None if self.divisors is None else self.divisors.astype(np.float32)
        return replace(self, weights=self.weights.astype(np.float32), divisors=divisors, shift=0)

    @lazy
    def bits(self) -> int:
        """After how many places behind the point all weights end; many, where that is not soon."""
        if self.divisors is not None:
            return 64
        ends = (
            bits for bits in range(16) if np.array_equal(self.weights * 2.0**bits, np.rint(self.weights * 2.0**bits))
        )
        return next(ends, 64)

    @lazy
    def paired(self) -> Runs:
        """The same taps with exactly two to each output, the ones added of weight 0; for runs of two at most."""
        start = np.minimum(self.start, self.n_in - 2)
        weights = np.zeros((self.n_out, 2), self.weights.dtype)
        row = np.arange(self.n_out)
        for k in range(self.weights.shape[1]):
            own = self.count > k
            weights[row[own], (self.start - start)[own] + k] = self.weights[own, k]
        return replace(self, start=start, count=np.full(self.n_out, 2), weights=weights, mean_count=2.0)

    def rows(self, first: int, last: int) -> tuple[slice, Runs]:
        """Return the inputs that outputs first .. last - 1 read, at least one, and the taps from those inputs."""
        start, count = self.start[first:last], self.count[first:last]
        high = int((start + count).max())
        low = min(int(start[count > 0].min(initial=high)), self.n_in - 1)
        high = max(high, low + 1)
        moved = np.where(count > 0, start - low, 0)
        divisors = None if self.divisors is None else self.divisors[first:last]
        return slice(low, high), replace(
            self, n_in=high - low, start=moved, count=count, weights=self.weights[first:last], divisors=divisors
        )

    @property
    def gain(self) -> float:
        """The largest factor by which an output may exceed the largest input."""
        sums = np.abs(self.weights).sum(axis=1)
        return float((sums if self.divisors is None else sums / self.divisors).max(initial=0.0))

    def chain(self) -> list[Runs]:
        """Return runs of at most MAX_CHAINED taps that do the same one after the other: sums of sums."""
        if self.weights.shape[1] <= MAX_CHAINED:
            return [self]
        n_parts = -(-self.weights.shape[1] // MAX_CHAINED)
        first = MAX_CHAINED * np.arange(n_parts)
        count = np.clip(self.count[:, None] - first, 0, MAX_CHAINED).reshape(-1)
        start = np.where(count > 0, (self.start[:, None] + first).reshape(-1), 0)
        weights = np.zeros((self.n_out, n_parts * MAX_CHAINED), self.weights.dtype)
        weights[:, : self.weights.shape[1]] = self.weights
        parts = Runs(self.n_in, start, count, weights.reshape(-1, MAX_CHAINED), float(count.mean()))
        counts = -(-self.count // MAX_CHAINED)
        ones = (np.arange(n_parts) < counts[:, None]).astype(self.weights.dtype)
        total = replace(
            self, n_in=len(start), start=n_parts * np.arange(self.n_out), count=counts, weights=ones,
            mean_count=float(counts.mean()),
        )  # fmt: skip
        return [parts, *total.chain()]


def identity(n: int) -> Runs:
    """So many outputs, each the input of its number."""
    return Runs(n, np.arange(n), np.ones(n, np.int64), np.ones((n, 1)), 1.0)
