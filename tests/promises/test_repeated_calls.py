"""A call made again gives the bits of the first, however the arrays lie this time: small ones take a shorter way."""

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


def lying(x: np.ndarray) -> Iterator[np.ndarray]:
    """The same numbers, lying in memory in several ways; the last as the first, but read-only."""
    yield x
    yield np.asfortranarray(x)
    yield np.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)
    apart = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    apart[..., ::2] = x
    yield apart[..., ::2]
    room = np.zeros(x.nbytes + 1, np.uint8)
    unaligned = room[1:].view(x.dtype).reshape(x.shape)
    unaligned[...] = x
    yield unaligned
    yield x.astype(x.dtype.newbyteorder())
    fixed = x.copy()
    fixed.setflags(write=False)
    yield fixed


@at_each(dtype=DTYPES)
def test_every_layout_after_every_other(some_variant: Variant, dtype: type) -> None:
    x, words = noise(SHAPE, dtype), {"axes": AXES}
    expected = some_variant.resize(x, (5, 9), threads=1, **words)  # asked for threads, it goes the long way
    for first in list(lying(x))[:3]:
        sw.clear_cache()
        for given in (first, *lying(x)):
            assert_same_bits(some_variant.resize(given, (5, 9), **words), expected)
            for out in lying(np.zeros(RESULT, expected.dtype)):
                if out.flags.writeable:
                    assert some_variant.resize(given, (5, 9), out=out, **words) is out
                    assert_same_bits(out.astype(expected.dtype), expected)


@at_each(axes=[(0, 2), (1, 0)])
def test_axes_of_one_pixel(some_variant: Variant, axes: tuple[int, int]) -> None:
    """Turned round, such results lie as if they had not been."""
    for size in ((7, 1), (1, 7)):
        x = noise((12, 3, 14), np.uint8)
        expected = some_variant.resize(x, size, axes=axes, threads=1)
        for _ in range(2):
            assert_same_bits(some_variant.resize(x, size, axes=axes), expected)


def test_the_short_way_was_taken() -> None:
    x, plan = noise((8, 6, 3), np.float32), sw.make_plan((8, 6), (5, 9))
    first = plan.apply(x, (0, 1))
    (executor,) = plan.for_dtype(x.dtype).cache.values()
    if _core.native() is None:  # the fallback has no fast path
        assert executor.fast_path is None
        return
    assert executor.fast_path is not None
    made = np.empty_like(first)
    executor.fast_path(x, made)
    assert_same_bits(made, first)


def test_out_is_looked_at_each_time() -> None:
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
