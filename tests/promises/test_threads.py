"""The same bits for any number of threads, any split of the batch, and any place in the batch."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_same_bits
from variants import Variant, at_each, noise

import sizewise as sw
from sizewise.engine import kernel_call
from sizewise.thread_count import default_threads

USUAL_MIN_WORK = kernel_call.MIN_PARALLEL_WORK
SHAPE = (2, 61, 47, 3)
SIZES = [(90, 70), (30, 20), (20, 101)]


@at_each(dtype=[np.uint8, np.float16, np.float64])
def test_thread_counts_other_dtypes(representative: Variant, dtype: type) -> None:
    x = noise((2, 211, 173, 4), dtype)  # more than one tile
    expected = representative.resize(x, (150, 200), threads=1)
    for n_threads in (2, 8):
        assert_same_bits(representative.resize(x, (150, 200), threads=n_threads), expected)


@at_each(size=[(13, 40), (31, 9), (7, 8)])
@at_each(dtype=[np.float32, np.float64, np.uint8])
def test_batch_splits(representative: Variant, size: tuple[int, int], dtype: type) -> None:
    x = noise((5, 19, 17, 3), dtype)
    whole = representative.resize(x, size)
    for first, last in [(0, 1), (1, 3), (2, 5), (4, 5)]:
        assert_same_bits(representative.resize(x[first:last], size), whole[first:last])
    assert_same_bits(representative.resize(x[3], size), whole[3])
    assert_same_bits(representative.resize(x[::-1], size), whole[::-1])


def test_a_batch_larger_than_a_tile_is_its_images(representative: Variant) -> None:
    x = noise((2, 400, 300, 3), np.float16)
    whole = representative.resize(x, (333, 120))
    assert_same_bits(representative.resize(x[1], (333, 120)), whole[1])


def test_the_number_of_threads_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEWISE_THREADS", "3")
    assert default_threads() == 3
    monkeypatch.delenv("SIZEWISE_THREADS")
    assert default_threads() >= 1


def test_control_another_order_of_sums_changes_bits() -> None:
    x = noise((40, 50), np.float32)
    rows_first = sw.resize(sw.resize(x, 23, axes=0), 70, axes=1)
    columns_first = sw.resize(sw.resize(x, 70, axes=1), 23, axes=0)
    with pytest.raises(AssertionError, match="differ"):
        assert_same_bits(rows_first, columns_first)
