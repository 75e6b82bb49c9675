"""Measurements of `make bench` in new processes: each part runs and returns values."""

from __future__ import annotations

import pytest

from benchmarks import cores, memory, process


def test_the_time_of_a_call() -> None:
    whole, kernel, plan = process._call(repeats=2, loops=3)["microseconds"]
    assert len(whole) == len(kernel) == len(plan) == 2
    assert all(0 < value < 1e6 for value in (*whole, *kernel, *plan))


def test_the_time_of_a_plan() -> None:
    found = process._plans(repeats=1, loops=3)
    assert "standard lanczos3" in found["milliseconds"]
    assert all(value > 0 for values in found["milliseconds"].values() for value in values)


def test_the_cost_of_pixels() -> None:
    curves = process._sizes(1, visits=2, max_side=128)
    assert set(curves) == {"Sizewise", "PyTorch NCHW", "OpenCV area"}
    assert all([side for side, _ in points] == [64, 128] for points in curves.values())
    assert all(0 < seconds < 1 for points in curves.values() for _, seconds in points)


def test_the_cost_by_threads() -> None:
    curves = process._threads(1, rounds=1)
    assert {"Sizewise", "Sizewise gradient", "PyTorch NCHW"} <= set(curves)
    assert all(len(points) == 1 and points[0][0] == 1 and points[0][1] > 0 for points in curves.values())


def test_gain_of_a_second_thread() -> None:
    assert -1 < cores.second_thread_gain() < 3
    assert "0.25 to 1.00 of the work of the first, 0.50 in the median" in cores.summary([1.0, 0.25, 0.5])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_speed_of_memory(threads: int) -> None:
    fill = memory.Fill(threads)
    before = [next(fill._parts) for _ in range(memory._BLOCKS)]
    assert all(0 < fill.seconds() < 10 for _ in before)
    assert all((part != 1).all() for parts in before for part in parts)
    assert "16.8 MB with one value took 1.00 ms in the median, 0.50 at best" in memory.summary([1e-3, 2e-3, 5e-4])
