"""The same bits, forwards and backwards, in every run, on any threads, in any process, for any split: those stored."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import determinism
import numpy as np
import pytest
from determinism import SHAPE, Case, cases, stored
from engine_limits import engine_limits
from hashes import digest
from recording import Record

ROOT = Path(__file__).parents[2]
RUNS = 50


@pytest.fixture(autouse=True)
def everything_is_split() -> Iterator[None]:
    """No work is too small for several threads, nor for several pieces."""
    with engine_limits(MIN_PARALLEL_WORK=1, MAX_BAND_WORK=20_000):
        yield


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_the_stored_bits_on_any_number_of_threads(case: Case, record_property: Record) -> None:
    expected = stored().get(case.name)
    if expected is None:  # a kind of machine of which nothing is stored yet: then those of one thread
        expected = case.hashes(1)
    for threads in (None, 1, 2, 3, 8):
        assert case.hashes(threads) == expected, f"{threads} threads"
        record_property("hashes compared with the stored ones", 2)


def test_the_same_in_fifty_runs(record_property: Record) -> None:
    seen = Counter((case.name, case.hashes(run % 4 + 1)) for run in range(RUNS) for case in cases()[::4])
    record_property("hashes of results and gradients in fifty runs", 2 * seen.total())
    assert set(seen.values()) == {RUNS}


@pytest.mark.parametrize("case", cases()[::3], ids=lambda case: case.name)
def test_any_split_of_the_batch(case: Case) -> None:
    whole = case.forward(case.x)
    gradient = case.backward(whole)
    for parts in ([1, 2, 3], [1, 3], [2, 3], [3]):
        first = 0
        for last in parts:
            assert digest(case.forward(case.x[first:last])) == digest(whole[first:last])
            assert digest(case.backward(whole[first:last])) == digest(gradient[first:last])
            first = last


def test_any_chunks() -> None:
    array = pytest.importorskip("dask.array")
    choose = random.Random(0)
    for case in cases()[1::7]:
        if case.variant.dialect.startswith("opencv") and case.dtype == "uint8":
            continue  # rejected: these integers depend on where a row ends
        chunks = tuple(choose.randint(1, n) for n in SHAPE)
        whole = case.forward(case.x)
        lazy = case.variant.resize(array.from_array(case.x, chunks=chunks), case.size)
        assert digest(lazy.compute()) == digest(whole), f"{case.name} in chunks of {chunks}"
        dy = whole.astype(np.float32)
        pieces = tuple(choose.randint(1, n) for n in dy.shape)
        lazy = case.variant.grad(array.from_array(dy, chunks=pieces), SHAPE[1:3])
        assert digest(lazy.compute()) == digest(case.backward(dy)), f"{case.name} backwards in chunks of {pieces}"


def table_elsewhere(queue: multiprocessing.SimpleQueue) -> None:
    queue.put({case.name: case.hashes(2) for case in cases()[::5]})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_same_in_a_forked_process() -> None:
    here = {case.name: case.hashes(2) for case in cases()[::5]}
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=table_elsewhere, args=(queue,))
    child.start()
    assert queue.get() == here
    child.join()


def test_the_same_in_a_new_process() -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    done = subprocess.run([sys.executable, determinism.__file__], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {case.name: case.hashes() for case in cases()}


def test_control_one_bit_of_one_pixel_is_seen() -> None:
    case = cases()[0]
    x = case.x.copy()
    x[0, 30, 23, 1] = np.nextafter(x[0, 30, 23, 1], np.float32(9))
    assert digest(x) != digest(case.x)
    assert case.x.dtype == np.float32
    y = case.forward(case.x)
    z = y.copy()
    z[1, 2, 3, 0] = np.nextafter(z[1, 2, 3, 0], np.float32(9))
    assert digest(case.backward(z)) != digest(case.backward(y))


def test_the_table_holds_every_case_of_this_kind_of_machine() -> None:
    tables = json.loads(determinism.STORED.read_text(encoding="utf-8"))
    for place in (determinism.EVERYWHERE, determinism.machine()):
        names = {case.name for case in cases() if case.machine == place}
        assert place not in tables or tables[place].keys() == names, "run python tests/determinism.py --write"
    assert len(tables[determinism.EVERYWHERE]) > 40
