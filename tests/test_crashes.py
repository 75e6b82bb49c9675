"""Inputs that crash other libraries are refused, or resized right: the calls of docs/measurements/reliability.md."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))

import crashes
from crashes import CRASHES, Crash

RIGHT = {
    "pytorch/pytorch#88939": "returns [1.0, 1.0, 1.0, 1.0]",
    "pytorch/pytorch#144643": "returns [0.75, 0.75, 0.25, 0.25, 0.75, 1.0]",
    "[framework-faults.md](../explanation/framework-faults.md)": "returns [[4.0]]",
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of a process")
@pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: crash.report)
def test_inputs_that_crash_other_libraries(crash: Crash) -> None:
    assert crashes.ours(crash).startswith(RIGHT.get(crash.report, "raises ArgumentError: "))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory of a process")
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("import ctypes\nctypes.string_at(0)", "the process dies of SIGSEGV"),
        ("import os\nos.abort()", "the process dies of SIGABRT"),
        ("1 / 0", "raises ZeroDivisionError: division by zero"),
        ("[1, 2]", "returns [1, 2]"),
    ],
)
def test_control_the_outcome_of_a_process_is_reported(code: str, outcome: str) -> None:
    assert crashes.outcome("import sys", code) == outcome


def test_control_a_process_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crashes, "TIMEOUT_SECONDS", 1)
    assert crashes.outcome("import sys", "while True: pass\n1") == "nothing: stopped after 1 s"
