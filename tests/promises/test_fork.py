"""Child processes, forked or spawned after the parent used its threads, resize with threads and get the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SETUP = """
import multiprocessing, os, sys, warnings
import numpy as np
import sizewise as sw
warnings.simplefilter("ignore", DeprecationWarning)  # Python's own warning of fork with threads is the very case
x = np.random.default_rng(0).standard_normal((2, 400, 300, 3)).astype(np.float32)

def both():
    y = sw.resize(x, (500, 350), threads=2)
    return y.tobytes() + sw.resize_grad(y, (400, 300), threads=2).tobytes()
"""

FORK = """
expected = both()
child = os.fork()
if child == 0:
    os._exit(0 if both() == expected else 3)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) or (0 if both() == expected else 4))
"""

SPAWN = """
if __name__ == "__main__":
    expected = sw.resize(x, (500, 350), threads=2)
    plan = sw.make_plan((400, 300), (500, 350))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(sw.resize, (x, (500, 350)), {"threads": 2}).tobytes() == expected.tobytes()
        assert pool.apply(plan, (x,)).tobytes() == expected.tobytes()
"""

CONTROL = """
expected = both()
x = x + np.float32(1e-3)
sys.exit(0 if both() == expected else 3)
"""


def exit_code(code: str) -> int:
    """The exit code of a fresh Python that runs the code; a hang fails, it does not hang the tests."""
    done = subprocess.run([sys.executable, "-c", SETUP + code], capture_output=True, text=True, timeout=120)
    assert done.stderr == "", done.stderr
    return done.returncode


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork() -> None:
    assert exit_code(FORK) == 0


def test_spawn() -> None:
    assert exit_code(SPAWN) == 0


def test_control_other_bits_are_seen() -> None:
    assert exit_code(CONTROL) == 3
