"""Checks of pages in a browser: width, sorted tables, readouts of pixels, contrast, explained terms."""

from __future__ import annotations

from typing import Any


def assert_fits(page: Any) -> None:
    """Assert that the page is no wider than its window: tables and code scroll inside it."""
    width, window = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width <= window, f"the page is {width} pixels wide in a window of {window}"


def column(table: Any, index: int) -> list[str]:
    """Return the sort keys of a column, from top to bottom."""
    script = "(table, index) => [...table.tBodies[0].rows].map((row) => row.cells[index]).map((cell) => "
    return table.evaluate(script + "cell.dataset.value ?? cell.textContent.trim())", index)


def assert_sorts(table: Any, heading: str) -> None:
    """Assert that a click on a heading sorts by that column, and a second click in reverse; numbers as numbers."""
    cell = table.locator("th", has_text=heading).first
    index = cell.evaluate("(cell) => cell.cellIndex")
    entries = column(table, index)
    try:
        expected = sorted(entries, key=float)
    except ValueError:
        expected = sorted(entries, key=str.lower)
    assert len(set(entries)) > 1, f"every entry of {heading!r} is {entries[:1]}: nothing to sort"
    for sort, order in (("ascending", expected), ("descending", expected[::-1])):
        cell.locator("button").click()
        assert cell.get_attribute("aria-sort") == sort
        assert column(table, index) == order


def readout_at(page: Any, figure: Any, row: int, column: int, shape: tuple[int, int]) -> str:
    """Return what the page shows when the pointer is on an entry of a heat map of that shape."""
    picture = figure.locator("img")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    x = box["x"] + box["width"] * (column + 0.5) / shape[1]
    y = box["y"] + box["height"] * (row + 0.5) / shape[0]
    page.mouse.move(x, y)
    readout = page.locator("#readout")
    assert readout.is_visible()
    return readout.inner_text()


def assert_terms_are_explained(page: Any) -> None:
    """Assert that hover and keyboard focus show the explanation of every term, which is also on the page."""
    terms = page.locator("[aria-describedby]")
    assert terms.count() > 0
    for term in terms.all():
        text = page.locator(f"#{term.get_attribute('aria-describedby')}").inner_text()
        term.focus()
        assert page.locator("#readout").inner_text() == text
        term.blur()
        assert page.locator("#readout").is_hidden()
    terms.first.hover()
    assert page.locator("#readout").is_visible()


def contrast(page: Any, selector: str) -> float:
    """Return the contrast of the first such element's text with the page's background, as WCAG defines it."""
    script = """(selector) => {
      const style = getComputedStyle(document.querySelector(selector));
      return [style.color, getComputedStyle(document.body).backgroundColor];
    }"""
    ink, background = (_luminance(color) for color in page.evaluate(script, selector))
    return (max(ink, background) + 0.05) / (min(ink, background) + 0.05)


def _luminance(color: str) -> float:
    channels = [float(channel) / 255 for channel in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
