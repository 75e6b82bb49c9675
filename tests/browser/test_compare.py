"""The page of `sizewise compare` in a real browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_checks import assert_fits, assert_sorts, assert_terms_are_explained, contrast, readout_at
from PIL import Image

from sizewise.insight.comparison import compare
from sizewise.report.compare.html import comparison_page

SCENE = Path(__file__).parents[2] / "docs" / "images" / "scene.png"
VARIANTS = ["pillow", "opencv", "torch", "jax", "torch bilinear antialias=true"]
TRANSFORM = "(one) => getComputedStyle(one).transform"


@pytest.fixture(scope="module")
def facts():
    return compare(np.asarray(Image.open(SCENE)), (60, 80), VARIANTS)


@pytest.fixture(scope="module")
def path(facts, tmp_path_factory):
    file = tmp_path_factory.mktemp("pages") / "compare.html"
    file.write_text(comparison_page(facts, "sizewise compare scene.png 60x80"), encoding="utf-8")
    return file


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_loads_and_fits(open_page, path, width, dark):
    page = open_page(path, width=width, dark=dark)
    assert page.title() == "One image, 5 resizes"
    assert_fits(page)
    sizes = page.eval_on_selector_all("img", "all => all.map((one) => [one.naturalWidth, one.offsetWidth])")
    assert len(sizes) == 2 + 5 + 1 + 3 + 5  # in the viewer; results, the original, differences, enlarged parts
    assert all(natural > 0 and width > 0 for natural, width in sizes)
    for selector in (".lead", ".quiet", ".numbers dt", ".severity", "figcaption"):
        assert contrast(page, selector) >= 4.5, selector


@pytest.mark.parametrize("width", [390, 1280])
def test_pictures_lie_in_a_grid_without_empty_cells(open_page, path, width):
    page = open_page(path, width=width)
    script = """all => all.map((card) => [...card.children].slice(1, 4).map((cell) => {
      const [outer, inner] = [card, cell.firstElementChild ?? cell].map((one) => one.getBoundingClientRect());
      return [inner.left, inner.top - outer.top, inner.width, inner.height].map(Math.round);
    }))"""
    cards = page.eval_on_selector_all(".result", script)
    assert len(cards) == 5
    for card in cards:
        assert [cell[0] for cell in card] == [cell[0] for cell in cards[0]]
        assert len({cell[1] for cell in card}) == 1
        assert all(cell[2] > 90 and cell[3] > 60 for cell in card)


def test_the_original_is_shown(open_page, path):
    original = open_page(path).locator("img#original")
    assert original.evaluate("(one) => [one.naturalWidth, one.naturalHeight]") == [320, 240]


def test_equal_pixels_are_a_sentence(open_page, path):
    assert open_page(path).locator(".statement").all_inner_texts() == ["No pixel differs."]


def test_hovering_shows_the_difference_of_a_pixel(open_page, path, facts):
    page = open_page(path)
    row, column = np.unravel_index(int(facts.entries[1].apart.argmax()), facts.output_size)
    largest = f"{facts.entries[1].difference.largest:.4g}"
    text = readout_at(page, page.locator(".heat").first, row, column, facts.output_size)
    assert text == f"row {row}, column {column}\ndifference {largest}"


def test_the_table_sorts_by_numbers(open_page, path):
    table = open_page(path).locator("table")
    for heading in ("variant", "PSNR", "largest difference", "pixels that differ"):
        assert_sorts(table, heading)


def test_terms_are_explained(open_page, path):
    assert_terms_are_explained(open_page(path))


def test_the_viewer_shows_two_chosen_images(open_page, path):
    page = open_page(path)
    for side, choice in enumerate(("original", "result-3")):
        page.locator(".viewer select").nth(side).select_option(choice)
        image = page.locator(".frame img").nth(side)
        assert image.get_attribute("src") == page.locator(f"#{choice}").get_attribute("src")
    assert page.locator(".tag").all_inner_texts() == ["original", "jax linear, then rounded"]


def test_the_handle_divides_the_two_images(open_page, path):
    page = open_page(path)
    clip = "(one) => getComputedStyle(one).clipPath"
    right = page.locator(".layer.right")
    assert right.evaluate(clip) == "inset(0px 0px 0px 50%)"
    box = page.locator(".frame").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 4
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], y)
    page.mouse.up()
    assert 79 <= float(right.evaluate(clip).split()[-1].rstrip("%)")) <= 81
    page.keyboard.press("Home")  # the handle has the focus
    assert right.evaluate(clip) == "inset(0px 0px 0px 0%)"


def test_zoom_is_pixelated_and_moves_both_images(open_page, path):
    page = open_page(path)
    images = page.locator(".frame img")
    page.get_by_label("Zoom in").click(click_count=3, delay=20)
    assert page.locator(".viewer output").inner_text() == "8\N{MULTIPLICATION SIGN}"
    before = [image.evaluate(TRANSFORM) for image in images.all()]
    assert before[0] == before[1] and before[0].startswith("matrix(8, 0, 0, 8, ")
    box = page.locator(".frame").bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 130)
    page.mouse.up()
    after = [image.evaluate(TRANSFORM) for image in images.all()]
    start, end = (np.array(one[7:-1].split(", "), float) for one in (before[0], after[0]))
    assert after[0] == after[1] and (end - start).round().tolist() == [0, 0, 0, 0, 60, 30]
    assert images.first.evaluate("(one) => getComputedStyle(one).imageRendering") == "pixelated"
    page.locator(".frame").focus()
    page.keyboard.press("ArrowRight")
    assert images.first.evaluate(TRANSFORM) != after[0]
    page.get_by_text("Whole image").click()
    assert images.first.evaluate(TRANSFORM) == "matrix(1, 0, 0, 1, 0, 0)"


def test_the_largest_difference_is_one_click_away(open_page, path, facts):
    page = open_page(path)
    page.get_by_role("button", name="Largest difference", exact=True).click()
    assert page.locator(".viewer output").inner_text() == "2.5\N{MULTIPLICATION SIGN}"  # 32 of 80 columns


def test_flicker_shows_the_images_in_turn(open_page, path):
    page = open_page(path)
    button, frame = page.get_by_role("button", name="Flicker"), page.locator(".frame")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    for share in ("100%", "0%", "100%"):
        page.wait_for_function(f"document.querySelector('.frame').style.getPropertyValue('--split') === '{share}'")
    button.click()
    assert frame.evaluate("(one) => one.style.getPropertyValue('--split')") == "50%"
