"""The table of a race at several widths: nothing is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sizewise.racing import ours
from sizewise.racing.cases import every, quick
from sizewise.racing.machine import Machine
from sizewise.racing.race import Entry, Race, Row
from sizewise.report.race import RaceText

PEERS = ("OpenCV", "TensorFlow", "PyTorch NCHW", "PyTorch channels_last", "resampler", "scikit-image", "JAX")


def race(cases):
    entries = [Entry(ours.NAME, (0.01234,)), Entry(ours.INTO, (0.01,)), Entry(ours.COPY, (0.02,), same=False)]
    entries += [Entry(name, (0.02 * 2**power,), same=power > 0) for power, name in enumerate(PEERS)]
    machine = Machine("a processor", 2, 2, (("Sizewise", "1.0"),))
    return Race(machine, 20, tuple(Row(case, tuple(entries)) for case in cases))


def shown(facts, width):
    console = Console(width=width, file=io.StringIO())
    console.print(RaceText(facts))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_no_word_is_cut(width):
    for cases in (quick(), every()):
        text = shown(race(cases), width)
        assert all(len(line) <= width and line == line.rstrip() for line in text.splitlines())
        words = text.split()
        for word in ("OpenCV*", "channels_last", "resampler", "scikit-image", "NCHW", "JAX", "12.3", "0.50"):
            assert sum(found.strip(",") == word for found in words) >= len(cases), word


def test_the_fastest_peer_comes_first_and_the_mark_is_explained():
    text = shown(race(quick()[:1]), 200)
    assert "OpenCV* 1.62, TensorFlow 3.24, PyTorch NCHW 6.48, PyTorch channels_last 13, resampler 26" in text
    assert "* gives other pixels by design" in text
    assert "None of the 7 others in this race is ahead of Sizewise in any row." in text


def test_what_is_said_is_said_of_those_that_raced():
    facts = race(quick()[:1])
    [row] = facts.rows
    alone = Row(row.case, row.entries[:4])
    text = shown(Race(facts.machine, 20, (alone,)), 200)
    assert "OpenCV is the only other library in this race; it is not ahead in any row." in text
    assert "ahead" not in shown(Race(facts.machine, 20, (Row(row.case, row.entries[:3]),)), 200)
