"""Code that tests run in a new Python process."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def run_in_subprocess(code: str, *arguments: str, timeout: int = 300) -> str:
    """Return the output of code in a new Python process, where nothing is imported yet, and which must succeed."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
