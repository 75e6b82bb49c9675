"""The promises hold with every index checked, and without Numba; and the switch that checks indices does check them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

# Promises about memory and numbers, of the dialect whose methods lead to every kernel of floats; those of half
# precision and of outputs outside the image whole.
PROMISES = [
    "test_strides.py", "test_tiles.py", "test_plan_tiles.py", "test_outside.py", "test_half.py", "test_nonfinite.py",
    "test_identity.py", "test_gather.py", "test_empty.py",
]  # fmt: skip
SOME = "standard or test_outside or test_half"


def pytest_with(switch: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    silent = ["-W", "ignore::sizewise.errors.SizewiseWarning"]
    variables = {**os.environ, **switch}
    variables.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.run(
        [*command, *silent], capture_output=True, text=True, env=variables, cwd=TESTS.parent, timeout=1800
    )


@pytest.mark.parametrize("switch", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_promises_hold(switch: str) -> None:
    files = [str(TESTS / "promises" / name) for name in PROMISES]
    done = pytest_with({switch: "1"}, "-k", SOME, *files)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="page protection is asked for as Linux does it")
def test_every_kernel_keeps_to_its_arrays() -> None:
    variables = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    command = [sys.executable, str(TESTS / "guarded.py"), "3", "300"]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=1800)
    assert (done.returncode, done.stdout) == (0, "300 cases\n"), done.stderr[-2000:]


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
            variables["PYTHONPATH"] = str(TESTS.parent)
            code = INDICES if switch else INDICES.replace("(plain, (0, 15), (-1, 16))", "(plain, (0, 15), (16,))")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables)
            assert (done.returncode, done.stdout) == (0, expected), done.stderr
