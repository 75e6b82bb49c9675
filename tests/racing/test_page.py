"""The bars and the page, from facts that are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.bars import Bar, bars, linear
from benchmarks.page import page
from benchmarks.process import Curve, Measure, Own
from sizewise.racing import ours
from sizewise.racing.cases import Case
from sizewise.racing.machine import Machine
from sizewise.racing.race import Entry, Race, Row

CASE = Case((8, 224, 224, 3), (512, 512), "bilinear", gradient=True)


def row(case=CASE, **peers):
    entries = [Entry(ours.NAME, (1.0, 1.1, 0.9)), Entry(ours.INTO, (0.8,)), Entry(ours.COPY, (1.0,), same=False)]
    entries += [Entry(name, (seconds,), same=name != "Other") for name, seconds in peers.items()]
    if case.dtype != "float32":
        entries.append(Entry(ours.SINGLE, (0.5,)))
    return Row(case, tuple(entries))


def facts(*rows):
    return Race(Machine("a processor", 2, 2, (("Sizewise", "1.0"),)), 21, rows, ("Nobody else was there.",))


def found(race, words):
    return next(bar for bar in bars(race, None) if bar.words.startswith(words))


def test_a_bar_says_which_rows_miss_it_and_by_how_much():
    race = facts(row(TensorFlow=9.0), row(replace(CASE, shape=(8, 224, 224, 1)), TensorFlow=7.5))
    bar = found(race, "bilinear gradient, growing")
    assert (bar.limit, bar.worst, bar.missed) == (8.0, 7.5, (("bilinear gradient 8x224x224x1 -> 512x512", 7.5),))
    assert found(race, "float32: ahead").missed == ()


def test_the_best_peer_counts_even_with_other_pixels():
    assert found(facts(row(Other=0.5, TensorFlow=9.0)), "float32: ahead").worst == 0.5


def test_the_smallest_images_count_only_where_nobody_may_be_ahead():
    race = facts(row(replace(CASE, shape=(1, 32, 32, 3), size=(16, 16)), TensorFlow=0.5))
    assert [bar.words for bar in bars(race, None)] == ["float32: ahead of the best peer"]


def test_a_bar_is_judged_by_what_is_shown():
    assert Bar("x", 1.0, True, ()).reaches(0.996)
    assert not Bar("x", 1.0, True, ()).reaches(0.99)


@pytest.mark.parametrize(("dtype", "missed"), [("float64", 0), ("float16", 1)])
def test_other_floats_are_held_against_float32(dtype, missed):
    bar = found(facts(row(replace(CASE, dtype=dtype))), dtype)
    assert (bar.worst, len(bar.missed)) == (2.0, missed)


def test_cost_should_grow_as_pixels_do():
    bar = linear(Curve(ours.NAME, ((64, 1.0), (128, 3.0), (256, 18.0))))
    assert [value for _, value in bar.values] == [3.0, 6.0]
    assert [name for name, _ in bar.missed] == ["128x128 to 256x256"]


def test_the_page_holds_all_of_it():
    own = Own(
        (Measure("`import sizewise`", (0.2, 0.3, 0.4), "s", 0.15),),
        (Curve(ours.NAME, ((64, 1e-6), (128, 4e-6))), Curve("OpenCV area", ((64, 1e-6),))),
        (),
    )
    text = page(facts(row(Other=0.5, TensorFlow=9.0)), own, [("a figure", "images/a.svg")])
    assert "Sizewise 1.0. 2 threads each on a processor (2 cores). Medians of 21 rounds" in text
    assert "| float32: ahead of the best peer | >= 1 | 0.50 | 0 of 1 | **missed** |" in text
    where = "in 1.00 of the time of a copy, where 1 would be 0.50 of it"
    assert f"- 0.50: bilinear gradient 8x224x224x3 -> 512x512, {where}\n" in text
    assert (
        "| 8x224x224x3 to 512x512, gradient | 1000 (900) | 800 (800) | 0.80 | Other\\* 500 | **0.50 (0.56)** |" in text
    )
    assert "| `import sizewise` | 0.3 (0.2) s | <= 0.15 s |" in text
    assert "| Sizewise | 0.24 | 0.24 |\n| OpenCV area | 0.24 | - |" in text
    assert "![a figure](images/a.svg)" in text
    assert "Nobody else was there." in text
