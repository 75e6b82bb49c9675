"""The kernels read and write nothing outside their arrays: see guard_pages.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from recording import Record
from samples import fewer

from sizewise import _core

SCRIPT = Path(__file__).parent / "guard_pages.py"
KERNELS = {
    "vertical_only", "horizontal_only", "vertical_first", "horizontal_first", "fused_2x2", "nearest",
    "vertical_first_verified", "horizontal_first_verified", "fixed_point", "fixed_point_2x2", "fixed_point_pairs",
}  # fmt: skip
SHUFFLED = {"fixed_point_shuffled", "fixed_point_pairs_shuffled"}
IN_NUMPY = {
    "vertical_only", "horizontal_only", "vertical_first", "horizontal_first", "fused_2x2", "nearest", "fixed_point",
}  # fmt: skip

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="calls mprotect with Linux constants")


@LINUX
def test_kernels_touch_nothing_outside_the_arrays(record_property: Record) -> None:
    runs: Counter[str] = Counter()
    for seed in (1, 2):
        command = [sys.executable, str(SCRIPT), str(seed), str(fewer(600, 2))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, f"seed {seed}, exit {done.returncode}: {done.stderr[-2000:]}"
        report = json.loads(done.stdout)
        assert (report["cases"], report["isa"]) == (fewer(600, 2), _core.core_info().isa)
        runs.update(report["runs"])
    record_property("kernel runs between guard pages", runs.total())
    expected = KERNELS | (SHUFFLED if _core.has_byte_shuffle() else set())
    assert runs.keys() == (IN_NUMPY if _core.native() is None else expected)


@LINUX
def test_control_one_element_too_far_is_seen() -> None:
    code = """
import numpy as np, guard_pages
array = guard_pages.GuardedArray((5,), np.dtype(np.float32), at_end=True).array
np.lib.stride_tricks.as_strided(array, (6,), (4,)).sum()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=SCRIPT.parent, capture_output=True, check=False)
    assert done.returncode < 0  # ended by a signal
