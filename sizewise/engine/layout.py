"""Layout of arrays in memory: where the rows of input and result begin, as the kernels read it."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .packing import Array, Indices, readonly

# Row h of image n begins at element BASE + n * IMAGE + h * ROW. ROWS_PER_IMAGE is of the result; ROW_LENGTH is read by
# kernels without a horizontal pass, VERTICAL_FIRST by the fused 2x2 kernel. NONTEMPORAL: the result bypasses the
# caches. `Layout` in `_core/core.h` has the same fields.
(
    X_BASE, X_IMAGE, X_ROW, OUT_BASE, OUT_IMAGE, OUT_ROW, ROWS_PER_IMAGE, ROW_LENGTH, VERTICAL_FIRST, NONTEMPORAL,
    LAYOUT_FIELDS,
) = range(11)  # fmt: skip

Layout: TypeAlias = Indices

C_CONTIGUOUS = 0x101  # NumPy's flags C_CONTIGUOUS and ALIGNED


class StridedRows(NamedTuple):
    """The memory that an array spans as a flat array, and where rows begin in it; strides are in elements.

    `image_stride` is None if the distances between images differ.
    """

    flat: Array
    base: int
    image_stride: int | None
    row_stride: int


def is_c_contiguous(*arrays: Array) -> bool:
    """Return whether all arrays are C-contiguous and aligned."""
    return all(array.flags.num & C_CONTIGUOUS == C_CONTIGUOUS for array in arrays)


@cache
def has_kernels(dtype: np.dtype, sums: np.dtype) -> bool:
    """Return whether kernels with sums of that dtype read and write this dtype.

    Each dtype is one more copy of every kernel, so rarer integers are converted to the dtype of the sums (`staging`).
    """
    if not dtype.isnative or dtype.kind == "b":
        return False
    if sums.kind == "i":
        return dtype == np.uint8
    if dtype.kind in "iu":
        return dtype in (np.uint8, np.uint16, np.int16)
    return dtype in (np.float32, sums) or (sums == np.float32 and dtype.name in ("float16", "bfloat16"))


def contiguous_layout(
    shape: tuple[int, ...], result: tuple[int, ...], axis: int, *, vertical_first: bool, nontemporal: bool = False
) -> Layout:
    """Return the layout of C-contiguous arrays of these shapes, whose rows lie along `axis`."""
    row_in, row_out = prod(shape[axis + 1 :]), prod(result[axis + 1 :])
    fields = np.zeros(LAYOUT_FIELDS, np.int64)
    fields[[X_IMAGE, X_ROW]] = shape[axis] * row_in, row_in
    fields[[OUT_IMAGE, OUT_ROW]] = result[axis] * row_out, row_out
    fields[ROWS_PER_IMAGE:] = result[axis], row_in, vertical_first, nontemporal
    fields.flags.writeable = False
    return fields


def strided_layout(contiguous: Layout, source: StridedRows, target: StridedRows) -> Layout:
    """Return the layout of the same arrays with other strides."""
    assert source.image_stride is not None and target.image_stride is not None
    fields = contiguous.copy()
    fields[[X_BASE, X_IMAGE, X_ROW]] = source.base, source.image_stride, source.row_stride
    fields[[OUT_BASE, OUT_IMAGE, OUT_ROW]] = target.base, target.image_stride, target.row_stride
    return readonly(fields)


def compact_rows(array: Array, axis: int) -> Array:
    """Return the array with contiguous rows behind `axis` where they repeat one element, as broadcasting makes them.

    Only the rows that differ are copied: of the gradient from `sum().backward()`, a single one.

    >>> compact_rows(np.broadcast_to(np.float32(1), (2, 3, 4)), 1).strides
    (0, 0, 4)
    """
    repeats = [stride == 0 and n > 1 for stride, n in zip(array.strides, array.shape, strict=True)]
    if not any(repeats[axis + 1 :]):
        return array
    distinct = tuple(slice(0, 1) if repeated else slice(None) for repeated in repeats[: axis + 1])
    return np.broadcast_to(np.ascontiguousarray(array[distinct]), array.shape)


def strided_rows(array: Array, axis: int) -> StridedRows | None:
    """Return the array as rows along `axis`; None if the elements of a row are not contiguous and aligned."""
    size = array.itemsize
    if not array.flags.aligned or any(stride % size for stride in array.strides):
        return None
    strides = [stride // size if n > 1 else 0 for stride, n in zip(array.strides, array.shape, strict=True)]
    row = 1
    for n, stride in zip(array.shape[:axis:-1], strides[:axis:-1], strict=True):
        if n > 1 and stride != row:
            return None
        row *= n
    extents = [stride * (n - 1) for stride, n in zip(strides, array.shape, strict=True)]
    lowest = array[tuple(slice(None, None, -1) if extent < 0 else slice(None) for extent in extents)]
    flat = as_strided(lowest, (sum(map(abs, extents)) + 1,), (size,))
    base = -sum(extent for extent in extents if extent < 0)
    return StridedRows(flat, base, _image_stride(array.shape[:axis], strides[:axis]), strides[axis])


def _image_stride(shape: tuple[int, ...], strides: list[int]) -> int | None:
    """Return the distance between images that lie along several axes; None if it differs."""
    distance, count = 0, 1
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n == 1:
            continue
        if count == 1:
            distance = stride
        elif stride != distance * count:
            return None
        count *= n
    return distance
