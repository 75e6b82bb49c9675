"""Robustness against the environment: forks, threads, interrupts, subclasses of arrays."""

from __future__ import annotations

import _thread
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import sizewise as sw
from sizewise import sampling
from sizewise.dialects import Request
from sizewise.engine import thread_pool
from sizewise.errors import ArgumentError, ArgumentTypeError


def child(code: str, **environment: str) -> str:
    """Return the output of a new process, which must succeed."""
    variables = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=variables, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- arrays that are more than arrays ------------------------------------------------------------------------------


def test_out_may_be_a_matrix_or_a_memory_map(tmp_path: Path) -> None:
    x = np.random.default_rng(0).random((9, 7))
    expected = sw.resize(x, (6, 5))
    room = np.full((20, 5), -1.0)
    matrix = room[7:13].view(np.matrix)
    assert sw.resize(x, (6, 5), out=matrix) is matrix
    np.testing.assert_array_equal(np.asarray(matrix), expected)
    assert (room[:7] == -1).all()
    assert (room[13:] == -1).all()
    mapped = np.memmap(tmp_path / "out", np.float64, "w+", shape=(6, 5))
    assert sw.resize(x, (6, 5), out=mapped) is mapped
    np.testing.assert_array_equal(np.asarray(mapped), expected)


def test_a_matrix_may_come_again() -> None:
    x = np.random.default_rng(0).random((9, 7))
    for _ in range(3):
        result = sw.resize(x.view(np.matrix), (6, 5))
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, sw.resize(x, (6, 5)))


def test_equal_arguments_of_different_types() -> None:
    x = np.random.default_rng(0).random((9, 7))
    assert sw.resize(x, (1, 5)).shape == (1, 5)
    for size in [(1.0, 5), (True, 5), (np.float64(1), 5)]:
        with pytest.raises(ArgumentError):
            sw.resize(x, size)
    sw.resize(x, (1, 5), antialias=True)
    with pytest.raises(ArgumentError):
        sw.resize(x, (1, 5), antialias=1)
    sw.resize(x, (1, 5), axes=(0, 1))
    with pytest.raises(ArgumentError):
        sw.resize(x, (1, 5), axes=(False, True))
    assert sw.resize(x, (1, np.int64(5))).shape == (1, 5)


def test_masked_arrays_are_rejected() -> None:
    with pytest.raises(ArgumentTypeError, match="mask"):
        sw.resize(np.ma.ones((4, 4)), (2, 2))
    with pytest.raises(ArgumentTypeError, match="mask"):
        sw.resize(np.ones((4, 4)), (2, 2), out=np.ma.ones((2, 2)))


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8", ">i2", ">u8"])
def test_other_byte_order_first(dtype: str) -> None:
    # New sizes: no native call may have prepared the plan before.
    size = {">f2": 31, ">f4": 32, ">f8": 33, ">i2": 34, ">u8": 35}[dtype]
    x = np.random.default_rng(0).integers(0, 100, (21, 22, 3)).astype(dtype)
    result = sw.resize(x, (size, size))
    assert result.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(result, sw.resize(x.astype(result.dtype), (size, size)))


# --- threads, forks, interrupts -------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_while_another_thread_transposes() -> None:
    code = """
import os, sys, threading, numpy as np, sizewise as sw
stop = threading.Event()
def transpose():
    n = 3000
    while not stop.is_set():
        n += 1
        sw.make_plan((n,), (n + 500,)).T
worker = threading.Thread(target=transpose, daemon=True)
worker.start()
sw.resize_grad(np.ones((4, 4)), (8, 8))
for _ in range(8):
    pid = os.fork()
    if pid == 0:
        sw.resize_grad(np.ones((5, 5)), (9, 9))
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
stop.set()
print("done")
"""
    assert child(code) == "done\n"


def test_threads_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more)
    for _ in range(2):
        done: list[tuple[int, int]] = []
        thread_pool.run(lambda first, last: done.append((first, last)), 10, 3)
        assert sorted(row for first, last in done for row in range(first, last)) == list(range(10))


def test_a_failure_in_a_worker_reaches_the_caller() -> None:
    def band(first: int, last: int) -> None:
        if first:
            raise ArgumentError("in a worker")

    with pytest.raises(ArgumentError, match="in a worker"):
        thread_pool.run(band, 10, 2)
    thread_pool.run(lambda first, last: None, 10, 2)


@pytest.fixture
def _interrupted():
    """Ctrl-C as Python has it: a shell's background jobs ignore it, and so do their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interrupted")
def test_after_ctrl_c_nobody_is_writing() -> None:
    writing = threading.Event()
    begun = threading.Barrier(2)

    def band(first: int, last: int) -> None:
        if threading.current_thread() is threading.main_thread():
            begun.wait()
            _thread.interrupt_main()  # Ctrl-C in the caller, while the worker is busy
            time.sleep(0.05)
            return
        writing.set()
        begun.wait()
        time.sleep(0.3)
        writing.clear()

    with pytest.raises(KeyboardInterrupt):
        thread_pool.run(band, 2, 2)
        time.sleep(1)  # the interruption arrives here at the latest
    assert not writing.is_set()
    thread_pool.run(lambda first, last: None, 10, 2)


# --- the core --------------------------------------------------------------------------------------------------------


def test_a_plan_may_have_many_axes() -> None:
    lengths = range(1, 1025)
    assert sw.make_plan((7,) * 1024, lengths).output_size == tuple(lengths)
    with pytest.raises(ArgumentError, match="integers, one per axis"):
        sw.make_plan(range(1, 10**12), range(1, 10**12))


def test_weights_mirror_each_other_exactly() -> None:
    for method in sw.filters.names():
        for n_in, n_out in ((7, 4), (4, 2), (3, 2), (16, 4), (13, 5), (5, 13)):
            [matrix] = sw.make_plan((n_in,), (n_out,), method).matrices()
            np.testing.assert_array_equal(matrix, matrix[::-1, ::-1], err_msg=f"{method} {n_in} -> {n_out}")


def test_a_plan_of_ones_own_taps_is_pickled_with_them() -> None:
    own = sw.Plan(Request("standard", "area", True, (4,), (1,)), (sampling.area(4, 2),))
    copy = pickle.loads(pickle.dumps(own))
    np.testing.assert_array_equal(copy.matrices()[0], own.matrices()[0])
    assert not copy.taps[0].weights.flags.writeable
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(own.T)).matrices()[0], own.T.matrices()[0])


@pytest.mark.parametrize("start", [[0.5], [-1], [4], [[0]]], ids=repr)
def test_taps_that_make_no_sense(start: object) -> None:
    with pytest.raises(ArgumentError):
        sw.Taps(4, start, [[1.0]])


@pytest.mark.parametrize("rows,columns", [([-1], [0]), ([2], [0]), ([0], [3]), ([0], [-1]), ([0, 1], [0])], ids=repr)
def test_entries_that_make_no_sense(rows: list[int], columns: list[int]) -> None:
    with pytest.raises(ArgumentError):
        sw.Taps.from_entries(3, 2, rows, columns, [1.0])


def test_the_table_of_a_plan_keeps_its_columns_apart() -> None:
    lines = str(sw.make_plan((4096, 7), (4, 70), "area")).splitlines()
    for line in lines[2:4]:
        cells = [cell for cell in line.split("  ") if cell]
        assert len(cells) == len(["axis", "n_in", "n_out", "scale", "taps", "sums", "read"])


def test_a_tile_of_the_fallback_may_read_nothing() -> None:
    code = """
import numpy as np, sizewise as sw
print(sw.resize_grad(np.ones((2, 64), np.float16), (8192, 64), dialect="tensorflow1").sum(dtype=float))
"""
    assert child(code, SIZEWISE_ISA="numpy") == "128.0\n"


def test_many_threads_and_shapes_on_one_plan() -> None:
    """More shapes than a plan keeps, from many threads at once: what is kept is thrown away while others look at it."""
    code = """
import sys, threading, numpy as np, sizewise as sw
sys.setswitchinterval(1e-6)
plan, wrong = sw.make_plan((5, 4), (3, 6)), []
def work(seed):
    random = np.random.default_rng(seed)
    try:
        for _ in range(400):
            n = int(random.integers(1, 400))
            result = plan.apply(np.full((n, 5, 4, 1), float(seed)))
            if result.shape != (n, 3, 6, 1) or not np.allclose(result, seed):
                wrong.append(n)
    except BaseException as failure:
        wrong.append(failure)
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(wrong)
"""
    assert child(code) == "[]\n"
