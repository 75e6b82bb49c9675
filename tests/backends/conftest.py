"""What tests of backends share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def fresh() -> Callable[[str], None]:
    """Runs code in a Python of its own, where nothing was imported or compiled before."""

    def run(code: str) -> None:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]

    return run
