"""Bands of rows: kernel calls are split between threads, with the same bits for any number of them."""

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

USUAL_MIN_WORK = kernel_call.MIN_PARALLEL_WORK
SHAPE = (2, 61, 47, 3)
SIZES = [(90, 70), (30, 20), (20, 101)]


@pytest.fixture
def bands(override: Callable[..., None]) -> Iterator[list[tuple[int, int]]]:
    """Yield the list of bands that kernel calls are split into. No work is too small to be split."""
    seen: list[tuple[int, int]] = []
    split = kernel_call.KernelCall.bands

    def record(call: kernel_call.KernelCall, n_threads: int) -> thread_pool.Bands:
        bands = split(call, n_threads)
        assert len(bands.edges) == bands.n_threads
        seen.extend((first, last) for first, last in bands.edges.tolist())
        return bands

    override(kernel_call.KernelCall, bands=record)
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
