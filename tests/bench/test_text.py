"""Text of benchmark results at several widths: nothing is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sizewise_bench import ours
from sizewise_bench.cases import all_cases, quick_cases
from sizewise_bench.machine import Machine
from sizewise_bench.runner import CaseResult, Results, Timing
from sizewise_bench.text import ResultsText

PEERS = ("OpenCV", "TensorFlow", "PyTorch NCHW", "PyTorch channels_last", "resampler", "scikit-image", "JAX")


def made_up(cases):
    timings = [Timing(ours.NAME, (0.01234,)), Timing(ours.OUT, (0.01,)), Timing(ours.COPY, (0.02,), False)]
    timings += [Timing(name, (0.02 * 2**power,), power > 0) for power, name in enumerate(PEERS)]
    machine = Machine("a processor", 2, 2, (("Sizewise", "1.0"),))
    return Results(machine, 20, tuple(CaseResult(case, tuple(timings)) for case in cases))


def text_of(results, width):
    console = Console(width=width, file=io.StringIO())
    console.print(ResultsText(results))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_no_word_is_cut(width):
    for cases in (quick_cases(), all_cases()):
        text = text_of(made_up(cases), width)
        assert all(len(line) <= width and line == line.rstrip() for line in text.splitlines())
        message = text.split()
        for word in ("OpenCV*", "channels_last", "resampler", "scikit-image", "NCHW", "JAX", "12.3", "0.50"):
            assert sum(found.strip(",") == word for found in message) >= len(cases), word


def test_the_fastest_peer_comes_first_and_the_mark_is_explained():
    text = text_of(made_up(quick_cases()[:1]), 200)
    assert "OpenCV* 1.62, TensorFlow 3.24, PyTorch NCHW 6.48, PyTorch channels_last 13, resampler 26" in text
    assert "* gives other pixels by design" in text
    assert "None of the 7 other libraries timed is faster than Sizewise in any row." in text


def test_the_summary_is_about_the_timed_libraries():
    results = made_up(quick_cases()[:1])
    [row] = results.rows
    alone = CaseResult(row.case, row.timings[:4])
    text = text_of(Results(results.machine, 20, (alone,)), 200)
    assert "OpenCV is the only other library timed; it is not faster in any row." in text
    assert "faster" not in text_of(Results(results.machine, 20, (CaseResult(row.case, row.timings[:3]),)), 200)
