"""Arrays that no kernel takes as they are, resized in tiles: small contiguous copies.

Of about a megabyte each, or of all that one row of the result reads, where that is more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..thread_count import default_threads
from . import thread_pool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .passes import Pass

    Array = NDArray[Any]

TILE = 1 << 18  # numbers read into one tile
MOST_TILES = 1 << 12  # that are listed at a time: a view that repeats itself may have any number of them


def run(step: Pass, x: Array, out: Array, n_threads: int | None) -> None:
    """Fills `out` from `x`, tile by tile, on several threads."""
    tiles = _tiles(*_merged(replace(step, axis=step.axis + 1), x[None, None], out[None, None]))
    while some := list(islice(tiles, MOST_TILES)):
        thread_pool.run(
            lambda first, last: _run_tiles(some[first:last]), len(some), n_threads or default_threads(), most=1
        )


def _merged(step: Pass, x: Array, out: Array) -> tuple[Pass, Array, Array]:
    """The same with all axes before the rows as one, where strides allow it: then one tile can hold many images."""
    try:
        images, results = _as_images(x, step.axis), _as_images(out, step.axis)
    except (ValueError, TypeError):  # no such view; or a NumPy before 2.1, which has no `copy`
        return step, x, out
    return replace(step, axis=1), images, results


def _as_images(array: Array, axis: int) -> Array:
    """A view of the array with one axis before `axis`; raises where only a copy could be so."""
    shape = (-1, *array.shape[axis:])
    images: Array = array.reshape(shape) if array.flags.c_contiguous else array.reshape(shape, copy=False)
    return images


def _tiles(step: Pass, x: Array, out: Array) -> Iterator[tuple[Pass, Array, Array]]:
    """The pass in pieces: several small images at a time, or blocks of rows of a large one.

    Here `step.axis` counts the axes of x as it is; the pieces are arrays of images, whose rows are their second axis.
    """
    size = max(prod(x.shape[step.axis :]), prod(out.shape[step.axis :]), 1)
    whole = replace(step, axis=2)
    for index in np.ndindex(x.shape[: step.axis - 1]):
        images, results = x[index], out[index]
        if size <= TILE:
            n_images = TILE // size
            for n in range(0, len(images), n_images):
                yield whole, images[n : n + n_images], results[n : n + n_images]
            continue
        h_out = results.shape[1]
        n_rows = max(1, TILE * h_out // size)
        for first in range(0, h_out, n_rows):
            last = min(first + n_rows, h_out)
            inputs, piece = slice(first, last), whole
            if step.vertical is not None:
                inputs, vertical = step.vertical.rows(first, last)
                piece = replace(whole, vertical=vertical)
            for n in range(len(images)):
                yield piece, images[n : n + 1, inputs], results[n : n + 1, first:last]


def _run_tiles(tiles: list[tuple[Pass, Array, Array]]) -> None:
    """Tile by tile through small contiguous copies, in the arrays' own dtypes, or else in that of the sums."""
    with np.errstate(all="ignore"):  # of this thread: a float16 that overflows is infinite, silently
        _run_tiles_silently(tiles)


def _run_tiles_silently(tiles: list[tuple[Pass, Array, Array]]) -> None:
    for step, x, out in tiles:
        dtypes = [array.dtype.newbyteorder("=") for array in (x, out)]
        if not step.takes(*dtypes):
            dtypes = [step.sums, step.sums]
        block, result = np.require(x, dtypes[0], ["C", "A"]), np.empty(out.shape, dtypes[1])
        call = step.call(block, result)
        assert call is not None  # both are plain, and of dtypes that the kernels take
        call.run(block, result, 1)
        store(result, out)


def store(values: Array, out: Array) -> None:
    """Writes values into out, rounded half to even and clipped where they are real and out holds integers."""
    if out.dtype.kind not in "biu" or values.dtype.kind != "f":
        out[...] = values
        return
    low, high = (0, 1) if out.dtype.kind == "b" else (int(np.iinfo(out.dtype).min), int(np.iinfo(out.dtype).max))
    # The largest float64 not above the largest integer: for 64 bits they differ.
    top = float(high) if int(float(high)) == high else float(np.nextafter(float(high), 0.0))
    rounded = np.rint(values)
    out[...] = np.clip(rounded, low, top).astype(out.dtype)
    if top != high:
        out[rounded > top] = high
