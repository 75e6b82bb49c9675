"""What `make bench` measures in processes of its own: each part runs, and gives numbers."""

from __future__ import annotations

from benchmarks import process


def test_the_time_of_a_call() -> None:
    whole, kernel, plan = process._call(repeats=2, loops=3)["microseconds"]
    assert len(whole) == len(kernel) == len(plan) == 2
    assert all(0 < value < 1e6 for value in (*whole, *kernel, *plan))


def test_the_time_of_a_plan() -> None:
    found = process._plans(repeats=1, loops=3)
    assert "standard lanczos3" in found["milliseconds"]
    assert all(value > 0 for values in found["milliseconds"].values() for value in values)
