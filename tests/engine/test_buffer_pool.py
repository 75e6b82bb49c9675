"""Memory of results is used again, and never while anybody can still see it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import sizewise as sw
from sizewise.engine import buffer_pool

IMAGE = np.random.default_rng(0).random((300, 300, 3), np.float32)
POOLED = pytest.mark.skipif(not buffer_pool.has_reference_counts(), reason="without the interpreter lock, no pool")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Other tests of the process leave blocks behind; here each begins without any."""
    buffer_pool.clear()


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@POOLED
def test_the_memory_of_a_deleted_result_is_reused() -> None:
    first = sw.resize(IMAGE, (601, 600))
    where = address(first)
    assert first.nbytes >= buffer_pool.MIN_BYTES
    del first
    assert address(sw.resize(IMAGE, (602, 590))) == where


def test_memory_with_any_reference_is_not_reused() -> None:
    expected = sw.resize(IMAGE, (603, 600)).copy()
    for hold in (lambda a: a, lambda a: a[::2, 1], lambda a: a.T[0], memoryview, lambda a: a.view(np.uint8), iter):
        held = hold(sw.resize(IMAGE, (603, 600)))
        others = [sw.resize(IMAGE * 0, (603, 600)) for _ in range(3)]
        seen = next(held) if hold is iter else held
        assert np.array_equal(np.asarray(seen), np.asarray(expected[0] if hold is iter else hold(expected)))
        assert not any(other.any() for other in others)


def test_the_pool_is_bounded() -> None:
    results = [sw.resize(IMAGE, (1200 + n, 1200)) for n in range(40)]
    assert sum(result.nbytes for result in results) > 2 * buffer_pool.MAX_BYTES
    del results
    assert sum(kept.size for kept in buffer_pool._blocks) <= buffer_pool.MAX_BYTES


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


def test_a_generator_that_waits_holds_its_result() -> None:
    def results() -> Iterator[float]:
        result = sw.resize(IMAGE, (604, 600))
        expected = result.copy()
        while True:
            yield float(np.abs(result - expected).max())

    waiting = [results() for _ in range(3)]
    assert [next(one) for one in waiting] == [0.0] * 3
    assert not sw.resize(IMAGE * 0, (604, 600)).any()
    assert [next(one) for one in waiting] == [0.0] * 3


@POOLED
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_results_as_large_as_the_pool(override: Callable[..., None], beyond: int) -> None:
    override(buffer_pool, MAX_BYTES=1 << 21)
    for _ in range(2):
        made = buffer_pool.empty((buffer_pool.MAX_BYTES + beyond,), np.dtype(np.uint8))
        assert made.nbytes == buffer_pool.MAX_BYTES + beyond and made.flags.c_contiguous
        assert [kept.size for kept in buffer_pool._blocks] == [buffer_pool.MAX_BYTES + beyond][: beyond <= 0]


def test_memory_of_out_is_never_pooled() -> None:
    mine = np.empty((605, 600, 3), np.float32)
    sw.resize(IMAGE, (605, 600), out=mine)
    assert not buffer_pool._blocks


def test_where_references_are_not_counted_every_result_is_new(override: Callable[..., None]) -> None:
    override(buffer_pool, _is_gil_enabled=lambda: True)
    assert buffer_pool.has_reference_counts() and sw.resize(IMAGE, (606, 600)).base is not None
    override(buffer_pool, _is_gil_enabled=lambda: False)
    assert not buffer_pool.has_reference_counts() and sw.resize(IMAGE, (606, 600)).base is None
    override(buffer_pool, _is_gil_enabled=None)
    assert buffer_pool.has_reference_counts()
    override(buffer_pool, _COUNTS=False)
    assert not buffer_pool.has_reference_counts() and sw.resize(IMAGE, (606, 600)).base is None


@POOLED
def test_blocks_idle_for_long_are_freed(override: Callable[..., None]) -> None:
    now = 1000.0
    override(buffer_pool, time=SimpleNamespace(monotonic=lambda: now))
    sw.resize(IMAGE, (1210, 1200))
    now += buffer_pool.MAX_IDLE_SECONDS / 2
    sw.resize(IMAGE, (400, 500))
    assert len(buffer_pool._blocks) == 2
    now += buffer_pool.MAX_IDLE_SECONDS
    sw.resize(IMAGE, (400, 500))
    assert [kept.size for kept in buffer_pool._blocks] == [400 * 500 * 3 * 4]


@POOLED
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_an_empty_pool() -> None:
    code = """
import os, sys, warnings
import numpy as np, sizewise as sw
from sizewise.engine import buffer_pool
warnings.simplefilter("ignore")
x = np.ones((300, 300, 3), np.float32)
held = sw.resize(x, (600, 600), threads=1)
buffer_pool._lock.acquire()  # as another thread may at the moment of the fork
if os.fork() == 0:
    assert not buffer_pool._blocks
    for value in (2, 3):
        assert (sw.resize(value * x, (600, 600), threads=1) == value).all()
    assert len(buffer_pool._blocks) == 1
    assert (held == 1).all()
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_pool_can_be_cleared_while_other_threads_resize() -> None:
    stop = threading.Event()

    def give_back() -> None:
        while not stop.is_set():
            buffer_pool.clear()

    thread = threading.Thread(target=give_back)
    thread.start()
    try:
        for value in range(1, 40):
            result = sw.resize(np.full((300, 300), value, np.float64), (500, 500), "nearest")
            assert (result == value).all()
    finally:
        stop.set()
        thread.join()
