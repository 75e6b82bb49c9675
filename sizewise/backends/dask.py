"""Dask arrays: one task for each chunk of the result, from exactly the inputs that it reads.

Each chunk is a tile of the whole plan, so the result has the bits of the call in memory for every chunking. Of blocks
that a chunk reads only in part, the parts alone are passed on: the small ones of a block, its borders, by one task.

The chunks of the result follow those of the array: their edges are scaled and rounded, and equal ones merged. Axes that
are not resized keep their chunks. If chunks became larger in bytes than those of the array (and than 4 MiB), the axes
that grow are split again, the first of them first, until they are not.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise, product
from math import ceil, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from .. import validation
from ..engine import buffer_pool
from ..engine.executor import executor_for, no_tiles_message
from ..errors import ArgumentError, ArgumentTypeError, UnsupportedError
from . import CHANNELS_LAST
from . import numpy as arrays
from ._call import Call, Prepared, prepare_without_out
from .numpy import Array
from .numpy import dtype as dtype

if TYPE_CHECKING:
    from ..plan import Plan
    from ..taps import Taps

AXES = CHANNELS_LAST
LAZY = True
MIN_SHARED_BYTES = 1 << 21  # of parts that take longer to concatenate than a plan to split into shares
MIN_CHUNK_BYTES = 1 << 22  # of a chunk that takes about as long to resize as its task to schedule
MAX_BORDER_FRACTION = 0.125  # of a block: parts below this size are passed on together
ALL = -1  # in place of the number of a part
Slices = tuple[slice, ...]
Inside = tuple[tuple[int, int], ...]  # first element, and the one behind the last, along every axis
Chunks = tuple[int, ...]  # of one axis: the lengths of its chunks


def array(x: Any) -> Any:
    """Return the array itself; raise if its elements cannot be resized or its chunk sizes are unknown."""
    if not isinstance(x, da.Array):
        raise ArgumentTypeError(f"cannot resize a {type(x).__module__}.{type(x).__name__}; use a dask.array.Array")
    if any(n != n for n in x.shape):  # not a number
        raise ArgumentError(
            f"the chunks of this array, of shape {x.shape}, have unknown sizes; find them out first: "
            "x.compute_chunk_sizes()"
        )
    if type(x._meta) is not np.ndarray:
        raise UnsupportedError(
            f"the blocks of this Dask array are {type(x._meta).__module__}.{type(x._meta).__name__}; only NumPy's can "
            "be resized: x.map_blocks(np.asarray)"
        )
    validation.require_resizable_dtype(x.dtype)
    return x


def prepare(plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None) -> Prepared:
    """Return a function that applies the plan to arrays of this shape and dtype, lazily."""
    return prepare_without_out(_resize_lazily, "Dask arrays", plan, axes, engine)


def _resize_lazily(x: Any, call: Call) -> Any:
    """Return the result as a Dask array; nothing is computed yet."""
    x = array(x)  # another array of the same shape and dtype may have other blocks
    plan, axes = call.plan, call.axes
    chunks = _chunks(plan, x, axes)
    name = f"sizewise-{tokenize(x.name, pickle.dumps(plan), *call[1:])}"
    graph = dict(_tasks(plan, axes, x, name, chunks, partial(_resize_chunk, call, x.dtype)))
    layers = HighLevelGraph.from_collections(name, graph, dependencies=[x])
    return da.Array(layers, name, chunks, meta=np.empty((0,) * x.ndim, plan.arithmetic(x.dtype).result))


def _chunks(plan: Plan, x: Any, axes: tuple[int, ...]) -> tuple[Chunks, ...]:
    """Return the lengths of the chunks of the result along every axis."""
    arithmetic, size = plan.arithmetic(x.dtype), dict(zip(axes, plan.output_size, strict=True))
    chunks = [_scale(own, size[axis]) if axis in size else own for axis, own in enumerate(x.chunks)]
    if arithmetic.needs_full_image:
        if any(len(chunks[axis]) > 1 for axis in axes):
            whole = ", ".join(f"{axis}: -1" for axis in axes)
            raise UnsupportedError(f"{no_tiles_message(plan.request.dialect)}: x.rechunk({{{whole}}})")
        return tuple(chunks)
    excess = _max_bytes(chunks, arithmetic.result) / max(_max_bytes(x.chunks, x.dtype), MIN_CHUNK_BYTES)
    for axis in sorted(axes):
        growth = max(chunks[axis]) / max(x.chunks[axis])
        n_parts = ceil(min(growth, excess))
        if n_parts > 1:
            chunks[axis], excess = _split(chunks[axis], n_parts), excess / n_parts
    return tuple(chunks)


def _max_bytes(chunks: Sequence[Chunks], dtype: np.dtype) -> int:
    """Return the bytes of the largest chunk."""
    return prod(max(own, default=0) for own in chunks) * dtype.itemsize


def _scale(chunks: Chunks, n_out: int) -> Chunks:
    """Return the chunks of an axis resized to n_out, none of length 0.

    >>> _scale((4, 4, 2), 5), _scale((1, 1, 1, 1), 2)
    ((2, 2, 1), (1, 1))
    """
    n_in = sum(chunks)
    edges = sorted({0, n_out, *(round(edge * n_out / n_in) for edge in accumulate(chunks))})
    return tuple(last - first for first, last in pairwise(edges))


def _split(chunks: Chunks, n_parts: int) -> Chunks:
    """Return chunks split evenly, the longest into `n_parts`.

    >>> _split((10, 4), 3)
    (3, 3, 4, 4)
    """
    lengths: list[int] = []
    max_length = -(-max(chunks) // n_parts)
    for n in chunks:
        n_own = -(-n // max_length)
        edges = [n * part // n_own for part in range(n_own + 1)]
        lengths += [last - first for first, last in pairwise(edges)]
    return tuple(lengths)


class Piece(NamedTuple):
    """A part of one block along one axis: which block, from which element to which, and the fraction that this is."""

    block: int
    inside: tuple[int, int]
    fraction: float


def _tasks(
    plan: Plan, axes: tuple[int, ...], x: Any, name: str, chunks: tuple[Chunks, ...], task: Callable[..., Array]
) -> Iterator[tuple[Any, Any]]:
    """Yield a task for each chunk of the result, for each large part of a block, and for all small parts of a block."""
    along = _along(plan, axes, x, chunks)
    borders: dict[tuple[int, ...], dict[Inside, int]] = {}
    for number in product(*(range(len(own)) for own in chunks)):
        windows, pieces = zip(*(along[axis][n] for axis, n in enumerate(number)), strict=True)
        blocks: list[Any] = []
        picks: list[int] = []
        for part in product(*pieces):
            block, inside = tuple(piece.block for piece in part), tuple(piece.inside for piece in part)
            fraction, pick = prod(piece.fraction for piece in part), ALL
            key: Any = (x.name, *block)
            if fraction < MAX_BORDER_FRACTION:
                own = borders.setdefault(block, {})
                key, pick = (f"{name}-borders", *block), own.setdefault(inside, len(own))
            elif fraction < 1:
                key = (f"{name}-part", *number, len(blocks))
                yield key, (_part, (x.name, *block), inside)
            blocks.append(key)
            picks.append(pick)
        lengths = tuple(tuple(piece.inside[1] - piece.inside[0] for piece in line) for line in pieces)
        yield (name, *number), (task, tuple(windows[axis] for axis in axes), lengths, picks, blocks)
    for block, parts in borders.items():
        yield (f"{name}-borders", *block), (_parts, (x.name, *block), list(parts))


def _along(
    plan: Plan, axes: tuple[int, ...], x: Any, chunks: tuple[Chunks, ...]
) -> list[list[tuple[slice, list[Piece]]]]:
    """Return, for each axis and each chunk of the result along it, its outputs and the pieces of blocks that it reads.

    These are the inputs of `plan.tile`: all of them, if there is one chunk only.
    """
    found = []
    whole = all(len(chunks[axis]) == 1 for axis in axes)
    for axis, (own, wanted) in enumerate(zip(x.chunks, chunks, strict=True)):
        windows = [slice(last - n, last) for n, last in zip(wanted, accumulate(wanted), strict=True)]
        inputs = windows
        if axis in axes:
            taps = plan.taps[axes.index(axis)]
            inputs = [
                slice(0, taps.n_in) if whole else taps.input_range(window.start, window.stop) for window in windows
            ]
        found.append([(window, _pieces(own, read)) for window, read in zip(windows, inputs, strict=True)])
    return found


def _pieces(chunks: Chunks, inputs: slice) -> list[Piece]:
    """Return the pieces of blocks that hold these inputs of one axis.

    >>> _pieces((4, 4, 4), slice(3, 8))
    [Piece(block=0, inside=(3, 4), fraction=0.25), Piece(block=1, inside=(0, 4), fraction=1.0)]
    """
    ends = np.cumsum(chunks)
    first, last = np.searchsorted(ends, [inputs.start, inputs.stop], "right")
    found = []
    for block in range(int(first), min(int(last) + 1, len(chunks))):
        begin = int(ends[block]) - chunks[block]
        low, high = max(inputs.start - begin, 0), min(inputs.stop - begin, chunks[block])
        if low < high:
            found.append(Piece(block, (low, high), (high - low) / chunks[block]))
    return found


def _part(block: Array, inside: Inside) -> Array:
    """Return a part of a block; less than half as a copy, so that it does not keep the whole block in memory."""
    part = block[tuple(slice(*edges) for edges in inside)]
    return part.copy() if 2 * part.size < block.size else part


def _parts(block: Array, parts: list[Inside]) -> list[Array]:
    """Return several parts of a block."""
    return [_part(block, inside) for inside in parts]


def _resize_chunk(
    call: Call, dtype: np.dtype, windows: Slices, lengths: tuple[Chunks, ...], picks: list[int], blocks: list[Any]
) -> Array:
    """Return one chunk of the result: a window of the plan's outputs, from the parts of blocks that it reads."""
    plan, axes, engine, threads = call
    own = [block if pick == ALL else block[pick] for block, pick in zip(blocks, picks, strict=True)]
    parts = Parts(list(map(arrays.array, own)), lengths, dtype)
    inputs, tile = plan.tile(windows)
    if engine == "framework" or not own or parts.n_bytes < MIN_SHARED_BYTES:
        x = parts.at((slice(None),) * len(lengths))
        return arrays.prepare(tile, x, axes, engine)(x, None, threads)
    size = dict(zip(axes, tile.output_size, strict=True))
    shape = tuple(size.get(axis, sum(line)) for axis, line in enumerate(lengths))
    out: Array = buffer_pool.empty(shape, plan.arithmetic(dtype).result)
    for share in _shares(plan, axes, windows, inputs, lengths):
        reads, tile = plan.tile(share)
        x = parts.at(_at(axes, reads, inputs, len(lengths)))
        executor_for(tile, x.shape, x.dtype, axes)(x, out[_at(axes, share, windows, len(lengths))], threads)
    return out


def _at(axes: tuple[int, ...], slices: Slices, origins: Slices, rank: int) -> Slices:
    """Return slices along some axes, relative to where `origins` begin, and all of the other axes."""
    where = [slice(None)] * rank
    for axis, own, origin in zip(axes, slices, origins, strict=True):
        where[axis] = _shift(own, origin.start)
    return tuple(where)


def _shares(
    plan: Plan, axes: tuple[int, ...], windows: Slices, inputs: Slices, lengths: tuple[Chunks, ...]
) -> Iterator[Slices]:
    """Yield the windows in shares: the one that reads a single block, in place, and those around it."""
    for position, (window, origin) in enumerate(zip(windows, inputs, strict=True)):
        inside = _inside(plan.taps[position], window, origin, lengths[axes[position]])
        if inside is None:
            break
        for beside in (slice(window.start, inside.start), slice(inside.stop, window.stop)):
            if beside.start < beside.stop:
                yield (*windows[:position], beside, *windows[position + 1 :])
        windows = (*windows[:position], inside, *windows[position + 1 :])
    yield windows


def _inside(taps: Taps, window: slice, origin: slice, lengths: Chunks) -> slice | None:
    """Return the outputs of a window that read the longest piece only; None if they are less than half."""
    longest = lengths.index(max(lengths))
    first = origin.start + sum(lengths[:longest])
    start, count = taps.start[window], taps.count[window]
    within = np.flatnonzero((start >= first) & (start + count <= first + lengths[longest]))
    if 2 * len(within) < len(start) or within[-1] - within[0] >= len(within):
        return None
    return slice(window.start + int(within[0]), window.start + int(within[-1]) + 1)


class Parts:
    """An array in parts of these lengths along each axis."""

    def __init__(self, blocks: list[Array], lengths: tuple[Chunks, ...], dtype: np.dtype) -> None:
        self.blocks, self.dtype = blocks, dtype
        self.windows = [
            [slice(last - n, last) for n, last in zip(line, accumulate(line), strict=True)] for line in lengths
        ]
        self.shape = tuple(map(sum, lengths))
        self.n_bytes = prod(self.shape) * dtype.itemsize

    def at(self, where: Slices) -> Array:
        """Return the array there: a view, if it lies in one part, else a copy of several."""
        wanted = [slice(*own.indices(n)) for own, n in zip(where, self.shape, strict=True)]
        found = [
            (block, windows)
            for block, windows in zip(self.blocks, product(*self.windows), strict=True)
            if all(a.start < b.stop and b.start < a.stop for a, b in zip(wanted, windows, strict=True))
        ]
        if len(found) == 1:
            block, windows = found[0]
            return block[tuple(_shift(own, window.start) for own, window in zip(wanted, windows, strict=True))]
        x: Array = buffer_pool.empty(tuple(own.stop - own.start for own in wanted), self.dtype)
        for block, windows in found:
            both = [slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(wanted, windows, strict=True)]
            source = tuple(_shift(own, window.start) for own, window in zip(both, windows, strict=True))
            x[tuple(_shift(own, window.start) for own, window in zip(both, wanted, strict=True))] = block[source]
        return x


def _shift(own: slice, origin: int) -> slice:
    return slice(own.start - origin, own.stop - origin)
