"""The kernels run as Python give the bits of the compiled ones, and every line of them is reached: interpreted.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import interpreted
import pytest
from hashes import digest

TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def by_python() -> dict:
    variables = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}", "NUMBA_DISABLE_JIT": "1"}
    script = str(TESTS / "interpreted.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=variables, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_the_same_bits_as_compiled(by_python: dict) -> None:
    compiled = {name: digest(result) for name, result in interpreted.cases()}
    assert by_python["hashes"].keys() == compiled.keys()
    wrong = [name for name, hashed in compiled.items() if by_python["hashes"][name] != hashed]
    assert wrong == []


def test_every_line_of_every_kernel_is_reached(by_python: dict) -> None:
    assert by_python["missed"] == []


def test_control_lines_are_counted() -> None:
    from sizewise.kernels import direct

    lines = interpreted.lines_of(Path(direct.__file__))
    assert len(lines) > 60
    assert any("add_product" in words for words in lines.values())
