"""Taps of one axis in the dtype of the sums, and packed for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..fork_safety import lazy
from .packing import Array, Indices, Packed

ONE_BLOCK = 1 << 32  # taps, more than any axis has: one sum without blocks
MAX_PARTIAL_TAPS = 4  # of each part of a long sum: few, since the errors of parts add up


@dataclass(eq=False, repr=False)
class AxisTaps:
    """Taps of one axis: start[n_out], count[n_out], weights[n_out, width], in the dtype of the sums.

    Integer sums become (sum + add) >> shift. Floats are divided by divisors[n_out], if there are any; and where `shift`
    is not 0 they are rounded to `shift` fractional bits, since integers are made of them. Taps are summed by blocks of
    `sum_block`, and then these sums.
    """

    n_in: int
    start: Indices
    count: Indices
    weights: Array
    mean_count: float
    add: int = 0
    shift: int = 0
    divisors: Array | None = None
    sum_block: int = ONE_BLOCK
    packed: dict[tuple[int, bool], Packed] = field(init=False, default_factory=dict)  # by channels and blocks

    @property
    def n_out(self) -> int:
        """The number of outputs."""
        return len(self.start)

    @lazy
    def as_float32(self) -> AxisTaps:
        """The same taps in float32."""
        divisors = None if self.divisors is None else self.divisors.astype(np.float32)
        return replace(self, weights=self.weights.astype(np.float32), divisors=divisors, shift=0)

    @lazy
    def weight_bits(self) -> int:
        """The number of fractional bits that represent every weight exactly; 64 if 15 do not."""
        if self.divisors is not None:
            return 64
        scaled = ((bits, self.weights * 2.0**bits) for bits in range(16))
        return next((bits for bits, values in scaled if np.array_equal(values, np.rint(values))), 64)

    @lazy
    def with_two_taps(self) -> AxisTaps:
        """The same taps, of which no output has more than two, padded to two with weight 0."""
        start = np.minimum(self.start, self.n_in - 2)
        weights = np.zeros((self.n_out, 2), self.weights.dtype)
        row = np.arange(self.n_out)
        for k in range(self.weights.shape[1]):
            used = self.count > k
            weights[row[used], (self.start - start)[used] + k] = self.weights[used, k]
        return replace(self, start=start, count=np.full(self.n_out, 2), weights=weights, mean_count=2.0)

    def slice_outputs(self, first: int, last: int) -> tuple[slice, AxisTaps]:
        """Return the inputs that outputs first .. last - 1 read, at least one, and the taps from those inputs."""
        start, count = self.start[first:last], self.count[first:last]
        high = int((start + count).max())
        low = min(int(start[count > 0].min(initial=high)), self.n_in - 1)
        high = max(high, low + 1)
        start = np.where(count > 0, start - low, 0)
        divisors = None if self.divisors is None else self.divisors[first:last]
        weights = self.weights[first:last]
        return slice(low, high), replace(
            self, n_in=high - low, start=start, count=count, weights=weights, divisors=divisors
        )

    @property
    def max_gain(self) -> float:
        """The largest factor by which an output may exceed the largest input."""
        sums = np.abs(self.weights).sum(axis=1)
        return float((sums if self.divisors is None else sums / self.divisors).max(initial=0.0))

    def split_sums(self) -> list[AxisTaps]:
        """Return taps to apply one after the other, of MAX_PARTIAL_TAPS at most: sums of sums with the same result."""
        width = self.weights.shape[1]
        if width <= MAX_PARTIAL_TAPS:
            return [self]
        n_parts = -(-width // MAX_PARTIAL_TAPS)
        first = MAX_PARTIAL_TAPS * np.arange(n_parts)
        count = np.clip(self.count[:, None] - first, 0, MAX_PARTIAL_TAPS).reshape(-1)
        start = np.where(count > 0, (self.start[:, None] + first).reshape(-1), 0)
        weights = np.zeros((self.n_out, n_parts * MAX_PARTIAL_TAPS), self.weights.dtype)
        weights[:, :width] = self.weights
        parts = AxisTaps(self.n_in, start, count, weights.reshape(-1, MAX_PARTIAL_TAPS), float(count.mean()))
        counts = -(-self.count // MAX_PARTIAL_TAPS)
        ones = (np.arange(n_parts) < counts[:, None]).astype(self.weights.dtype)
        total = replace(
            self, n_in=len(start), start=n_parts * np.arange(self.n_out), count=counts, weights=ones,
            mean_count=float(counts.mean()),
        )  # fmt: skip
        return [parts, *total.split_sums()]


def identity_taps(n: int) -> AxisTaps:
    """Return the taps that copy n inputs."""
    return AxisTaps(n, np.arange(n), np.ones(n, np.int64), np.ones((n, 1)), 1.0)
