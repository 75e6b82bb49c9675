"""A peer in a process of its own: the same facts through a pipe."""

from __future__ import annotations

import io
import json
import sys

import pytest

from sizewise.errors import SizewiseError
from sizewise.racing import child, race
from sizewise.racing.cases import Case

TINY = Case((1, 12, 10, 3), (6, 5), "bilinear", antialias=True)


def test_a_peer_in_another_process_is_checked_and_timed():
    entered, process = child.peer(sys.executable, "pytorch")
    try:
        row = race.run_case(TINY, [entered], rounds=2)
        outside = race.run_case(Case((1, 8, 8, 3), (4, 4), "lanczos3", antialias=True), [entered], rounds=2)
    finally:
        process.close()
    [entry] = row.peers
    assert (entry.name, entry.rounds, row.refusals) == ("PyTorch", 2, ())
    assert entry.difference < 1e-6
    assert outside.peers == ()
    assert process.process.returncode == 0


def test_an_environment_without_the_peer_is_an_error_in_words():
    with pytest.raises(SizewiseError, match=r"No module named 'sizewise\.racing\.peers\.nobody'"):
        child.peer(sys.executable, "nobody")


def test_a_process_that_ends_is_an_error_in_words():
    with pytest.raises(SizewiseError, match="the process ended"):
        child.Child([sys.executable, "-c", "pass"]).ask("version")


def test_errors_are_answers():
    answers = io.StringIO()
    child.serve("pytorch", io.StringIO('{"call": "lap"}\n{"call": "dance"}\n'), answers)
    assert ["error" in json.loads(line) for line in answers.getvalue().splitlines()] == [True, True]
