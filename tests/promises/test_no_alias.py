"""A result never shares memory with its input, even where nothing changes."""

from __future__ import annotations

import numpy as np
import pytest
from variants import Variant, at_each, noise

import sizewise as sw

SIZES = [((4, 6), (4, 6)), ((1, 1), (1, 1)), ((4, 6), (4, 3)), ((4, 6), (8, 6)), ((4, 6), (7, 9))]


def assert_apart(x: np.ndarray, result: np.ndarray) -> None:
    assert not np.shares_memory(x, result)
    assert result.flags.writeable
    before = x.copy()
    result[...] = 7
    assert (x == before).all()


@at_each(dtype=[np.float32, np.float64, np.float16, np.uint8, np.int64])
@at_each(sizes=SIZES)
def test_no_alias(representative: Variant, sizes: tuple[tuple[int, int], tuple[int, int]], dtype: type) -> None:
    x = noise((2, *sizes[0], 3), dtype)
    assert_apart(x, representative.resize(x, sizes[1]))
    if np.dtype(dtype).kind == "f":
        dy = noise((2, *sizes[1], 3), dtype)
        assert_apart(dy, representative.grad(dy, sizes[0]))


def test_the_input_is_unchanged(representative: Variant) -> None:
    x = noise((5, 7, 2))
    before = x.copy()
    representative.resize(x, (3, 11))
    assert (x == before).all()


def test_taps_and_index_maps_cannot_be_written() -> None:
    taps = sw.make_plan((4,), (6,)).taps[0]
    for array in (taps.start, taps.count, taps.weights, taps.T.weights, sw.index_map(4, 6)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_control_a_view_is_seen() -> None:
    x = noise((4, 6))
    with pytest.raises(AssertionError):
        assert_apart(x, x[:, :])


def test_the_input_stays_writable() -> None:
    for shape in ((8,), (8, 8), (2, 8, 8, 3)):
        x = noise(shape, np.float32)
        for _ in range(3):  # the second call takes the quick path
            sw.resize(x, (4, 4)[: len(shape)])
            assert x.flags.writeable
