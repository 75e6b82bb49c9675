"""Plans of absurd ratios take bounded time and memory, and never more memory than was asked for before."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import pytest
from samples import sample

LONG = 100_000
RATIOS = [(1, LONG), (LONG, 2), (LONG, LONG - 1)]
SLACK = 2 << 20  # bytes of what does not grow with the axis


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
    command = [sys.executable, "-c", MEASURE, *map(str, sizes), method]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    seconds, peak = map(float, done.stdout.split())
    assert seconds < 10
    assert peak < 3 << 30
