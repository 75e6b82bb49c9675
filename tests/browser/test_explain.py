"""The page of `sizewise explain` in a browser."""

from __future__ import annotations

import numpy as np
import pytest
from page_checks import assert_fits, assert_sorts, assert_terms_are_explained, contrast, readout_at

from sizewise.cli.app import run
from sizewise.insight.explanation import explain

STORY = ("16x16", "4x4")
PAGES = {
    "story": STORY,
    "corner": ("1024x640", "224x224", "--dialect", "torch", "--dialect", "pillow", "--method", "bicubic"),
    "means": ("1000000x16", "4x4"),
    "volume": ("16x16x9", "4x8x9"),
    "options": ("9", "4", "--variant", "onnx cubic coordinate_transformation_mode=tf_crop_and_resize roi=0.1,0.9"),
    "growing": ("5", "200", "--dialect", "torch", "--method", "bicubic", "--method", "nearest"),
}


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """The pages, by name."""
    folder = tmp_path_factory.mktemp("pages")
    for name, arguments in PAGES.items():
        assert run(["explain", *arguments, "--html", str(folder / f"{name}.html")]) == 0
    return {name: folder / f"{name}.html" for name in PAGES}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(390, True), (1200, False)])
def test_it_loads_and_fits(paths, open_page, name, width, dark):
    page = open_page(paths[name], width=width, dark=dark)
    assert_fits(page)
    assert page.locator("h1").inner_text().startswith("A ")
    for selector in (".lead", ".quiet", ".numbers dt", "span.own", "span.alias"):
        assert contrast(page, selector) >= 4.5, selector


@pytest.mark.parametrize("width", [390, 1200])
def test_the_pointer_shows_the_gradient_of_a_pixel(paths, open_page, width):
    page, facts = open_page(paths["story"], width=width), explain((16, 16), (4, 4))
    for variant, row, column in [(0, 0, 0), (0, 4, 8), (0, 5, 8), (1, 1, 2), (2, 0, 15), (2, 15, 7)]:
        gradient = facts.variants[variant].gradient
        text = readout_at(page, page.locator(".variant .heat").nth(variant), row, column, gradient.shape)
        assert text == f"row {row}, column {column}\ngradient {gradient[row, column]:.4g}"


def test_the_pointer_shows_the_weight_of_a_tap(paths, open_page):
    page = open_page(paths["story"])
    dense = explain((16, 16), (4, 4)).variants[2].axes[1].taps.dense()
    text = readout_at(page, page.locator(".taps .heat").nth(2), 1, 4, dense.shape)
    assert text == f"output 1, input 4\nweight {dense[1, 4]:.4g}"


def test_the_pointer_shows_the_first_pixel_of_a_block(paths, open_page):
    page = open_page(paths["means"])
    profiles = explain((1_000_000, 16), (4, 4)).variants[2].profiles
    block = 15625
    text = readout_at(page, page.locator(".variant .heat").nth(2), 3, 5, (64, 16))
    mean = np.mean(profiles[0][3 * block : 4 * block]) * profiles[1][5]
    assert text == f"row {3 * block}, column 5\nmean gradient {mean:.4g}"


def test_the_pointer_shows_the_response_of_a_curve(paths, open_page):
    page = open_page(paths["story"])
    chart = page.locator(".chart").nth(1).locator("svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    x = (40 + 308 * 0.25 / 0.5) / 360  # where 0.25 cycles per pixel are
    page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] / 2)
    assert page.locator("#readout").inner_text() == (
        f"a wave of 4 pixels (0.25 cycles per pixel)\n{100 * np.cos(np.pi / 4):.3g} % aliases"
    )
    page.mouse.move(0, 0)
    assert page.locator("#readout").is_hidden()
    assert page.locator(".chart .pointer").nth(1).is_hidden()


def test_the_table_sorts(paths, open_page):
    table = open_page(paths["story"]).locator("table")
    for heading in ("variant", "pixels read", "largest gradient", "max / min", "variation", "shift", "alias", "taps"):
        assert_sorts(table, heading)


def test_maps_are_aligned(paths, open_page):
    page = open_page(paths["story"])
    tops = {round(box["y"]) for box in (one.bounding_box() for one in page.locator(".variant .heat").all())}
    assert len(tops) == 1
    assert page.locator(".variant").count() == 3


def test_no_labels_of_a_curve_overlap(paths, open_page):
    for name in ("story", "means", "growing"):
        page = open_page(paths[name])
        for chart in page.locator(".chart svg").all():
            boxes = [one.bounding_box() for one in chart.locator("text").all()]
            for position, one in enumerate(boxes):
                for other in boxes[position + 1 :]:
                    apart = (
                        one["x"] + one["width"] <= other["x"] + 1
                        or other["x"] + other["width"] <= one["x"] + 1
                        or one["y"] + one["height"] <= other["y"] + 3
                        or other["y"] + other["height"] <= one["y"] + 3
                    )
                    assert apart, (name, one, other)


@pytest.mark.parametrize("name", PAGES)
def test_findings_come_first(paths, open_page, name):
    page = open_page(paths[name])
    assert page.locator("h2").first.inner_text() == "Findings"
    assert page.locator("h2 + .grid .findings li").count() > 0


def test_terms_are_explained(paths, open_page):
    page = open_page(paths["story"], width=390)
    assert_terms_are_explained(page)
    headings = page.locator("th button[aria-describedby]")
    assert headings.count() == page.locator("th").count() - 1  # all but "variant"
    assert page.locator(".numbers dt a").count() == page.locator(".numbers dt").count()
    for term in ("taps", "Nyquist limit", "half-pixel centers", "white-noise output power"):
        assert page.locator("a.term", has_text=term).count() > 0
