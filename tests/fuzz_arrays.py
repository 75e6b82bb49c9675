"""Arrays for the fuzzer: any dtype and memory layout, and outputs whose surroundings are checked."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

VIEWS = ("plain", "plain", "plain", "flip", "fortran", "turned", "crop", "apart", "repeated", "swapped", "odd", "fixed")
OUTS = ("none", "none", "none", "none", "none", "none", "plain", "flip", "turned", "crop", "apart", "swapped", "odd")


def filled(shape: tuple[int, ...], dtype: np.dtype, numbers: np.random.Generator, special: float) -> np.ndarray:
    """Return floats of about 1 or integers of the full range; sometimes with NaN, infinite or tiny values."""
    if dtype.kind in "biu":
        low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return numbers.integers(low, high, shape, dtype if dtype.kind != "b" else np.uint8, endpoint=True).astype(dtype)
    if special > 0.92:
        return np.full(shape, numbers.choice([1.0, -2.0, 3.0, 0.1]), dtype)
    x = numbers.standard_normal(shape)
    if special < 0.08:
        x.flat[numbers.integers(0, x.size, 1 + x.size // 20)] = numbers.choice([np.nan, np.inf, -np.inf])
    elif special < 0.14:
        with np.errstate(under="ignore"):
            return (x * float(numbers.choice([1e-40, 1e-7, 1e-310, 0.0]))).astype(dtype)
    return x.astype(dtype)


def given(kind: str, x: np.ndarray, numbers: np.random.Generator) -> np.ndarray:
    """The same numbers, or some of them many times over, in memory of one kind."""
    if kind == "repeated":
        axis = int(numbers.integers(x.ndim))
        return np.broadcast_to(x.take([0], axis), x.shape)
    room = made(kind, x.shape, x.dtype)[1]
    room[...] = x
    if kind == "fixed":
        room.flags.writeable = False
    return room


def made(kind: str, shape: tuple[int, ...], dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """A block of bytes, and an array in it."""
    steps = 2 if kind in ("crop", "apart") else 1
    lengths = [n * steps + (kind == "crop") for n in shape]
    if kind == "fortran":
        lengths.reverse()
    elif kind == "turned":
        lengths = lengths[1:] + lengths[:1]
    if kind == "swapped" and dtype.kind in "fiu" and dtype.itemsize > 1:
        dtype = dtype.newbyteorder()
    before = 1 if kind == "odd" else 16  # an odd address: aligned to nothing
    block = np.full(before + prod(lengths) * dtype.itemsize + 16, 0xA5, np.uint8)
    array = block[before : before + prod(lengths) * dtype.itemsize].view(dtype).reshape(lengths)
    if kind == "fortran":
        return block, array.T
    if kind == "turned":
        return block, np.moveaxis(array, -1, 0)
    if kind == "flip":
        return block, array[tuple(slice(None, None, -1) for _ in lengths)]
    return block, array[tuple(slice(0, n * steps, steps) for n in shape)] if steps > 1 else array


def surrounded(kind: str, shape: tuple[int, ...], dtype: np.dtype) -> tuple[Callable[[], bool], np.ndarray] | None:
    """An array to write into, and whether all around it is as it was; None for no array at all."""
    if kind == "none":
        return None
    block, out = made(kind, shape, dtype)
    used = np.zeros_like(block)
    inside = (*out.shape, out.itemsize), np.uint8, used, out.ctypes.data - block.ctypes.data, (*out.strides, 1)
    np.ndarray(*inside)[...] = 0xFF
    around = used != 0xFF

    def untouched() -> bool:
        return bool((block[around] == 0xA5).all())

    return untouched, out
