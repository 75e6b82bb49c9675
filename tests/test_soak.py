"""The soak of soak.py for a few seconds; `make soak MINUTES=30` runs it for long."""

from __future__ import annotations

import pytest
import soak
from recording import Record


def test_a_short_soak_without_an_error(record_property: Record) -> None:
    one = soak.Soak(4)
    one.run()
    assert one.errors == []
    assert one.counts["calls"] > 100
    assert min(one.settled) > 0
    record_property("calls from 8 threads", one.counts["calls"])


def test_control_an_error_in_one_thread_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(choose: object, done: object) -> None:
        raise AssertionError("other bits")

    monkeypatch.setattr(soak, "largest", wrong)
    monkeypatch.setattr(soak, "known_case", wrong)
    one = soak.Soak(60)
    one.run()
    assert one.errors[0] == "AssertionError: other bits"
    assert len(one.memory) < 60  # it did not go on


def test_control_growth_is_seen() -> None:
    one = soak.Soak(0)
    one.memory = [100] * 25 + [200] * 50 + [220] * 25
    before, after = one.settled
    assert (before, after) == (200, 220)
