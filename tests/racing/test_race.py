"""The race: equality before timing, everyone in turns, and the facts that come out. Nothing here is said of times."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from racing.made_up import peer, raising

from sizewise.racing import machine, ours, peers, race
from sizewise.racing.cases import Case

TINY = Case((1, 12, 10, 3), (6, 5), "bilinear", antialias=True)


def median_ratio(one, other):
    return sorted(mine / theirs for mine, theirs in zip(one.times, other.times, strict=True))[1]  # of three rounds


def run(*entered, case=TINY, rounds=3, **words):
    return race.run_case(case, entered, rounds=rounds, **words)


@pytest.mark.parametrize("gradient", [False, True], ids=["forward", "gradient"])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize(("method", "antialias"), [("nearest", False), ("bilinear", False), ("bicubic", True)])
def test_pytorch_gives_our_pixels_and_is_timed(method, antialias, layout, gradient):
    case = Case((2, 12, 10, 3), (6, 15), method, antialias, gradient, layout=layout)
    row = run(peers.load("pytorch"), case=case)
    names = ["PyTorch NCHW"] if layout == "NCHW" else ["PyTorch NCHW", "PyTorch channels_last"]
    assert (row.refusals, row.unable) == ((), ())
    assert [entry.name for entry in row.entries] == [ours.NAME, ours.INTO, ours.COPY, *names]
    assert {entry.rounds for entry in row.entries} == {3}
    assert all(entry.same and entry.difference < 1e-6 for entry in row.peers)
    assert all(0 < entry.minimum <= entry.median for entry in row.entries)
    assert row.best is row.peers[0]
    assert row.ahead == median_ratio(row.best, row[ours.NAME])
    assert row.of_limit == median_ratio(row[ours.INTO], row[ours.COPY])


def test_a_dialect_of_floats_is_for_its_own_library():
    assert run(peers.load("pytorch"), case=Case((1, 8, 8, 3), (4, 4), "bilinear", dialect="tfjs")).peers == ()


def test_a_peer_with_other_pixels_is_refused_and_not_timed():
    row = run(peer("Wrong", shift=0.5), peer("Right"))
    assert [entry.name for entry in row.peers] == ["Right"]
    [refusal] = row.refusals
    assert (refusal.name, refusal.tolerance) == ("Wrong", 1e-4)
    assert "Wrong differs from Sizewise by 0.62" in str(refusal)
    assert race.Race(machine.here([]), 3, (row,)).refusals == (refusal,)


def test_a_pixel_that_is_no_number_is_refused():
    assert run(peer("Wrong", shift=np.nan)).refusals


def test_a_peer_that_is_known_to_differ_is_timed_and_marked():
    row = run(peer("Other", shift=0.5, same=False))
    [entry] = row.peers
    assert (entry.same, entry.rounds, row.refusals) == (False, 3, ())
    assert entry.difference > 0.4


def test_bytes_must_be_equal_to_the_last_one():
    case = Case((1, 12, 10, 3), (6, 5), "bilinear", antialias=True, dtype="uint8")
    assert run(peer("Right"), case=case).refusals == ()
    assert run(peer("Wrong", shift=1), case=case).refusals


def test_a_peer_that_raises_is_left_out_and_named():
    row = run(raising(), peer("Right"))
    assert row.unable == ("Raising: NotImplementedError: no such op",)
    assert [entry.name for entry in row.peers] == ["Right"]


def test_a_peer_that_cannot_even_enter_is_named():
    def enter(case, source, threads):
        raise RuntimeError("too late to set threads")

    row = run(peers.Peer("Late", "1.0", enter), peer("Right"))
    assert row.unable == ("Late: RuntimeError: too late to set threads",)
    assert race.Race(machine.here([]), 3, (row, row)).unable == row.unable


def test_a_peer_far_behind_leaves_early_and_says_so():
    row = run(peer("Quick"), peer("Slow", pause=0.02), rounds=7)
    assert {entry.name: entry.rounds for entry in row.peers} == {"Quick": 7, "Slow": race.FEW}
    assert {row[name].rounds for name in (ours.NAME, ours.INTO, ours.COPY)} == {7}


def test_everyone_takes_turns():
    order = []

    def noted(name):
        def lap():
            order.append(name)
            return 1.0

        return race.Entrant(name, lap, lambda: np.zeros(1))

    times = race.timed([noted("a"), noted("b")], 64, always=2)
    assert times == [[1.0] * 64, [1.0] * 64]
    turns = order[2:]  # after one lap each to find out how long it takes
    assert [sorted(turns[i : i + 2]) for i in range(0, 128, 2)] == [["a", "b"]] * 64
    assert len(set(turns[::2])) == 2  # not always the same one first


def test_short_laps_are_repeated_and_averaged():
    laps = iter([1e-5, 1e-5, *[1e-5, 3e-5] * 10])
    [times] = race.timed([race.Entrant("a", lambda: next(laps), lambda: np.zeros(1))], 1, always=1)
    assert times == [pytest.approx(2e-5)]


@pytest.mark.parametrize(("dtype", "name"), [("float64", ours.SINGLE), ("float16", ours.SINGLE)])
def test_other_floats_are_timed_beside_float32(dtype, name):
    assert run(case=Case((1, 12, 10, 3), (6, 5), "bilinear", dtype=dtype))[name].rounds == 3


def test_results_of_another_shape_are_infinitely_far():
    assert race.distance(np.zeros((2, 3)), np.zeros((3, 2))) == float("inf")


def test_a_whole_race_reports_each_row_and_keeps_the_notes():
    heard = []
    cases = [TINY, Case((1, 12, 10, 3), (6, 5), "bilinear")]
    here = machine.here([peer()], threads=1)
    facts = race.run(cases, [peer()], here, rounds=2, threads=1, notes=["a note"], done=heard.append)
    assert tuple(heard) == facts.rows
    assert [row.case for row in facts.rows] == cases
    assert facts.notes == ("a note",)
    assert ("Copycat", "1.0") in facts.machine.versions
    assert facts.machine.threads == 1


def test_rounds_are_compared_with_themselves():
    own = race.Entry("own", (1.0, 1.0, 5.0, 5.0, 5.0))
    assert race.Entry("other", (2.0, 2.0, 2.0, 10.0, 10.0)).over(own) == 2.0
    assert race.Entry("gone", (4.0, 4.0)).over(own) == 0.8  # who left early, by the medians


def test_several_races_are_one():
    here = machine.here([], threads=1)
    first = race.run([TINY], [peer(), raising()], here, rounds=2, threads=1, notes=["a note"])
    second = race.run([TINY], [peer(), peer("Late"), raising()], here, rounds=3, threads=1, notes=["a note"])
    whole = race.together([first, second])
    [row] = whole.rows
    assert whole.rounds == 5 and whole.notes == ("a note",) and len(row.unable) == 1
    assert {entry.name: entry.rounds for entry in row.entries} == {
        "Sizewise": 5, "Sizewise out=": 5, "copy": 5, "Copycat": 5, "Late": 3,
    }  # fmt: skip
    assert row["Copycat"].times == first.rows[0]["Copycat"].times + second.rows[0]["Copycat"].times
    wrong = race.run([TINY], [peer("Wrong", shift=0.5)], here, rounds=1, threads=1)
    assert len(race.together([first, wrong, wrong]).refusals) == 1


def test_peers_that_are_missing_or_broken_are_named(monkeypatch):
    monkeypatch.setattr(peers, "names", lambda: ("pillow", "pytorch", "scikit_image"))
    monkeypatch.setattr(peers, "find_spec", lambda package: None if package == "PIL" else importlib.util)

    def load(name):
        if name == "scikit_image":
            raise OSError("a shared library is missing")
        return peer("PyTorch")

    monkeypatch.setattr(peers, "load", load)
    found, notes = peers.found()
    assert [one.name for one in found] == ["PyTorch"]
    assert notes == [
        "scikit-image is installed but does not work: OSError: a shared library is missing",
        "Not installed here: Pillow.",
    ]
    assert "Not installed here: Pillow." not in peers.found(["Pillow"])[1]
