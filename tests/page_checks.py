"""What every page must do in a browser: fit the window, sort its tables, tell a pixel's numbers."""

from __future__ import annotations

from typing import Any


def assert_fits(page: Any) -> None:
    """Nothing makes the page wider than its window: tables and code scroll by themselves."""
    wide, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= room, f"the page is {wide} pixels wide in a window of {room}"


def column(table: Any, index: int) -> list[str]:
    """What a column of a table sorts by, from top to bottom."""
    script = "(table, index) => [...table.tBodies[0].rows].map((row) => row.cells[index]).map((cell) => "
    return table.evaluate(script + "cell.dataset.value ?? cell.textContent.trim())", index)


def assert_sorts(table: Any, heading: str) -> None:
    """A click on a heading sorts by that column, and a second click the other way round; numbers as numbers."""
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


def told(page: Any, figure: Any, row: int, column: int, shape: tuple[int, int]) -> str:
    """What the page tells of an entry of a heat map of that shape when the pointer is there."""
    picture = figure.locator("img")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    x = box["x"] + box["width"] * (column + 0.5) / shape[1]
    y = box["y"] + box["height"] * (row + 0.5) / shape[0]
    page.mouse.move(x, y)
    readout = page.locator("#readout")
    assert readout.is_visible()
    return readout.inner_text()


def contrast(page: Any, selector: str) -> float:
    """The contrast of the first such element's words with the page's ground, as WCAG defines it."""
    script = """(selector) => {
      const style = getComputedStyle(document.querySelector(selector));
      return [style.color, getComputedStyle(document.body).backgroundColor];
    }"""
    ink, ground = (_luminance(colour) for colour in page.evaluate(script, selector))
    return (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05)


def _luminance(colour: str) -> float:
    channels = [float(word) / 255 for word in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
