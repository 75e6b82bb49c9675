"""How the kernels see an array: its numbers, and where its lines lie in memory."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import packing
from .packing import OUT_BASE, OUT_IMAGE, OUT_LINE, X_BASE, X_IMAGE, X_LINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Place: TypeAlias = "NDArray[np.int64]"

PLAIN = 0x101  # NumPy's flags C_CONTIGUOUS and ALIGNED


class Laid(NamedTuple):
    """An array over all the memory that another spans, and where the other's lines begin in it.

    `image` is None where the images have no one distance from each other.
    """

    flat: Array
    base: int
    image: int | None
    line: int


def plain(array: Array) -> bool:
    """Whether an array lies in memory as the kernels want it: one number after the other, aligned."""
    return array.flags.num & PLAIN == PLAIN


@cache
def is_bfloat(dtype: np.dtype) -> bool:
    """Whether this is bfloat16, which NumPy knows only once another package has brought it.

    >>> is_bfloat(np.dtype(np.float16))
    False
    """
    return dtype.name == "bfloat16"


@cache
def taken(dtype: np.dtype, sums: np.dtype) -> bool:
    """Return whether kernels read and write this dtype, for such sums.

    Each dtype is one more copy of every kernel, so that rarer integers are left to tiles of the sums' dtype.
    """
    if not dtype.isnative or dtype.kind == "b":
        return False
    if sums.kind == "i":
        return dtype == np.uint8
    if dtype.kind in "iu":
        return dtype in (np.uint8, np.uint16, np.int16)
    return dtype in (np.float32, sums) or (sums == np.float32 and (dtype == np.float16 or is_bfloat(dtype)))


def place(
    shape: tuple[int, ...], result: tuple[int, ...], axis: int, *, vertical_first: bool, streams: bool = False
) -> Place:
    """Where the lines of plain arrays lie: x of the one shape, out of the other, lines along `axis`."""
    row_in, row_out = prod(shape[axis + 1 :]), prod(result[axis + 1 :])
    values = np.zeros(packing.PLACE, np.int64)
    values[[X_IMAGE, X_LINE]] = shape[axis] * row_in, row_in
    values[[OUT_IMAGE, OUT_LINE]] = result[axis] * row_out, row_out
    values[packing.LINES], values[packing.ROW], values[packing.VERTICAL_FIRST] = result[axis], row_in, vertical_first
    values[packing.STREAMS] = streams
    return packing.readonly(values)


def moved(plain_place: Place, source: Laid, target: Laid) -> Place:
    """The same place with the lines where they really are."""
    assert source.image is not None and target.image is not None
    values = plain_place.copy()
    values[[X_BASE, X_IMAGE, X_LINE]] = source.base, source.image, source.line
    values[[OUT_BASE, OUT_IMAGE, OUT_LINE]] = target.base, target.image, target.line
    return packing.readonly(values)


def compact_rows(array: Array, axis: int) -> Array:
    """Return the array with contiguous rows behind `axis` where they repeat one element, as broadcasting makes them.

    Only the rows that differ are copied: of a gradient that `sum().backward()` hands over, a single one.

    >>> compact_rows(np.broadcast_to(np.float32(1), (2, 3, 4)), 1).strides
    (0, 0, 4)
    """
    repeats = [stride == 0 and n > 1 for stride, n in zip(array.strides, array.shape, strict=True)]
    if not any(repeats[axis + 1 :]):
        return array
    distinct = tuple(slice(0, 1) if repeated else slice(None) for repeated in repeats[: axis + 1])
    return np.broadcast_to(np.ascontiguousarray(array[distinct]), array.shape)


def lay(array: Array, axis: int) -> Laid | None:
    """The array as lines along `axis`; None if the numbers of a line do not lie one after the other, aligned."""
    size = array.itemsize
    if not array.flags.aligned or any(stride % size for stride in array.strides):
        return None
    strides = [stride // size if n > 1 else 0 for stride, n in zip(array.strides, array.shape, strict=True)]
    row = 1
    for n, stride in zip(array.shape[:axis:-1], strides[:axis:-1], strict=True):
        if n > 1 and stride != row:
            return None
        row *= n
    reach = [stride * (n - 1) for stride, n in zip(strides, array.shape, strict=True)]
    lowest = array[tuple(slice(None, None, -1) if step < 0 else slice(None) for step in reach)]
    flat = as_strided(lowest, (sum(map(abs, reach)) + 1,), (size,))
    return Laid(
        flat, -sum(step for step in reach if step < 0), _image(array.shape[:axis], strides[:axis]), strides[axis]
    )


def _image(shape: tuple[int, ...], strides: list[int]) -> int | None:
    """The one distance between images that lie along several axes; None if there is none."""
    image, count = 0, 1
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n == 1:
            continue
        if count == 1:
            image = stride
        elif stride != image * count:
            return None
        count *= n
    return image
