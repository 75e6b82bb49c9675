"""Fixtures that tests of several backends use."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def fresh() -> Callable[[str], None]:
    """Return a function that runs code in a new Python process, where nothing is imported or compiled yet."""

    def run(code: str) -> None:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]

    return run
