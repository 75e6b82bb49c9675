"""Running the command: in this process, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sizewise.cli.app import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    """80 columns, and no wish about colour from whoever runs the tests."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM", "PYTHONIOENCODING", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def command(capsys):
    """`command("explain", ...)`: the exit code, stdout and stderr."""

    def call(*arguments):
        code = run([str(word) for word in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def process():
    """`process(*python_arguments)`: the same as a process, run from the project's root."""

    def call(*arguments, **settings):
        path = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks" / "src")])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **settings}
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, encoding="utf-8", env=environment, cwd=ROOT, timeout=60
        )

    return call
