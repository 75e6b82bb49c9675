"""Peers in worker processes: TF.js in node, if it is installed, and a note for each missing one."""

from __future__ import annotations

from dataclasses import replace

from benchmarks import subprocess_peers
from sizewise_bench.runner import run_case


def test_tfjs_gives_the_same_pixels_or_is_noted_as_missing(tmp_path):
    small = [replace(case, shape=(1, 6, 6, 3), size=(9, 9)) for case in subprocess_peers.TFJS_CASES]
    with subprocess_peers.start(tmp_path) as (found, notes):
        rows = [run_case(case, found, rounds=2) for case in small]
        other = run_case(replace(small[0], dialect="standard"), found, rounds=1)
    missing = any(note.startswith("TF.js is left out") for note in notes)
    for row in rows:
        assert [timing.name for timing in row.peers] == ([] if missing else ["TF.js"])
        assert (row.mismatches, row.errors) == ((), ())
    assert other.peers == ()


def test_missing_environments_are_named(tmp_path):
    with subprocess_peers.start(tmp_path) as (_, notes):
        assert [note.split(" is left out")[0] for note in notes][:2] == ["pillow-simd", "pyvips"]
        assert not any(str(tmp_path) in note for note in notes)


def test_the_cases_of_tfjs_are_for_tfjs():
    assert {case.dialect for case in subprocess_peers.TFJS_CASES} == {"tfjs"}
