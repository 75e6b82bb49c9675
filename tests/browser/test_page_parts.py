"""Parts that all pages share, and controls of the checks of pages."""

from __future__ import annotations

import numpy as np
import pytest
from page_checks import assert_fits, assert_sorts, assert_terms_are_explained, column, contrast, readout_at

from sizewise.report import page as pages
from sizewise.report.glossary import PageGlossary
from sizewise.report.pictures import HeatPicture

TEMPLATE = """{% extends "base.html" %}{% import "parts.html" as parts with context %}{% block content %}
{{ parts.table(["name", "count"] + more, rows, "a table") }}
<div style="max-width: 16rem">{{ parts.heat_map(map, "a map", true) }}</div>
{{ parts.findings([("high", "a gradient of 1"), ("", "two")]) }}
<pre>{{ "x" * 400 }}</pre>
{% endblock %}"""
VALUES = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def parts_page(tmp_path):
    rows = [["b", ("1,000", 1000)], ["a", ("30", 30)], ["c", ("4", 4)]]
    rows = [[*row, *range(20)] for row in rows]
    facts = {"rows": rows, "more": [f"column {n}" for n in range(20)], "terms": PageGlossary()}
    facts |= {"title": "Parts", "lead": "All of them", "command": "sizewise", "version": "0"}
    heat = HeatPicture(VALUES, 11.0, "gradient", "a map", step=(2, 5))
    path = tmp_path / "parts.html"
    path.write_text(pages._environment().from_string(TEMPLATE).render(map=heat, **facts), encoding="utf-8")
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


def test_terms_are_explained_on_hover_and_focus(parts_page, open_page):
    page = open_page(parts_page)
    assert_terms_are_explained(page)
    assert page.locator(".findings a.term").inner_text() == "gradient"
    page.keyboard.press("Escape")
    assert page.locator("#readout").is_hidden()


def test_a_wide_table_says_that_it_scrolls(parts_page, open_page):
    page = open_page(parts_page, width=390)
    table = page.locator(".table")
    assert "more" in table.get_attribute("class") and page.locator(".hint").is_visible()
    page.locator(".scroller").evaluate("(one) => { one.scrollLeft = one.scrollWidth; }")
    page.wait_for_function("!document.querySelector('.table').classList.contains('more')")
    page.set_viewport_size({"width": 4000, "height": 900})
    page.add_style_tag(content="main { max-width: none; }")
    page.wait_for_function("!document.querySelector('.table').classList.contains('wide')")
    assert page.locator(".hint").is_hidden()


def test_scales_have_values(parts_page, open_page):
    scale = open_page(parts_page).locator(".scale .ramp span")
    assert scale.all_inner_texts() == ["0", "2.75", "11"]
    assert float(scale.nth(1).evaluate("(one) => parseFloat(one.style.left)")) == 50


def test_tables_sort_both_ways_numbers_as_numbers(parts_page, open_page):
    table = open_page(parts_page).locator("table")
    assert_sorts(table, "name")
    assert_sorts(table, "count")
    assert column(table, 1) == ["1000", "30", "4"]


@pytest.mark.parametrize(("row", "column"), [(0, 0), (2, 3), (1, 2)])
def test_the_pointer_shows_the_value_of_a_pixel(parts_page, open_page, row, column):
    page = open_page(parts_page)
    text = readout_at(page, page.locator(".heat"), row, column, VALUES.shape)
    assert text == f"row {2 * row}, column {5 * column}\ngradient {VALUES[row, column]:g}"
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
