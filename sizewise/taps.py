"""Taps: resizing along one axis, as a sparse banded matrix and its transpose.

Output `o` is the weighted sum of the inputs `start[o] .. start[o] + count[o] - 1`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from . import deprecation, validation
from .errors import ArgumentError, ArgumentTypeError, short_repr
from .fork_safety import lazy
from .memory_limits import require_memory

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MAX_FLOAT32_TAPS = 64  # their sums are within 4 ULP; longer ones are formed in float64
MAX_FLOAT32_DIVISOR = 1 << 15  # of a mean: float32 holds 255 times as much exactly
MAX_TILED_OUTPUTS = 4  # in the cached tiles of an axis, as a multiple of its outputs
BYTES_PER_OUTPUT = 128  # while the narrowest taps are built: coordinates, indices, masks, one weight
MEAN_ERROR = 1e-15  # relative: a weight that is a ratio of integers was rounded once or twice
BYTES_PER_ENTRY = 112  # while a matrix is transposed: rows, columns and weights, in two orders


class Taps(deprecation.OldNames):
    """The matrix W (n_out x n_in) of one axis: the inputs each output reads, and their weights.

    Zero weights at either end of a run are dropped: `count` is the true length of each run, and `weights` is padded
    with zeros to the longest. All arrays are read-only. `divisors`, one per output, marks weights that are integers
    over that divisor: see `means`.

    >>> taps = Taps(4, start=[0, 2], weights=[[0.5, 0.5], [0.5, 0.5]])
    >>> taps
    Taps(4 -> 2, width 2)
    >>> taps.dense()
    array([[0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5]])
    """

    _OLD_NAMES = deprecation.TAPS

    def __init__(self, n_in: int, start: ArrayLike, weights: ArrayLike, divisors: ArrayLike | None = None) -> None:
        raw, first = _weights(weights), _indices(start, "start")
        if raw.ndim != 2 or first.shape != raw.shape[:1]:
            raise ArgumentError(f"taps need start[n_out] and weights[n_out, width], not {first.shape} and {raw.shape}")
        is_plain = type(n_in) is int and 0 <= n_in <= validation.MAX_AXIS_LENGTH
        self.n_in = n_in if is_plain else validation.require_int(n_in, "n_in", 0)
        self.start, self.count, self.weights = _trim(first, raw)
        for array in (self.start, self.count, self.weights):
            array.flags.writeable = False
        self.n_out: int = len(self.start)
        self.width: int = self.weights.shape[1]  # length of the longest run
        if self.n_out and (self.start.min() < 0 or (self.start > self.n_in - self.count).any()):
            raise ArgumentError(f"start and weights read outside the {n_in} inputs of the axis")
        self._divisors = None if divisors is None else _indices(divisors, "divisors").copy()
        if self._divisors is not None and (self._divisors.shape != first.shape or (self._divisors < 1).any()):
            raise ArgumentError("divisors must be integers of at least 1, one per output")
        self.mean_count = float(self.count.mean()) if self.n_out else 0.0
        # Whether float32 sums lose accuracy: they have many taps, or are means with a large divisor.
        self.is_long: bool = self.width > MAX_FLOAT32_TAPS or (
            self._divisors is not None and self._divisors.max() > MAX_FLOAT32_DIVISOR
        )
        self.cache: dict[Any, Any] = {}  # for the engine: packed forms of the taps
        self._tiles: dict[tuple[int, int], tuple[slice, Taps]] = {}
        self._transposed: list[Taps] = []

    @classmethod
    def from_entries(cls, n_in: int, n_out: int, rows: ArrayLike, columns: ArrayLike, weights: ArrayLike) -> Taps:
        """Return taps from entries (row, column, weight) in any order; entries of the same row and column are added.

        >>> Taps.from_entries(3, 2, rows=[0, 1, 1], columns=[0, 2, 2], weights=[1.0, 0.25, 0.75]).dense()
        array([[1., 0., 0.],
               [0., 0., 1.]])
        """
        n_in, n_out = validation.require_int(n_in, "n_in", 0), validation.require_int(n_out, "n_out", 0)
        require_memory(BYTES_PER_OUTPUT * n_out, "the taps of an axis {} -> {}", n_in, n_out)
        row, column, weight = _indices(rows, "rows"), _indices(columns, "columns"), _weights(weights)
        if row.ndim != 1 or not row.shape == column.shape == weight.shape:
            raise ArgumentError(
                f"rows, columns and weights must have the same length, not {row.shape, column.shape, weight.shape}"
            )
        if ((row < 0) | (row >= n_out) | (column < 0) | (column >= n_in)).any():
            raise ArgumentError(f"entries must lie in rows 0 to {n_out - 1} and columns 0 to {n_in - 1}")
        used = weight != 0
        row, column, weight = row[used], column[used], weight[used]
        start = np.full(n_out, n_in, np.int64)
        stop = np.zeros(n_out, np.int64)
        np.minimum.at(start, row, column)
        np.maximum.at(stop, row, column + 1)
        start = np.minimum(start, stop)  # an empty output starts and stops at 0
        width = int((stop - start).max(initial=0))
        require_memory(8 * n_out * width, "{} weights for each of {} outputs", width, n_out)
        table = np.bincount(row * width + (column - start[row]), weight, n_out * width)
        return cls(n_in, start, table.reshape(n_out, width))

    @property
    def T(self) -> Taps:
        """The transposed matrix, as taps; `taps.T.T is taps`.

        >>> taps = Taps(4, start=[0, 2], weights=[[0.5, 0.5], [0.5, 0.5]])
        >>> taps.T
        Taps(2 -> 4, width 1)
        >>> taps.T.T is taps
        True
        """
        if not self._transposed:
            n_bytes = BYTES_PER_OUTPUT * self.n_in + BYTES_PER_ENTRY * int(self.count.sum())
            require_memory(n_bytes, "the transposed taps of {} inputs", self.n_in)
            row, column = self._entries()
            weight = self.weights[row, column - self.start[row]]
            transposed = Taps.from_entries(self.n_out, self.n_in, column, row, weight)
            transposed._transposed.append(self)
            # No lock, which a fork could leave held: if two threads get here, the first result is kept.
            self._transposed.append(transposed)
        return self._transposed[0]

    @lazy
    def is_identity(self) -> bool:
        """Whether the matrix is the identity, which copies the axis."""
        return self.n_in == self.n_out and self.is_selection and bool((self.start == np.arange(self.n_in)).all())

    @lazy
    def is_selection(self) -> bool:
        """Whether every output is a copy of one input, as in nearest neighbor."""
        return self.is_masked_selection and bool((self.count == 1).all())

    @lazy
    def is_masked_selection(self) -> bool:
        """Whether every output is a copy of one input or 0: nearest neighbor, and the transpose of its downscaling."""
        return self.width <= 1 and bool((self.weights[self.count == 1] == 1).all())

    @property
    def means(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Exact weights and the divisor of each output's sum if some outputs are means; else None.

        Rounded weights 1/3, 1/3, 1/3 need not sum to 1, and would change a constant; integers divided once do not.
        Weights and divisor are scaled by a power of 2, so that no sum overflows. Each output is classified by itself,
        so that tiles agree: without `divisors` it is a mean if its weights are all equal, or half of that. Outputs that
        are no means, or exact in binary, keep their weights and the divisor 1.

        >>> Taps(3, start=[0], weights=[[1 / 3, 1 / 3, 1 / 3]]).means
        (array([[0.25, 0.25, 0.25]]), array([0.75]))
        """
        if self.width < 2:
            return None
        divisors, largest = self._divisors, np.inf
        if divisors is None:
            smallest = np.where(self.weights > 0, self.weights, 1.0).min(axis=1)
            divisors, largest = np.rint(1.0 / np.maximum(smallest, 2.0**-50)).astype(np.int64), 2
        scaled = self.weights * divisors[:, None]
        rounded = np.rint(scaled)
        is_mean = (self.count > 1) & ((divisors & (divisors - 1)) != 0)
        is_mean &= (rounded.sum(axis=1) == divisors) & (rounded <= largest).all(axis=1)
        is_mean &= (np.abs(scaled - rounded) <= MEAN_ERROR * np.abs(rounded)).all(axis=1)
        if not is_mean.any():
            return None
        unit = np.where(is_mean, 2.0 ** -np.ceil(np.log2(divisors)), 1.0)
        return np.where(is_mean[:, None], rounded * unit[:, None], self.weights), np.where(
            is_mean, divisors * unit, 1.0
        )

    @lazy
    def column_sums(self) -> NDArray[np.float64]:
        """Sum of the weights of each input over all outputs: the gradient of the sum of the outputs."""
        row, column = self._entries()
        return np.bincount(column, self.weights[row, column - self.start[row]], self.n_in).astype(np.float64)

    @lazy
    def is_read(self) -> NDArray[np.bool_]:
        """Whether each input has a nonzero weight in any output."""
        row, column = self._entries()
        is_read = np.zeros(self.n_in, bool)
        is_read[column[self.weights[row, column - self.start[row]] != 0]] = True
        return is_read

    def __matmul__(self, first: Taps) -> Taps:
        """Return the product of the two matrices: `first`, then these taps.

        >>> pairs = Taps(4, start=[0, 2], weights=[[0.5, 0.5], [0.5, 0.5]])
        >>> (Taps(2, start=[0], weights=[[0.75, 0.25]]) @ pairs).dense()
        array([[0.375, 0.375, 0.125, 0.125]])
        """
        if not isinstance(first, Taps):
            raise ArgumentTypeError(f"taps can be multiplied by Taps only, not {short_repr(first)}")
        if first.n_out != self.n_in:
            raise ArgumentError(f"taps of {self.n_in} inputs cannot be multiplied by taps of {first.n_out} outputs")
        row, middle = self._entries()
        weights = self.weights[row, middle - self.start[row]][:, None] * first.weights[middle]
        columns = first.start[middle][:, None] + np.arange(first.width)
        columns = np.minimum(columns, first.n_in - 1)  # padding behind a run has weight 0
        rows = np.repeat(row, first.width)
        return Taps.from_entries(first.n_in, self.n_out, rows, columns.ravel(), weights.ravel())

    def dense(self) -> NDArray[np.float64]:
        """Return the full matrix, n_out x n_in."""
        require_memory(8 * self.n_in * self.n_out, "the dense matrix of {!r}", self)
        row, column = self._entries()
        matrix = np.zeros((self.n_out, self.n_in))
        matrix[row, column] = self.weights[row, column - self.start[row]]
        return matrix

    def tile(self, first: int, last: int) -> tuple[slice, Taps]:
        """Return the inputs that outputs `first .. last - 1` read, and the taps from these inputs to these outputs.

        >>> inputs, taps = Taps(6, [0, 2, 4], [[0.5, 0.5]] * 3).tile(1, 3)
        >>> inputs, taps
        (slice(2, 6, None), Taps(4 -> 2, width 2))
        """
        first, last = self._outputs(first, last)
        cached = self._tiles.get((first, last))
        if cached is not None:
            return cached
        inputs = self.input_range(first, last)
        start = np.where(self.count[first:last] > 0, self.start[first:last] - inputs.start, 0)
        divisors = None if self._divisors is None else self._divisors[first:last]
        tile = inputs, Taps(inputs.stop - inputs.start, start, self.weights[first:last], divisors)
        if sum(taps.n_out for _, taps in list(self._tiles.values())) + last - first > MAX_TILED_OUTPUTS * self.n_out:
            self._tiles.clear()
        self._tiles[first, last] = tile
        return tile

    def input_range(self, first: int, last: int) -> slice:
        """Return the inputs that outputs `first .. last - 1` read.

        >>> Taps(6, [0, 2, 4], [[0.5, 0.5]] * 3).input_range(1, 3)
        slice(2, 6, None)
        """
        first, last = self._outputs(first, last)
        start, count = self.start[first:last], self.count[first:last]
        low = int(start.min(initial=self.n_in, where=count > 0))
        return slice(low, int((start + count).max(initial=low, where=count > 0)))

    def _outputs(self, first: object, last: object) -> tuple[int, int]:
        """Return a range of outputs as two integers."""
        start = validation.require_int(first, "first", 0, self.n_out)
        return start, validation.require_int(last, "last", start, self.n_out)

    def _entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the row and column of every tap, row by row."""
        row = np.repeat(np.arange(self.n_out), self.count)
        ends = np.cumsum(self.count)
        within = np.arange(len(row)) - np.repeat(ends - self.count, self.count)
        return row, self.start[row] + within

    def __reduce__(self) -> tuple[Any, ...]:
        return Taps, (self.n_in, self.start, self.weights, self._divisors)

    def __repr__(self) -> str:
        return f"Taps({self.n_in} -> {self.n_out}, width {self.width})"


def _trim(
    start: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the runs without zero weights at their ends: start, count, and weights from column 0."""
    n_out, width = weights.shape
    used = weights != 0
    if width and used[:, 0].all() and used[:, -1].all():  # nothing to drop, the usual case
        return start.copy(), np.full(n_out, width, np.int64), weights.copy()
    any_used = used.any(axis=1)
    lead = np.where(any_used, used.argmax(axis=1), 0) if width else np.zeros(n_out, np.int64)
    tail = np.where(any_used, used[:, ::-1].argmax(axis=1), width) if width else np.zeros(n_out, np.int64)
    count = np.maximum(width - lead - tail, 0)
    longest = int(count.max(initial=0))
    if lead.any():
        line = np.append(weights, np.zeros(longest))  # all rows, concatenated
        table = sliding_window_view(line, longest)[np.arange(n_out) * width + lead]
        table[np.arange(longest) >= count[:, None]] = 0.0
    else:
        table = weights[:, :longest].copy()
    first = np.where(any_used, start + lead, 0)
    return first, count.astype(np.int64), table


def _weights(given: ArrayLike) -> NDArray[np.float64]:
    """Return weights as a float64 array."""
    is_plain = type(given) is np.ndarray and given.dtype == np.float64
    raw: NDArray = given if is_plain else validation.require_real_array(given, "weights")  # type: ignore[assignment]
    weights: NDArray[np.float64] = raw.astype(np.float64, copy=False)
    if not np.isfinite(weights).all():
        raise ArgumentError(f"weights must be finite, not {short_repr(given)}")
    return weights


def _indices(given: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return integers, or floats with integral values, as an int64 array."""
    if type(given) is np.ndarray and given.dtype == np.int64:
        return given
    raw = validation.require_real_array(given, name)
    with np.errstate(invalid="ignore"):
        indices = raw.astype(np.int64)
    if not (indices == raw).all():
        raise ArgumentError(f"{name} must be 64-bit integers, not {short_repr(raw[indices != raw][:1])}")
    return indices
