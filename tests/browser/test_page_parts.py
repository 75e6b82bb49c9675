"""The parts that all pages are made of, and that the checks of pages see what they should."""

from __future__ import annotations

import numpy as np
import pytest
from page_checks import assert_fits, assert_sorts, column, contrast, told

from sizewise.report import page as pages
from sizewise.report.png import HeatPicture

TEMPLATE = """{% extends "base.html" %}{% import "parts.html" as parts %}{% block content %}
{{ parts.table([("name", "text"), ("count", "number")], rows) }}
<div style="max-width: 16rem">{{ parts.heat_map(map, "a map") }}</div>
{{ parts.findings([("high", "one"), ("", "two")]) }}
<pre>{{ "x" * 400 }}</pre>
{% endblock %}"""
VALUES = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def parts_page(tmp_path):
    rows = [["b", ("1,000", 1000)], ["a", ("30", 30)], ["c", ("4", 4)]]
    heat = HeatPicture(VALUES, VALUES / 11, "gradient", "a map", step=(2, 5))
    words = {"title": "Parts", "lead": "All of them", "command": "sizewise", "version": "0"}
    path = tmp_path / "parts.html"
    path.write_text(pages._environment().from_string(TEMPLATE).render(rows=rows, map=heat, **words), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_parts_fit_and_can_be_read(parts_page, open_page, width, dark):
    page = open_page(parts_page, width=width, dark=dark)
    assert_fits(page)
    for selector in ("body", ".lead", ".high > .severity", "figcaption"):
        assert contrast(page, selector) >= 4.5


def test_dark_is_dark(parts_page, open_page):
    grounds = [
        open_page(parts_page, dark=dark).evaluate("getComputedStyle(document.body).backgroundColor")
        for dark in (False, True)
    ]
    assert grounds == ["rgb(255, 255, 255)", "rgb(20, 22, 27)"]


def test_tables_sort_both_ways_numbers_as_numbers(parts_page, open_page):
    table = open_page(parts_page).locator("table")
    assert_sorts(table, "name")
    assert_sorts(table, "count")
    assert column(table, 1) == ["1000", "30", "4"]


@pytest.mark.parametrize(("row", "column"), [(0, 0), (2, 3), (1, 2)])
def test_a_pixel_tells_its_numbers(parts_page, open_page, row, column):
    page = open_page(parts_page)
    words = told(page, page.locator(".heat"), row, column, VALUES.shape)
    assert words == f"row {2 * row}, column {5 * column}\ngradient {VALUES[row, column]:g}"
    page.mouse.move(0, 0)
    assert page.locator("#readout").is_hidden()


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<script>console.error('broken')</script>", "broken"),
        ("<script>null.x</script>", "properties of null"),
        ("<img src='http://127.0.0.1:9/a.png'>", "http://127.0.0.1:9/a.png"),
        ("<script src='other.js'></script>", "other.js"),
    ],
)
def test_control_a_faulty_page_is_caught(tmp_path, open_page, faults, body, fault):
    path = tmp_path / "faulty.html"
    path.write_text(f"<!doctype html><link rel=icon href='data:,'>{body}")
    with pytest.raises(AssertionError):
        open_page(path)
    assert any(fault in one for one in faults)
    faults.clear()


def test_control_a_page_that_is_too_wide_is_caught(tmp_path, open_page):
    path = tmp_path / "wide.html"
    path.write_text("<!doctype html><link rel=icon href='data:,'><p style='width: 500px'>x</p>")
    with pytest.raises(AssertionError, match="508 pixels wide in a window of 390"):
        assert_fits(open_page(path, width=390))
