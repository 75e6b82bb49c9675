"""A peer in a worker process: the same results through a pipe."""

from __future__ import annotations

import io
import json
import sys

import pytest

from sizewise.errors import SizewiseError
from sizewise_bench import runner, subprocess_worker
from sizewise_bench.cases import Case

TINY = Case((1, 12, 10, 3), (6, 5), "bilinear", antialias=True)


def test_a_peer_in_another_process_is_checked_and_timed():
    peer, worker = subprocess_worker.start_peer(sys.executable, "torch")
    try:
        row = runner.run_case(TINY, [peer], rounds=2)
        unsupported = runner.run_case(Case((1, 8, 8, 3), (4, 4), "lanczos3", antialias=True), [peer], rounds=2)
    finally:
        worker.close()
    [timing] = row.peers
    assert (timing.name, timing.rounds, row.mismatches) == ("PyTorch", 2, ())
    assert timing.difference < 1e-6
    assert unsupported.peers == ()
    assert worker.process.returncode == 0


def test_an_unknown_peer_is_an_error_and_leaves_no_process(monkeypatch):
    workers = []

    class Worker(subprocess_worker.Worker):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            workers.append(self)

    monkeypatch.setattr(subprocess_worker, "Worker", Worker)
    with pytest.raises(SizewiseError, match=r"No module named 'sizewise_bench\.peers\.missing'"):
        subprocess_worker.start_peer(sys.executable, "missing")
    assert [worker.process.returncode for worker in workers] == [0]


def test_a_worker_that_ends_is_an_error():
    with pytest.raises(SizewiseError, match="the process ended"):
        subprocess_worker.Worker([sys.executable, "-c", "pass"]).ask("version")


def test_errors_are_answers():
    answers = io.StringIO()
    subprocess_worker.serve("torch", io.StringIO('{"call": "time_once"}\n{"call": "dance"}\n'), answers)
    assert ["error" in json.loads(line) for line in answers.getvalue().splitlines()] == [True, True]
