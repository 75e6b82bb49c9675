"""Staging: arrays that no kernel reads in place are resized through contiguous copies, tile by tile.

A tile has about a megabyte, or all that one row of the result reads, if that is more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..thread_count import default_threads
from . import thread_pool
from .packing import Array

if TYPE_CHECKING:
    from .passes import Pass

    Tile = tuple[Pass, Array, Array]

TILE_ELEMENTS = 1 << 18  # read into one tile
MAX_TILES = 1 << 12  # listed at a time: a broadcast view may have any number of them


def run(step: Pass, x: Array, out: Array, n_threads: int | None) -> None:
    """Fill `out` from `x`, tile by tile, on several threads."""
    tiles = _tiles(*_merge_images(replace(step, axis=step.axis + 1), x[None, None], out[None, None]))
    while some := list(islice(tiles, MAX_TILES)):
        thread_pool.run(
            lambda first, last: _run_tiles(some[first:last]), len(some), n_threads or default_threads(), max_rows=1
        )


def _merge_images(step: Pass, x: Array, out: Array) -> Tile:
    """Return the same with all axes before the rows as one, where strides allow it: a tile can hold many images."""
    merged = []
    for array in (x, out):
        shape = (-1, *array.shape[step.axis :])
        try:
            merged.append(array.reshape(shape) if array.flags.c_contiguous else array.reshape(shape, copy=False))
        except (ValueError, TypeError):  # only a copy could have that shape; or NumPy before 2.1, without `copy`
            return step, x, out
    return replace(step, axis=1), merged[0], merged[1]


def _tiles(step: Pass, x: Array, out: Array) -> Iterator[Tile]:
    """Yield the pass in tiles: several small images at a time, or blocks of rows of a large one.

    Here `step.axis` counts the axes of x itself; tiles are arrays of images, whose rows are their second axis.
    """
    size = max(prod(x.shape[step.axis :]), prod(out.shape[step.axis :]), 1)
    tile = replace(step, axis=2)
    for index in np.ndindex(x.shape[: step.axis - 1]):
        images, results = x[index], out[index]
        if size <= TILE_ELEMENTS:
            n_images = TILE_ELEMENTS // size
            for n in range(0, len(images), n_images):
                yield tile, images[n : n + n_images], results[n : n + n_images]
            continue
        h_out = results.shape[1]
        n_rows = max(1, TILE_ELEMENTS * h_out // size)
        for first in range(0, h_out, n_rows):
            last = min(first + n_rows, h_out)
            inputs, part = slice(first, last), tile
            if step.vertical is not None:
                inputs, vertical = step.vertical.slice_outputs(first, last)
                part = replace(tile, vertical=vertical)
            for n in range(len(images)):
                yield part, images[n : n + 1, inputs], results[n : n + 1, first:last]


def _run_tiles(tiles: list[Tile]) -> None:
    """Resize tiles through contiguous copies, in the arrays' own dtypes, or else in that of the sums."""
    with np.errstate(all="ignore"):  # of this thread: a float16 that overflows is infinite, silently
        for step, x, out in tiles:
            dtypes = [array.dtype.newbyteorder("=") for array in (x, out)]
            if not step.has_kernels(*dtypes):
                dtypes = [step.sums, step.sums]
            block, result = np.require(x, dtypes[0], ["C", "A"]), np.empty(out.shape, dtypes[1])
            call = step.call(block, result)
            assert call is not None  # both are C-contiguous, and of dtypes with kernels
            call.run(block, result, 1)
            store(result, out)


def store(values: Array, out: Array) -> None:
    """Write values into `out`: floats are rounded half to even and clamped if it holds integers."""
    if out.dtype.kind not in "biu" or values.dtype.kind != "f":
        out[...] = values
        return
    low, high = (0, 1) if out.dtype.kind == "b" else (int(np.iinfo(out.dtype).min), int(np.iinfo(out.dtype).max))
    # The largest float64 that does not exceed the largest integer: they differ for 64 bits.
    top = float(high) if int(float(high)) == high else float(np.nextafter(float(high), 0.0))
    rounded = np.rint(values)
    out[...] = np.clip(rounded, low, top).astype(out.dtype)
    if top != high:
        out[rounded > top] = high
