"""Plans of absurd ratios take bounded time and memory, and never more memory than was asked for before."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from itertools import product

import pytest
from samples import sample

import sizewise as sw
from sizewise import memory_limits, plan, sampling, taps
from sizewise.errors import ArgumentError

LONG = 100_000
RATIOS = [(1, LONG), (LONG, 2), (LONG, LONG - 1)]
SLACK = 2 << 20  # bytes of what does not grow with the axis


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The bytes that were asked for, each time."""
    found: list[int] = []

    def require_memory(n_bytes: int, what: str, *words: object) -> None:
        found.append(n_bytes)
        memory_limits.require_memory(n_bytes, what, *words)

    for module in (plan, sampling, taps):
        monkeypatch.setattr(module, "require_memory", require_memory)
    gc.collect()  # once: it takes its time in a process that has imported every framework
    tracemalloc.start()
    yield found
    tracemalloc.stop()


@pytest.mark.parametrize("dialect", sw.dialects.names())
def test_what_is_asked_for_is_enough(dialect: str, asked: list[int]) -> None:
    every = ((method, one) for method, flags in sw.dialects.get(dialect).methods.items() for one in flags)
    for method, antialias in sample(every, 3, dialect):
        for n_in, n_out in RATIOS:
            sw.clear_cache()
            asked.clear()
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            made = sw.make_plan((n_in,), (n_out,), method, antialias=antialias, dialect=dialect)
            peak = tracemalloc.get_traced_memory()[1] - before
            where = f"{dialect} {method} {antialias} {n_in} -> {n_out}: {peak / LONG:.0f} bytes for each pixel"
            assert peak <= max(asked) + SLACK, where
            asked.clear()
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            made.T
            assert tracemalloc.get_traced_memory()[1] - before <= max(asked) + SLACK, where


MEASURE = """
import sys, time, sizewise as sw
n_in, n_out, method = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
begin = time.process_time()
plan = sw.make_plan((n_in,), (n_out,), method)
plan.T
seconds = time.process_time() - begin
with open("/proc/self/status") as lines:  # getrusage would tell of the parent's memory, where that was more
    peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
sys.stdout.write(f"{seconds} {peak}")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak of a process as Linux tells it")
@pytest.mark.parametrize(
    ("sizes", "method"), sample(product([(1, 10**7), (10**7, 1)], ["nearest", "bilinear", "lanczos5"]), 2), ids=str
)
def test_ten_million_times(sizes: tuple[int, int], method: str) -> None:
    words = [sys.executable, "-c", MEASURE, *map(str, sizes), method]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600)
    seconds, peak = map(float, done.stdout.split())
    assert seconds < 10
    assert peak < 3 << 30


def test_a_thousand_million_times_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limits, "physical_memory", lambda: 2**34)
    begin = time.process_time()
    for sizes in ((1, 2**31 - 1), (2**31 - 1, 1)):
        with pytest.raises(ArgumentError, match=r"[0-9,]{12,} bytes"):
            sw.make_plan(sizes[:1], sizes[1:], "lanczos5")
    assert sw.index_map(2**31 - 1, 3).tolist() == [357913941, 1073741823, 1789569705]
    assert time.process_time() - begin < 1
