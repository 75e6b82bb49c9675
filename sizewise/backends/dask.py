"""Dask arrays: one task for each chunk of the result, from exactly the inputs that it reads.

Each chunk is a tile of the whole plan, so that the result has the bits of the call in memory, however the array is cut.
Of blocks that lie only partly in what a chunk reads, the parts alone are handed on: the small ones of a block, its
borders, by one task.

The result's chunks follow the array's own: their edges, scaled and rounded, are its edges, and those that fall on each
other are one. Axes that are not resized keep their chunks. Where chunks would so take more bytes than the array's own
(and more than 4 MiB), the axes that grow are cut again, the first of them first, until they do not.
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
from ..engine.executor import executor_for, stepwise_tiles
from ..errors import ArgumentError, ArgumentTypeError, UnsupportedError
from ..thread_count import require_threads
from . import CHANNELS_LAST, refuse_out
from . import numpy as arrays
from .numpy import Array

if TYPE_CHECKING:
    from ..plan import Plan
    from ..taps import Taps

AXES = CHANNELS_LAST
LAZY = True
LARGE = 1 << 21  # bytes of parts that take longer to be put together than a plan to be cut into shares
SMALL = 1 << 22  # bytes of a chunk that takes about as long to resize as its task to arrange
FEW = 0.125  # of a block: such parts are handed on together
ALL = -1  # in place of the number of a part
Slices = tuple[slice, ...]
Inside = tuple[tuple[int, int], ...]  # from where to where, along every axis
Chunks = tuple[int, ...]  # of one axis: the lengths of its pieces


def array(x: Any) -> Any:
    """The array itself, if its numbers can be resized and it is known how many there are."""
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


def dtype(x: Any) -> np.dtype:
    """The dtype of an array."""
    kind: np.dtype = x.dtype
    return kind


def prepare(
    plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Any, object, int | None], Any]:
    """What applies the plan to arrays of this shape and dtype, later."""
    return partial(_lazily, plan, axes, engine)


def _lazily(
    plan: Plan, axes: tuple[int, ...], engine: str | None, x: Any, out: object = None, threads: int | None = None
) -> Any:
    """The array of the results, not one of them computed."""
    x = array(x)  # another array of the same shape and dtype may have other blocks
    refuse_out(out, "Dask arrays")
    if threads is not None:
        threads = require_threads(threads)
    chunks = _chunks(plan, x, axes)
    name = f"sizewise-{tokenize(x.name, pickle.dumps(plan), axes, engine, threads)}"
    task = partial(_resized, plan, axes, engine, threads, x.dtype)
    graph = dict(_tasks(plan, axes, x, name, chunks, task))
    made = HighLevelGraph.from_collections(name, graph, dependencies=[x])
    return da.Array(made, name, chunks, meta=np.empty((0,) * x.ndim, plan.arithmetic(x.dtype).result))


def _chunks(plan: Plan, x: Any, axes: tuple[int, ...]) -> tuple[Chunks, ...]:
    """The lengths of the result's chunks along every axis."""
    arithmetic, size = plan.arithmetic(x.dtype), dict(zip(axes, plan.output_size, strict=True))
    made = [_scaled(own, size[axis]) if axis in size else own for axis, own in enumerate(x.chunks)]
    if arithmetic.needs_full_image:
        if any(len(made[axis]) > 1 for axis in axes):
            whole = ", ".join(f"{axis}: -1" for axis in axes)
            raise UnsupportedError(f"{stepwise_tiles(plan.request.dialect)}: x.rechunk({{{whole}}})")
        return tuple(made)
    excess = _largest(made, arithmetic.result) / max(_largest(x.chunks, x.dtype), SMALL)
    for axis in sorted(axes):
        growth = max(made[axis]) / max(x.chunks[axis])
        n_parts = ceil(min(growth, excess))
        if n_parts > 1:
            made[axis], excess = _cut(made[axis], n_parts), excess / n_parts
    return tuple(made)


def _largest(chunks: Sequence[Chunks], dtype: np.dtype) -> int:
    """The bytes of the largest chunk."""
    return prod(max(own, default=0) for own in chunks) * dtype.itemsize


def _scaled(chunks: Chunks, n_out: int) -> Chunks:
    """The chunks of an axis that becomes n_out long, none of length 0.

    >>> _scaled((4, 4, 2), 5), _scaled((1, 1, 1, 1), 2)
    ((2, 2, 1), (1, 1))
    """
    n_in = sum(chunks)
    edges = sorted({0, n_out, *(round(edge * n_out / n_in) for edge in accumulate(chunks))})
    return tuple(last - first for first, last in pairwise(edges))


def _cut(chunks: Chunks, n_parts: int) -> Chunks:
    """Chunks cut into equal ones, so that the longest becomes so many.

    >>> _cut((10, 4), 3)
    (3, 3, 4, 4)
    """
    lengths: list[int] = []
    most = -(-max(chunks) // n_parts)
    for n in chunks:
        edges = [n * part // -(-n // most) for part in range(-(-n // most) + 1)]
        lengths += [last - first for first, last in pairwise(edges)]
    return tuple(lengths)


class Piece(NamedTuple):
    """A part of one block along one axis: which block, from where to where, and how much of it that is."""

    block: int
    inside: tuple[int, int]
    share: float


def _tasks(
    plan: Plan, axes: tuple[int, ...], x: Any, name: str, chunks: tuple[Chunks, ...], task: Callable[..., Array]
) -> Iterator[tuple[Any, Any]]:
    """Each chunk of the result as a task, each large part of a block, and all small parts of each block together."""
    along = _along(plan, axes, x, chunks)
    borders: dict[tuple[int, ...], dict[Inside, int]] = {}
    for number in product(*(range(len(own)) for own in chunks)):
        windows, pieces = zip(*(along[axis][n] for axis, n in enumerate(number)), strict=True)
        blocks: list[Any] = []
        picks: list[int] = []
        for part in product(*pieces):
            block, inside = tuple(piece.block for piece in part), tuple(piece.inside for piece in part)
            share, pick = prod(piece.share for piece in part), ALL
            key: Any = (x.name, *block)
            if share < FEW:
                own = borders.setdefault(block, {})
                key, pick = (f"{name}-borders", *block), own.setdefault(inside, len(own))
            elif share < 1:
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
    """For each axis and each chunk of the result along it: the outputs it has, and the pieces of blocks that it reads.

    What is read is what `plan.tile` reads: everything, where there is one chunk only.
    """
    found = []
    whole = all(len(chunks[axis]) == 1 for axis in axes)
    for axis, (own, wanted) in enumerate(zip(x.chunks, chunks, strict=True)):
        windows = [slice(last - n, last) for n, last in zip(wanted, accumulate(wanted), strict=True)]
        inputs = windows
        if axis in axes:
            taps = plan.taps[axes.index(axis)]
            inputs = [slice(0, taps.n_in) if whole else taps.input_range(one.start, one.stop) for one in windows]
        found.append([(window, _pieces(own, one)) for window, one in zip(windows, inputs, strict=True)])
    return found


def _pieces(chunks: Chunks, inputs: slice) -> list[Piece]:
    """The pieces of blocks that hold these inputs of one axis.

    >>> _pieces((4, 4, 4), slice(3, 8))
    [Piece(block=0, inside=(3, 4), share=0.25), Piece(block=1, inside=(0, 4), share=1.0)]
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
    """A part of a block; less than half as a copy, so that it does not keep all of the block in memory."""
    part = block[tuple(slice(*one) for one in inside)]
    return part.copy() if 2 * part.size < block.size else part


def _parts(block: Array, parts: list[Inside]) -> list[Array]:
    """Several parts of a block."""
    return [_part(block, inside) for inside in parts]


def _resized(
    plan: Plan, axes: tuple[int, ...], engine: str | None, threads: int | None, dtype: np.dtype,
    windows: Slices, lengths: tuple[Chunks, ...], picks: list[int], blocks: list[Any],
) -> Array:  # fmt: skip
    """One chunk of the result: a window of the plan's outputs, from the parts of blocks that it reads."""
    own = [block if pick == ALL else block[pick] for block, pick in zip(blocks, picks, strict=True)]
    parts = Parts(list(map(arrays.array, own)), lengths, dtype)
    inputs, tile = plan.tile(windows)
    if engine == "framework" or not own or parts.n_bytes < LARGE:
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
    """Slices along some axes, counted from where others begin, and all of the other axes."""
    where = [slice(None)] * rank
    for axis, one, origin in zip(axes, slices, origins, strict=True):
        where[axis] = slice(one.start - origin.start, one.stop - origin.start)
    return tuple(where)


def _shares(
    plan: Plan,
    axes: tuple[int, ...],
    windows: tuple[slice, ...],
    inputs: tuple[slice, ...],
    lengths: tuple[Chunks, ...],
) -> Iterator[tuple[slice, ...]]:
    """The windows in shares: that which reads one block alone, in place, and those around it, which read several."""
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
    """The outputs of a window that read the longest piece only; None where these are few."""
    longest = lengths.index(max(lengths))
    first = origin.start + sum(lengths[:longest])
    start, count = taps.start[window], taps.count[window]
    within = np.flatnonzero((start >= first) & (start + count <= first + lengths[longest]))
    if 2 * len(within) < len(start) or within[-1] - within[0] >= len(within):
        return None
    return slice(window.start + int(within[0]), window.start + int(within[-1]) + 1)


class Parts:
    """An array in parts, which have these lengths along each axis."""

    def __init__(self, blocks: list[Array], lengths: tuple[Chunks, ...], dtype: np.dtype) -> None:
        self.blocks, self.dtype = blocks, dtype
        self.places = [
            [slice(last - n, last) for n, last in zip(line, accumulate(line), strict=True)] for line in lengths
        ]
        self.shape = tuple(map(sum, lengths))
        self.n_bytes = prod(self.shape) * dtype.itemsize

    def at(self, where: Slices) -> Array:
        """The array there: a view, if it lies in one part, or else a copy of several."""
        wanted = [slice(*one.indices(n)) for one, n in zip(where, self.shape, strict=True)]
        found = [
            (block, place)
            for block, place in zip(self.blocks, product(*self.places), strict=True)
            if all(one.start < other.stop and other.start < one.stop for one, other in zip(wanted, place, strict=True))
        ]
        if len(found) == 1:
            block, place = found[0]
            return block[tuple(_moved(one, at.start) for one, at in zip(wanted, place, strict=True))]
        x: Array = buffer_pool.empty(tuple(one.stop - one.start for one in wanted), self.dtype)
        for block, place in found:
            both = [slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(wanted, place, strict=True)]
            source = tuple(_moved(one, at.start) for one, at in zip(both, place, strict=True))
            x[tuple(_moved(one, at.start) for one, at in zip(both, wanted, strict=True))] = block[source]
        return x


def _moved(one: slice, origin: int) -> slice:
    return slice(one.start - origin, one.stop - origin)
