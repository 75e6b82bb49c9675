"""Fixtures that run the command, in this process or in another."""

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
    """Set 80 columns, and remove color settings of the environment."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM", "PYTHONIOENCODING", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def command(capsys):
    """Return `command("explain", ...)`, which returns the exit code, stdout and stderr."""

    def call(*arguments):
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def process():
    """Return `process(*python_arguments)`, which runs Python from the project's root."""

    def call(*arguments, **settings):
        path = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks" / "src")])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **settings}
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, encoding="utf-8", env=environment, cwd=ROOT, timeout=60
        )

    return call
