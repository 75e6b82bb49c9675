"""The taps of one axis, as the kernels want them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..forking import lazy
from .packing import Packed, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

MOST_PACKED = 16  # channel counts for which an axis keeps its tables


@dataclass(eq=False, repr=False)
class Runs:
    """The taps of one axis: start[n_out], count[n_out], weights[n_out, width], in the dtype of the sums.

    Where sums are integers, what comes out is (sum + add) >> shift.
    """

    n_in: int
    start: NDArray[np.int64]
    count: NDArray[np.int64]
    weights: Array
    mean_count: float
    add: int = 0
    shift: int = 0
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
            taps = (self.n_in, self.start, self.count, self.weights, self.add, self.shift)
            packed = self._packed[key] = pack(*taps, channels, blocks=blocks)
        return packed

    @lazy
    def single(self) -> Runs:
        """The same taps in float32."""
        return replace(self, weights=self.weights.astype(np.float32))

    @lazy
    def bits(self) -> int:
        """After how many places behind the point all weights end; many, where that is not soon."""
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
        return slice(low, high), replace(
            self, n_in=high - low, start=moved, count=count, weights=self.weights[first:last]
        )


def identity(n: int) -> Runs:
    """So many outputs, each the input of its number."""
    return Runs(n, np.arange(n), np.ones(n, np.int64), np.ones((n, 1)), 1.0)
