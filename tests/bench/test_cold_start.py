"""Cold starts of `make bench`: the program of each library runs, and slow ones leave early."""

from __future__ import annotations

import pytest

from benchmarks import cold_start


def test_every_installed_library_resizes_in_a_new_process() -> None:
    with cold_start.installed_copy() as environment:
        runs = cold_start.measure(1, environment)
    assert {"Sizewise", "OpenCV", "OpenCV area", "Pillow", "PyTorch", "JAX", "TensorFlow", "scikit-image"} <= set(runs)
    assert all(0 < run.wall < 600 and run.cpu > 0 and run.peak > 5 for taken in runs.values() for run in taken)
    assert runs["Sizewise"][0].wall > runs[cold_start.BASELINE][0].wall


def test_slow_libraries_leave_early(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = {"Sizewise": "", "fast": "", "slow": "import time; time.sleep(1.5)"}
    monkeypatch.setattr(cold_start, "programs", lambda: programs)
    monkeypatch.setattr(cold_start, "EARLY_EXIT_ROUNDS", 1)
    monkeypatch.setattr(cold_start, "EARLY_EXIT_RATIO", 3.0)
    with cold_start.installed_copy() as environment:
        runs = cold_start.measure(2, environment)
    assert {name: len(taken) for name, taken in runs.items()} == {"Sizewise": 2, "fast": 2, "slow": 1}


def test_control_a_program_that_fails_or_writes_is_found() -> None:
    with cold_start.installed_copy() as environment, pytest.raises(RuntimeError, match=r"(?s)exit code 1.*a reason"):
        cold_start.run("raise ValueError('a reason')", environment)
    with pytest.raises(AssertionError, match="home folder"), cold_start.installed_copy() as environment:
        cold_start.run("open('left', 'w')", environment)
