"""Targets and page, from made-up results."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.figures import draw, ratios_by_peer, small_call_microseconds, start_milliseconds
from benchmarks.page import page
from benchmarks.process import Curve, Measure, ProcessResults
from benchmarks.targets import Target, linear, targets
from sizewise_bench import ours
from sizewise_bench.cases import Case
from sizewise_bench.machine import Machine
from sizewise_bench.runner import CaseResult, Results, Timing

CASE = Case((8, 224, 224, 3), (512, 512), "bilinear", gradient=True)


def row(case=CASE, **peers):
    timings = [Timing(ours.NAME, (1.0, 1.1, 0.9)), Timing(ours.OUT, (0.8,)), Timing(ours.COPY, (1.0,), False)]
    timings += [Timing(name, (seconds,), name != "Other") for name, seconds in peers.items()]
    if case.dtype != "float32":
        timings.append(Timing(ours.FLOAT32, (0.5,)))
    return CaseResult(case, tuple(timings))


def made_up(*rows):
    return Results(Machine("a processor", 2, 2, (("Sizewise", "1.0"),)), 21, rows, ("No other peer was timed.",))


def target_of(results, name):
    return next(target for target in targets(results, None) if target.name.startswith(name))


def test_a_target_lists_the_rows_that_miss_it():
    results = made_up(row(TensorFlow=9.0), row(replace(CASE, shape=(8, 224, 224, 1)), TensorFlow=7.5))
    target = target_of(results, "bilinear gradient, growing")
    assert (target.limit, target.worst, target.missed) == (
        8.0,
        7.5,
        (("bilinear gradient 8x224x224x1 -> 512x512", 7.5),),
    )
    assert target_of(results, "float32: speedup").missed == ()


def test_the_best_peer_counts_even_with_other_pixels():
    assert target_of(made_up(row(Other=0.5, TensorFlow=9.0)), "float32: speedup").worst == 0.5


def test_tiny_images_count_for_the_speedup_only():
    results = made_up(row(replace(CASE, shape=(1, 32, 32, 3), size=(16, 16)), TensorFlow=0.5))
    assert [target.name for target in targets(results, None)] == ["float32: speedup over the best peer"]


def test_a_target_is_judged_by_the_rounded_value():
    assert Target("x", 1.0, True, ()).is_met_by(0.996)
    assert not Target("x", 1.0, True, ()).is_met_by(0.99)


@pytest.mark.parametrize(("dtype", "missed"), [("float64", 0), ("float16", 1)])
def test_other_floats_are_compared_with_float32(dtype, missed):
    target = target_of(made_up(row(replace(CASE, dtype=dtype))), dtype)
    assert (target.worst, len(target.missed)) == (2.0, missed)


def test_cost_grows_like_pixels():
    target = linear(Curve(ours.NAME, ((64, 1.0), (128, 3.0), (256, 18.0))))
    assert [value for _, value in target.values] == [3.0, 6.0]
    assert [name for name, _ in target.missed] == ["128x128 to 256x256"]


def test_the_page_has_all_parts():
    processes = ProcessResults(
        (Measure("`import sizewise`", (0.2, 0.3, 0.4), "s", 0.15),),
        (Curve(ours.NAME, ((64, 1e-6), (128, 4e-6))), Curve("OpenCV area", ((64, 1e-6),))),
        (),
        {"Sizewise": [0.1, 0.2, 0.3], "transformers, PIL": [0.8]},
        {"Sizewise": [0.05], "Slow": [0.2, 0.4]},
    )
    text = page(made_up(row(Other=0.5, TensorFlow=9.0)), processes, [("a figure", "images/a.svg")])
    assert "Sizewise 1.0. 2 threads each on a processor (2 cores). Medians of 21 rounds" in text
    assert "| float32: speedup over the best peer | >= 1 | 0.50 | 0 of 1 | **missed** |" in text
    where = "in 1.00 of the time of a copy; a speedup of 1 needs 0.50"
    assert f"- 0.50: bilinear gradient 8x224x224x3 -> 512x512, {where}\n" in text
    assert (
        "| 8x224x224x3 to 512x512, gradient | 1000 (900) | 800 (800) | 0.80 | Other\\* 500 | **0.50 (0.56)** |" in text
    )
    assert "| `import sizewise` | 0.3 (0.2) s | <= 0.15 s |" in text
    assert "| Sizewise | 0.24 | 0.24 |\n| OpenCV area | 0.24 | - |" in text
    assert "| Sizewise | 200 (100) | 1.0 |\n| transformers, PIL | 800 (800) | 4.0 |" in text
    assert "| Sizewise | 50 (50) | 1.0 |\n| Slow | 300 (200) | 6.0 |" in text
    assert "![a figure](images/a.svg)" in text
    assert "| speedup: float32, gradient | 0.50 | 0.50 | 0.50 | 1 |" in text
    assert text.index("## At a glance") < text.index("a figure") < text.index("`make bench` (on an idle machine")
    assert "No other peer was timed." in text


def test_the_summary_has_every_peer_by_its_median():
    rows = [row(TensorFlow=9.0, Other=3.0), row(replace(CASE, gradient=False), TensorFlow=2.0)]
    found = ratios_by_peer(rows)
    assert list(found) == ["Other", "TensorFlow"]
    assert found["TensorFlow"] == [(9.0, True, True), (2.0, False, True)]
    assert found["Other"] == [(3.0, True, False)]


def test_figures_are_drawn_and_the_summary_is_the_first(tmp_path):
    figures = draw(made_up(row(TensorFlow=9.0, Other=0.5)), None, tmp_path)
    assert [name for _, name in figures] == ["performance-summary.svg", "performance-rows.svg"]
    assert all((tmp_path / name).read_text(encoding="utf-8").startswith("<?xml") for _, name in figures)


def test_the_summary_has_new_processes_and_small_calls(tmp_path):
    small = row(replace(CASE, shape=(1, 32, 32, 3), size=(16, 16), antialias=True, gradient=False), JAX=9.0, OpenCV=0.5)
    assert small_call_microseconds([row(JAX=3.0), small]) == {"OpenCV": 5e5, "Sizewise": 1e6, "JAX": 9e6}
    processes = ProcessResults((), (), (), starts={"Sizewise": [0.1, 0.3, 0.2], "JAX": [1.0]})
    assert start_milliseconds(processes) == {"Sizewise": 200, "JAX": 1000}
    assert start_milliseconds(None) == small_call_microseconds([row(JAX=3.0)]) == {}
    draw(made_up(small, row(JAX=3.0)), processes, tmp_path / "all")
    draw(made_up(row(JAX=3.0)), None, tmp_path / "throughput")
    everything, throughput = (
        (tmp_path / name / "performance-summary.svg").read_text(encoding="utf-8") for name in ("all", "throughput")
    )
    assert [text.count('<g id="axes_') for text in (everything, throughput)] == [3, 1]
