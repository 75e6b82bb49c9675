"""Peers in processes of their own: TF.js in node, where it is, and a sentence about each that is not there."""

from __future__ import annotations

from dataclasses import replace

from benchmarks import elsewhere
from sizewise.racing import race


def test_tfjs_gives_our_pixels_or_is_said_to_be_missing(tmp_path):
    small = [replace(case, shape=(1, 6, 6, 3), size=(9, 9)) for case in elsewhere.TFJS_CASES]
    with elsewhere.peers(tmp_path) as (found, notes):
        rows = [race.run_case(case, found, rounds=2) for case in small]
        other = race.run_case(replace(small[0], dialect="standard"), found, rounds=1)
    missing = any(note.startswith("TF.js is left out") for note in notes)
    for row in rows:
        assert [entry.name for entry in row.peers] == ([] if missing else ["TF.js"])
        assert (row.refusals, row.unable) == ((), ())
    assert other.peers == ()


def test_environments_that_are_not_there_are_named(tmp_path):
    with elsewhere.peers(tmp_path) as (_, notes):
        assert [note.split(" is left out")[0] for note in notes][:2] == ["pillow-simd", "pyvips"]
        assert not any(str(tmp_path) in note for note in notes)


def test_the_cases_of_tfjs_are_for_tfjs():
    assert {case.dialect for case in elsewhere.TFJS_CASES} == {"tfjs"}
