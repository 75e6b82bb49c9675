"""Memory of results is used again, and never while anybody can still see it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import sizewise as sw
from sizewise.kernels import memory

IMAGE = np.random.default_rng(0).random((300, 300, 3), np.float32)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Other tests of the process leave blocks behind; here each begins without any."""
    memory.forget()


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_a_result_that_is_gone_gives_its_memory_to_the_next() -> None:
    first = sw.resize(IMAGE, (601, 600))
    where = address(first)
    assert first.nbytes >= memory.SMALLEST
    del first
    assert address(sw.resize(IMAGE, (602, 590))) == where


def test_a_result_that_is_held_in_any_way_keeps_its_memory() -> None:
    expected = sw.resize(IMAGE, (603, 600)).copy()
    for hold in (lambda a: a, lambda a: a[::2, 1], lambda a: a.T[0], memoryview, lambda a: a.view(np.uint8), iter):
        held = hold(sw.resize(IMAGE, (603, 600)))
        others = [sw.resize(IMAGE * 0, (603, 600)) for _ in range(3)]
        seen = next(held) if hold is iter else held
        assert np.array_equal(np.asarray(seen), np.asarray(expected[0] if hold is iter else hold(expected)))
        assert not any(other.any() for other in others)


def test_what_is_kept_is_bounded() -> None:
    results = [sw.resize(IMAGE, (1200 + n, 1200)) for n in range(40)]
    assert sum(result.nbytes for result in results) > 2 * memory.MOST
    del results
    assert sum(kept.block.size for kept in memory._kept) <= memory.MOST


def test_many_threads_never_share_a_result() -> None:
    wrong: list[float] = []

    def work(value: float) -> None:
        x = np.full((256, 256, 3), value, np.float32)
        for _ in range(20):
            result = sw.resize(x, (512, 512))
            if not np.allclose(result, value, rtol=1e-6):
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(float(n + 1),)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
