"""The switch that checks every index of the kernels does check them: `make switches` runs the promises with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

INDICES = """
import numpy as np
from sizewise.kernels import loops, vectors
from sizewise.kernels.compiling import kernel

@kernel
def read(x, i):
    return vectors.any_nan(vectors.load(x, i, vectors.zero(x[0])))

@kernel
def write(x, i):
    vectors.store(x, i, vectors.zero1(x[0]))

@kernel
def plain(x, i):
    return x[np.uint64(i)]

room = np.zeros(64, np.float32)
x = room[16:32]
for function, inside, outside in ((read, (0, 8), (-1, 9)), (write, (0, 15), (-1, 16)), (plain, (0, 15), (-1, 16))):
    for i in inside:
        function(x, i)
    for i in outside:
        try:
            function(x, i)
            print("unseen", end=" ")
        except IndexError:
            print("seen", end=" ")
"""


def test_control_indices_are_checked_with_the_switch_and_not_without(tmp_path: Path) -> None:
    """Both in one folder of machine code: neither may find what the other has made."""
    for _ in range(2):
        for switch, expected in ({"NUMBA_BOUNDSCHECK": "1"}, "seen " * 6), ({}, "unseen " * 5):
            variables = {**os.environ, "SIZEWISE_CACHE": str(tmp_path), **switch}
            variables["PYTHONPATH"] = str(ROOT)
            code = INDICES if switch else INDICES.replace("(plain, (0, 15), (-1, 16))", "(plain, (0, 15), (16,))")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables)
            assert (done.returncode, done.stdout) == (0, expected), done.stderr
