"""The same bits for any number of threads, any split of the batch, and any place in the batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from engine_limits import engine_limits
from tolerances import assert_same_bits
from variants import Variant, at_each, noise

import sizewise as sw
from sizewise.engine import kernel_call, thread_pool
from sizewise.thread_count import default_threads

USUAL_MIN_WORK = kernel_call.MIN_PARALLEL_WORK
SHAPE = (2, 61, 47, 3)
SIZES = [(90, 70), (30, 20), (20, 101)]


@pytest.fixture
def bands(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, int]]]:
    """Return the bands that the kernel calls of a test were split into. No work is too small to be split."""
    seen: list[tuple[int, int]] = []
    split = kernel_call.KernelCall.bands

    def noted(call: kernel_call.KernelCall, n_threads: int) -> thread_pool.Bands:
        bands = split(call, n_threads)
        assert len(bands.edges) == bands.n_threads
        seen.extend((first, last) for first, last in bands.edges.tolist())
        return bands

    monkeypatch.setattr(kernel_call.KernelCall, "bands", noted)
    with engine_limits(MIN_PARALLEL_WORK=1, WAKEUP_WORK=0):
        yield seen


def assert_thread_counts_agree(call: Callable[[int], np.ndarray], bands: list[tuple[int, int]]) -> None:
    expected = call(1)
    for n_threads in (2, 3, 8):
        bands.clear()
        assert_same_bits(call(n_threads), expected)
        n_eights = -(-max(last for _, last in bands) // 8)
        assert len(bands) == min(n_threads, n_eights) > 1


@at_each(size=SIZES)
def test_thread_counts_forward(representative: Variant, size: tuple[int, int], bands: list[tuple[int, int]]) -> None:
    x = noise(SHAPE, np.float32)
    assert_thread_counts_agree(lambda n_threads: representative.resize(x, size, threads=n_threads), bands)


@at_each(size=SIZES)
def test_thread_counts_gradient(representative: Variant, size: tuple[int, int], bands: list[tuple[int, int]]) -> None:
    dy = noise((SHAPE[0], *size, SHAPE[3]), np.float32)
    assert_thread_counts_agree(lambda n_threads: representative.grad(dy, SHAPE[1:3], threads=n_threads), bands)


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


def test_many_callers_at_once(representative: Variant, bands: list[tuple[int, int]]) -> None:
    x = noise(SHAPE, np.float32)
    expected = representative.resize(x, (90, 70), threads=1)
    with ThreadPoolExecutor(4) as callers:
        for result in callers.map(lambda _: representative.resize(x, (90, 70), threads=3), range(8)):
            assert_same_bits(result, expected)
    assert len(bands) == 1 + 8 * 3


def test_small_work_is_not_split(bands: list[tuple[int, int]]) -> None:
    with engine_limits(MIN_PARALLEL_WORK=USUAL_MIN_WORK):
        sw.resize(noise((4, 4), np.float32), (5, 5), threads=2)
        assert bands == []  # it never even reaches the threads
        sw.resize(noise((500, 600, 3), np.float32), (700, 800), threads=2)
    assert len(bands) == 2


def test_an_error_in_a_band_reaches_the_caller_after_all_have_ended() -> None:
    begun: list[int] = []
    ended: list[int] = []

    def band(first: int, last: int) -> None:
        begun.append(first)
        time.sleep(0.01 * first)
        ended.append(first)
        if first > 0:
            raise RuntimeError(f"band {first}")

    with pytest.raises(RuntimeError, match="band"):
        thread_pool.run(band, 4, 4)
    assert sorted(begun) == sorted(ended)
    assert len(ended) > 1


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
