"""The words of sizewise/kernels/vectors.py in NumPy, each index checked: for kernels that run as Python.

A vector is a short array. What the words mean is said in vectors.py; nothing here is shared with it.
"""

from __future__ import annotations

import numpy as np

from sizewise.kernels.packing import CACHE_LINE, HALF

Vector = np.ndarray
LANES = 8


def _part(array: np.ndarray, index: int, count: int) -> np.ndarray:
    """So many numbers of an array, all of which must be there."""
    index = int(index)
    if index < 0 or index + count > array.size:
        raise IndexError(f"{count} numbers at {index} of {array.size}")
    return array[index : index + count]


def _numbers(part: np.ndarray, dtype: np.dtype) -> Vector:
    if part.dtype.names == (HALF,):
        part = part.view(np.float16)
    elif part.dtype.names is not None:
        part = (part.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return part.astype(dtype)


def zero(like: np.generic | np.ndarray) -> Vector:
    return np.zeros(LANES, like.dtype)


def zero16(like: np.generic | np.ndarray) -> Vector:
    return np.zeros(16, like.dtype)


def zero4(like: np.generic | np.ndarray) -> Vector:
    return np.zeros(4, like.dtype)


def zero1(like: np.generic | np.ndarray) -> Vector:
    return np.zeros(1, like.dtype)


def zero_wide(like: np.generic | np.ndarray) -> Vector:
    return np.zeros(CACHE_LINE // like.dtype.itemsize, like.dtype)


def lanes_of(vector: Vector) -> int:
    return vector.size


def load(array: np.ndarray, index: int, like: Vector) -> Vector:
    return _numbers(_part(array, index, like.size), like.dtype)


def store(array: np.ndarray, index: int, vector: Vector) -> None:
    part = _part(array, index, vector.size)
    if part.dtype.names == (HALF,):
        part.view(np.float16)[...] = vector
    elif part.dtype.names is not None:
        bits = vector.astype(np.float32).view(np.uint32).astype(np.uint64)
        rounded = (bits + ((bits >> np.uint64(16)) & np.uint64(1)) + np.uint64(0x7FFF)) >> np.uint64(16)
        part.view(np.uint16)[...] = np.where(np.isnan(vector), 0x7FC0, rounded)
    elif part.dtype.kind in "iu":
        limits = np.iinfo(part.dtype)
        part[...] = np.clip(np.rint(vector), limits.min, limits.max)
    else:
        part[...] = vector


def _place(array: np.ndarray, index: int) -> int:
    return array.ctypes.data + int(index) * array.itemsize


def stream(array: np.ndarray, index: int, vector: Vector) -> None:
    assert _place(array, index) % (vector.size * array.itemsize) == 0
    store(array, index, vector)


def to_next_line(array: np.ndarray, index: int) -> int:
    return -_place(array, index) % CACHE_LINE // array.itemsize


def settle_streams() -> None:
    pass


def prefetch(array: np.ndarray, index: int) -> None:
    pass


def _move(array: np.ndarray, index: int, out: np.ndarray, where: int, count: int) -> None:
    _part(out, where, count)[...] = _part(array, index, count).copy()


def move1(array: np.ndarray, index: int, out: np.ndarray, where: int) -> None:
    _move(array, index, out, where, 1)


def move4(array: np.ndarray, index: int, out: np.ndarray, where: int) -> None:
    _move(array, index, out, where, 4)


def move8(array: np.ndarray, index: int, out: np.ndarray, where: int) -> None:
    _move(array, index, out, where, LANES)


def move_line(array: np.ndarray, index: int, out: np.ndarray, where: int) -> None:
    _move(array, index, out, where, CACHE_LINE // array.itemsize)


def stream_line(array: np.ndarray, index: int, out: np.ndarray, where: int) -> None:
    assert _place(out, where) % CACHE_LINE == 0
    move_line(array, index, out, where)


def _upper(weight: int, vector: Vector) -> Vector:
    return ((np.int32(weight) * vector.astype(np.int32)) >> 16).astype(np.int16)


def add_product(total: Vector, weight: np.generic, vector: Vector) -> Vector:
    if total.dtype == np.int16:
        return total + _upper(weight, vector)
    return total + total.dtype.type(weight) * vector


def _two(total: Vector, a: np.ndarray, b: np.ndarray, weights: np.ndarray, where: int) -> Vector:
    first, second = _part(weights, where, 2).astype(np.int32)
    return total + (first * a.astype(np.int32) + second * b.astype(np.int32))


def add_pair(total: Vector, array: np.ndarray, index: int, other: int, weights: np.ndarray, where: int) -> Vector:
    return _two(total, _part(array, index, total.size), _part(array, other, total.size), weights, where)


def add_eight(total: Vector, array: np.ndarray, starts: tuple, weights: np.ndarray, where: int) -> Vector:
    table = _part(weights, where, 2 * LANES).astype(np.int32)
    pairs = np.concatenate([_part(array, start, 2) for start in starts]).astype(np.int32)
    return total + (table * pairs).reshape(LANES, 2).sum(axis=1, dtype=np.int32)


def _add_pixels(total: Vector, array: np.ndarray, index: int, weights: np.ndarray, where: int, channels: int) -> Vector:
    eight = _part(array, index, LANES)
    second = eight[np.minimum(np.arange(4) + channels, LANES - 1)]
    return _two(total, eight[:4], second, weights, where)


def add_pixels3(total: Vector, array: np.ndarray, index: int, weights: np.ndarray, where: int) -> Vector:
    return _add_pixels(total, array, index, weights, where, 3)


def add_pixels4(total: Vector, array: np.ndarray, index: int, weights: np.ndarray, where: int) -> Vector:
    return _add_pixels(total, array, index, weights, where, 4)


def _add_four(total: Vector, array: np.ndarray, index: int, weights: np.ndarray, where: int, channels: int) -> Vector:
    sixteen = _part(array, index, 2 * LANES).astype(np.int32)
    table = _part(weights, where, 2 * LANES).astype(np.int32)
    places = [channels * tap + channel for pair in (0, 2) for channel in range(4) for tap in (pair, pair + 1)]
    products = table * sixteen[np.minimum(places, 2 * LANES - 1)]
    return total + products.reshape(LANES, 2).sum(axis=1, dtype=np.int32)


def add_four3(total: Vector, array: np.ndarray, index: int, weights: np.ndarray, where: int) -> Vector:
    return _add_four(total, array, index, weights, where, 3)


def add_four4(total: Vector, array: np.ndarray, index: int, weights: np.ndarray, where: int) -> Vector:
    return _add_four(total, array, index, weights, where, 4)


def _add_both(
    total: Vector, array: np.ndarray, index: int, other: int, weights: np.ndarray, where: int, channels: int
) -> Vector:
    nothing = np.zeros(LANES, np.int32)
    return total + folded(*(_add_four(nothing, array, place, weights, where, channels) for place in (index, other)))


def add_both3(total: Vector, array: np.ndarray, index: int, other: int, weights: np.ndarray, where: int) -> Vector:
    return _add_both(total, array, index, other, weights, where, 3)


def add_both4(total: Vector, array: np.ndarray, index: int, other: int, weights: np.ndarray, where: int) -> Vector:
    return _add_both(total, array, index, other, weights, where, 4)


def permutes_bytes() -> bool:
    return False


def add_named(total: Vector, array: np.ndarray, index: int, table: np.ndarray, where: int) -> Vector:
    names, weights = _part(table, where, 16).view(np.uint8), _part(table, where + 16, 32).astype(np.int32)
    products = weights * _part(array, index, 64)[names]
    return total + products.reshape(16, 2).sum(axis=1, dtype=np.int32)


def folded(vector: Vector, other: Vector) -> Vector:
    return np.concatenate([vector[:4] + vector[4:], other[:4] + other[4:]])


def add_upper(total: Vector, weight: int, vector: Vector, other: Vector) -> Vector:
    return total + _upper(weight, np.clip(np.concatenate([vector, other]), -(2**15), 2**15 - 1))


def store_low(array: np.ndarray, index: int, vector: Vector) -> None:
    store(array, index, vector[:4])


def store_high(array: np.ndarray, index: int, vector: Vector) -> None:
    store(array, index, vector[4:])


def store_both(array: np.ndarray, index: int, vector: Vector, other: Vector) -> None:
    store(array, index, np.concatenate([vector, other]))


def store_quarters(array: np.ndarray, places: tuple, vector: Vector, other: Vector) -> None:
    for place, four in zip(places, np.concatenate([vector, other]).reshape(4, 4), strict=True):
        store(array, place, four)


def finish(total: Vector, add: int, shift: int) -> Vector:
    if total.dtype.kind == "f":
        return total
    return (total + total.dtype.type(add)) >> total.dtype.type(shift)


def check_finite(check: Vector, vectors: tuple) -> Vector:
    return check if check.dtype.kind != "f" else np.where(np.isfinite(vectors).all(axis=0), check, np.nan)


def _bits(mask: np.ndarray) -> int:
    return sum(1 << lane for lane in np.flatnonzero(mask).tolist())


def any_nan(vector: Vector) -> int:
    return _bits(np.isnan(vector)) if vector.dtype.kind == "f" else 0


def far_from_whole(vector: Vector, limit: np.float32) -> int:
    return _bits(np.abs(vector - np.rint(vector)) > limit)


def transpose_in(array: np.ndarray, lines: tuple, like: np.generic, out: np.ndarray, where: int) -> None:
    rows = np.stack([_numbers(_part(array, line, LANES), like.dtype) for line in lines])
    _part(out, where, LANES * LANES)[...] = rows.T.reshape(-1)


def transpose_out(out: np.ndarray, lines: tuple, where: int, vectors: tuple) -> None:
    for line, row in zip(lines, np.stack(vectors).T, strict=True):
        store(out, line + where, row)
