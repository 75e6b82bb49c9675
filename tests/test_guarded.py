"""The kernels read and write nothing but their arrays: see guarded.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "guarded.py"


@pytest.mark.skipif(sys.platform != "linux", reason="page protection is asked for as Linux does it")
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_outside_the_arrays_is_touched(seed: int) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(seed), "600"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-2000:]}"
    assert done.stdout == "600 cases\n"


@pytest.mark.skipif(sys.platform != "linux", reason="page protection is asked for as Linux does it")
def test_control_one_number_too_far_is_seen() -> None:
    code = """
import numpy as np, guarded
array = guarded.Guarded((5,), np.dtype(np.float32), at_end=True).array
np.lib.stride_tricks.as_strided(array, (6,), (4,)).sum()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=SCRIPT.parent, capture_output=True, check=False)
    assert done.returncode < 0  # ended by a signal
