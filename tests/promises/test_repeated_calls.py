"""Repeated calls give the bits of the first, for every memory layout: small arrays take a fast path."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from tolerances import assert_same_bits
from variants import Variant, at_each, noise

import sizewise as sw
from sizewise import _core

DTYPES = (np.float32, np.float16, np.uint8, np.int16)
SHAPE, AXES, RESULT = (8, 3, 6), (0, 2), (5, 3, 9)  # with an axis in between


def layouts(x: np.ndarray) -> Iterator[np.ndarray]:
    """Yield copies of an array in several memory layouts; the last is that of the first, but read-only."""
    yield x
    yield np.asfortranarray(x)
    yield np.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)
    strided = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    strided[..., ::2] = x
    yield strided[..., ::2]
    unaligned = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    unaligned[...] = x
    yield unaligned
    yield x.astype(x.dtype.newbyteorder())
    read_only = x.copy()
    read_only.setflags(write=False)
    yield read_only


@at_each(dtype=DTYPES)
def test_every_layout_after_every_other(representative: Variant, dtype: type) -> None:
    x, arguments = noise(SHAPE, dtype), {"axes": AXES}
    expected = representative.resize(x, (5, 9), threads=1, **arguments)  # a number of threads rules out the fast path
    for first in list(layouts(x))[:3]:
        sw.clear_cache()
        for given in (first, *layouts(x)):
            assert_same_bits(representative.resize(given, (5, 9), **arguments), expected)
            for out in layouts(np.zeros(RESULT, expected.dtype)):
                if out.flags.writeable:
                    assert representative.resize(given, (5, 9), out=out, **arguments) is out
                    assert_same_bits(out.astype(expected.dtype), expected)


@at_each(axes=[(0, 2), (1, 0)])
def test_axes_of_one_pixel(representative: Variant, axes: tuple[int, int]) -> None:
    """Transposing an axis of length 1 does not change the memory layout."""
    for size in ((7, 1), (1, 7)):
        x = noise((12, 3, 14), np.uint8)
        expected = representative.resize(x, size, axes=axes, threads=1)
        for _ in range(2):
            assert_same_bits(representative.resize(x, size, axes=axes), expected)


def test_the_fast_path_was_taken() -> None:
    x, plan = noise((8, 6, 3), np.float32), sw.make_plan((8, 6), (5, 9))
    first = plan.apply(x, (0, 1))
    (executor,) = plan.for_dtype(x.dtype).cache.values()
    if _core.native() is None:  # the fallback has no fast path
        assert executor.fast_path is None
        return
    assert executor.fast_path is not None
    result = np.empty_like(first)
    executor.fast_path(x, result)
    assert_same_bits(result, first)


def test_out_is_validated_in_every_call() -> None:
    x = noise((8, 6), np.float32)
    out = sw.resize(x, (5, 9))
    fixed = out.copy()
    fixed.setflags(write=False)
    wide = np.zeros((8, 9), np.float32)
    for wrong in (fixed, out.astype(np.float64), out[:4], np.zeros((5, 9, 1), np.float32), out.tolist(), wide[:5, :6]):
        with pytest.raises((sw.errors.ArgumentError, sw.errors.ArgumentTypeError)):
            sw.resize(x, (5, 9), out=wrong)
    both = np.zeros(100, np.float32)
    with pytest.raises(sw.errors.ArgumentError, match="overlap"):
        sw.resize(both[:48].reshape(8, 6), (5, 9), out=both[40:85].reshape(5, 9))
