"""The runner: equality before timing, turns, and results. Nothing is asserted about the times themselves."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from bench.made_up_peers import made_up_peer, raising_peer

from sizewise_bench import ours, peers, runner
from sizewise_bench.cases import Case
from sizewise_bench.machine import this_machine

TINY = Case((1, 12, 10, 3), (6, 5), "bilinear", antialias=True)


def median_ratio(one, other):
    return sorted(mine / theirs for mine, theirs in zip(one.times, other.times, strict=True))[1]  # of three rounds


def run(*entered, case=TINY, rounds=3, **arguments):
    return runner.run_case(case, entered, rounds=rounds, **arguments)


@pytest.mark.parametrize("gradient", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize(("method", "antialias"), [("nearest", False), ("bilinear", False), ("bicubic", True)])
def test_pytorch_gives_the_same_pixels_and_is_timed(method, antialias, layout, gradient):
    case = Case((2, 12, 10, 3), (6, 15), method, antialias, gradient, layout=layout)
    row = run(peers.load("torch"), case=case)
    names = ["PyTorch NCHW"] if layout == "NCHW" else ["PyTorch NCHW", "PyTorch channels_last"]
    assert (row.mismatches, row.errors) == ((), ())
    assert [timing.name for timing in row.timings] == [ours.NAME, ours.OUT, ours.COPY, *names]
    assert {timing.rounds for timing in row.timings} == {3}
    assert all(timing.same_pixels and timing.difference < 1e-6 for timing in row.peers)
    assert all(0 < timing.minimum <= timing.median for timing in row.timings)
    assert row.best_peer is row.peers[0]
    assert row.speedup == median_ratio(row.best_peer, row[ours.NAME])
    assert row.copy_ratio == median_ratio(row[ours.OUT], row[ours.COPY])


def test_a_float_dialect_is_for_its_own_library():
    assert run(peers.load("torch"), case=Case((1, 8, 8, 3), (4, 4), "bilinear", dialect="tfjs")).peers == ()


def test_a_peer_with_wrong_pixels_is_a_mismatch_and_not_timed():
    row = run(made_up_peer("Wrong", shift=0.5), made_up_peer("Right"))
    assert [timing.name for timing in row.peers] == ["Right"]
    [mismatch] = row.mismatches
    assert (mismatch.name, mismatch.tolerance) == ("Wrong", 1e-4)
    assert "Wrong differs from Sizewise by 0.62" in str(mismatch)
    assert runner.Results(this_machine([]), 3, (row,)).mismatches == (mismatch,)


def test_nan_is_a_mismatch():
    assert run(made_up_peer("Wrong", shift=np.nan)).mismatches


def test_a_peer_that_is_known_to_differ_is_timed_and_marked():
    row = run(made_up_peer("Other", shift=0.5, same_pixels=False))
    [timing] = row.peers
    assert (timing.same_pixels, timing.rounds, row.mismatches) == (False, 3, ())
    assert timing.difference > 0.4


def test_uint8_must_be_equal():
    case = Case((1, 12, 10, 3), (6, 5), "bilinear", antialias=True, dtype="uint8")
    assert run(made_up_peer("Right"), case=case).mismatches == ()
    assert run(made_up_peer("Wrong", shift=1), case=case).mismatches


def test_a_peer_that_raises_is_left_out_and_named():
    row = run(raising_peer(), made_up_peer("Right"))
    assert row.errors == ("Raising: NotImplementedError: no such op",)
    assert [timing.name for timing in row.peers] == ["Right"]


def test_a_peer_that_raises_before_the_call_is_named():
    def contenders(case, source, threads):
        raise RuntimeError("too late to set threads")

    row = run(peers.Peer("Late", "1.0", contenders), made_up_peer("Right"))
    assert row.errors == ("Late: RuntimeError: too late to set threads",)
    assert runner.Results(this_machine([]), 3, (row, row)).errors == row.errors


def test_a_slow_peer_stops_early():
    row = run(made_up_peer("Quick"), made_up_peer("Slow", pause=0.02), rounds=7)
    assert {timing.name: timing.rounds for timing in row.peers} == {"Quick": 7, "Slow": runner.EARLY_EXIT_ROUNDS}
    assert {row[name].rounds for name in (ours.NAME, ours.OUT, ours.COPY)} == {7}


def test_contenders_are_timed_in_turns():
    order = []

    def recording(name):
        def time_once():
            order.append(name)
            return 1.0

        return runner.Contender(name, time_once, lambda: np.zeros(1))

    times = runner.time_in_turns([recording("a"), recording("b")], 64, always=2)
    assert times == [[1.0] * 64, [1.0] * 64]
    turns = order[2:]  # after one call each to choose the number of repeats
    assert [sorted(turns[i : i + 2]) for i in range(0, 128, 2)] == [["a", "b"]] * 64
    assert len(set(turns[::2])) == 2  # the order varies


def test_short_calls_are_repeated_and_averaged():
    seconds = iter([1e-5, 1e-5, *[1e-5, 3e-5] * 10])
    [times] = runner.time_in_turns([runner.Contender("a", lambda: next(seconds), lambda: np.zeros(1))], 1, always=1)
    assert times == [pytest.approx(2e-5)]


@pytest.mark.parametrize(("dtype", "name"), [("float64", ours.FLOAT32), ("float16", ours.FLOAT32)])
def test_other_floats_are_timed_beside_float32(dtype, name):
    assert run(case=Case((1, 12, 10, 3), (6, 5), "bilinear", dtype=dtype))[name].rounds == 3


def test_the_difference_of_another_shape_is_infinite():
    assert runner.relative_difference(np.zeros((2, 3)), np.zeros((3, 2))) == float("inf")


def test_run_cases_reports_each_row_and_keeps_the_notes():
    reported = []
    cases = [TINY, Case((1, 12, 10, 3), (6, 5), "bilinear")]
    peer = made_up_peer()
    here = this_machine([peer], threads=1)
    results = runner.run_cases(cases, [peer], here, rounds=2, threads=1, notes=["a note"], on_row=reported.append)
    assert tuple(reported) == results.rows
    assert [row.case for row in results.rows] == cases
    assert results.notes == ("a note",)
    assert ("Copycat", "1.0") in results.machine.versions
    assert results.machine.threads == 1


def test_ratios_are_taken_within_rounds():
    own = runner.Timing("own", (1.0, 1.0, 5.0, 5.0, 5.0))
    assert runner.Timing("other", (2.0, 2.0, 2.0, 10.0, 10.0)).ratio_to(own) == 2.0
    assert runner.Timing("gone", (4.0, 4.0)).ratio_to(own) == 0.8  # stopped early: the ratio of the medians


def test_runs_are_merged():
    here = this_machine([], threads=1)
    first = runner.run_cases([TINY], [made_up_peer(), raising_peer()], here, rounds=2, threads=1, notes=["a note"])
    second = runner.run_cases(
        [TINY], [made_up_peer(), made_up_peer("Late"), raising_peer()], here, rounds=3, threads=1, notes=["a note"]
    )
    merged = runner.merge_results([first, second])
    [row] = merged.rows
    assert merged.rounds == 5 and merged.notes == ("a note",) and len(row.errors) == 1
    assert {timing.name: timing.rounds for timing in row.timings} == {
        "Sizewise": 5, "Sizewise out=": 5, "copy": 5, "Copycat": 5, "Late": 3,
    }  # fmt: skip
    assert row["Copycat"].times == first.rows[0]["Copycat"].times + second.rows[0]["Copycat"].times
    wrong = runner.run_cases([TINY], [made_up_peer("Wrong", shift=0.5)], here, rounds=1, threads=1)
    assert len(runner.merge_results([first, wrong, wrong]).mismatches) == 1


def test_peers_that_are_missing_or_broken_are_named(monkeypatch):
    monkeypatch.setattr(peers, "names", lambda: ("pillow", "torch", "skimage"))
    monkeypatch.setattr(peers, "find_spec", lambda module: None if module == "PIL" else importlib.util)

    def load(name):
        if name == "skimage":
            raise OSError("a shared library is missing")
        return made_up_peer("PyTorch")

    monkeypatch.setattr(peers, "load", load)
    found, notes = peers.find_installed()
    assert [peer.name for peer in found] == ["PyTorch"]
    assert notes == [
        "scikit-image is installed but does not work: OSError: a shared library is missing",
        "Not installed here: Pillow.",
    ]
    assert "Not installed here: Pillow." not in peers.find_installed(["Pillow"])[1]
