"""The page of `sizewise compare` in a real browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sizewise.insight.comparison import compare
from sizewise.report.compare.html import comparison_page

SCENE = Path(__file__).parents[2] / "docs" / "images" / "scene.png"
VARIANTS = ["pillow", "opencv", "torch", "jax"]


@pytest.fixture(scope="module")
def facts():
    return compare(np.asarray(Image.open(SCENE)), (60, 80), VARIANTS)


@pytest.fixture(scope="module")
def path(facts, tmp_path_factory):
    file = tmp_path_factory.mktemp("pages") / "compare.html"
    file.write_text(comparison_page(facts, "sizewise compare scene.png 60x80"), encoding="utf-8")
    return file


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_loads_and_fits(open_page, path, width, dark):
    page = open_page(path, width=width, dark=dark)
    assert page.title() == "One image, 4 resizes"
    assert page.evaluate("document.documentElement.scrollWidth") == width
    sizes = page.eval_on_selector_all("img", "all => all.map((one) => [one.naturalWidth, one.offsetWidth])")
    assert len(sizes) == 1 + 4 + 3 + 4
    assert all(natural > 0 and shown > 0 for natural, shown in sizes)


def test_pictures_of_cards_lie_side_by_side(open_page, path):
    page = open_page(path)
    tops = page.eval_on_selector_all(".sheet section > .pixels", "all => all.map((one) => one.offsetTop)")
    assert len(set(tops[:4])) == 1


def test_hovering_tells_a_pixel_s_difference(open_page, path, facts):
    page = open_page(path)
    picture = page.locator(".heat img").first
    box = picture.bounding_box()
    row, column = np.unravel_index(int(facts.entries[1].apart.argmax()), facts.output_size)
    x, y = (column + 0.5) * box["width"] / 80, (row + 0.5) * box["height"] / 60
    picture.hover(position={"x": x, "y": y})
    largest = f"{facts.entries[1].difference.largest:.4g}"
    assert page.locator("#readout").inner_text() == f"row {row}, column {column}\ndifference {largest}"


def test_the_table_sorts_by_numbers(open_page, path, facts):
    page = open_page(path)
    heading = page.locator("th button", has_text="PSNR")
    heading.click()
    first = page.locator("tbody tr td").first.inner_text()
    heading.click()
    last = page.locator("tbody tr td").first.inner_text()
    order = sorted(facts.entries[1:], key=lambda entry: entry.difference.psnr)
    assert {first, last} == {order[0].spec.label, order[-1].spec.label}
    assert first != last
