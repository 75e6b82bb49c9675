"""The page of `sizewise identify` in a real browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_checks import assert_fits, assert_sorts, assert_terms_are_explained, contrast, readout_at
from PIL import Image

import sizewise as sw
from sizewise.cli.app import run

IMAGES = Path(__file__).parents[2] / "docs" / "images"
PAGES = {"exact": (0, "scene-small.png"), "crop": (1, "scene-crop.png"), "jpeg": (0, "scene-small.jpg", "--jpeg")}


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """The pages, by name."""
    folder = tmp_path_factory.mktemp("identify")
    for name, (code, resized, *options) in PAGES.items():
        arguments = [str(IMAGES / "scene.png"), str(IMAGES / resized), *options, "--dialects", "pillow,opencv"]
        assert run(["identify", *arguments, "--html", str(folder / f"{name}.html")]) == code
    return {name: folder / f"{name}.html" for name in PAGES}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1280, False), (1280, True)])
def test_it_loads_and_fits(paths, open_page, name, width, dark):
    page = open_page(paths[name], width=width, dark=dark)
    assert_fits(page)
    assert page.title() == "Which resize made this image?"
    for selector in (".lead", ".quiet", ".verdict", "td"):
        assert contrast(page, selector) >= 4.5, selector


def test_an_exact_match_shows_its_verdict_and_code(paths, open_page):
    page = open_page(paths["exact"])
    assert page.locator(".verdict strong").inner_text() == "Exact"
    assert "all 4,800 pixels are identical" in page.locator(".verdict").inner_text()
    assert "sw.resize(image, (60, 80), method='lanczos', dialect='pillow')" in page.locator("pre").all_inner_texts()
    assert page.locator("tbody tr").first.inner_text().split("\t")[2:] == ["100 %", "0", "0"]
    assert page.locator(".statement").inner_text() == "No pixel differs."


def test_the_jpeg_result_is_compressed_like_the_file(paths, open_page):
    assert open_page(paths["jpeg"]).locator(".statement").inner_text() == "No pixel differs."


def test_without_a_match_there_is_no_code_but_a_difference(paths, open_page):
    page = open_page(paths["crop"])
    assert page.locator(".verdict.high strong").inner_text() == "Nothing fits"
    assert page.locator("pre").count() == 0
    best = sw.identify(IMAGES / "scene.png", IMAGES / "scene-crop.png", dialects=["pillow", "opencv"]).groups[0]
    scene, crop = (np.asarray(Image.open(IMAGES / name)) for name in ("scene.png", "scene-crop.png"))
    assert best.specs[0].finish == "rounded"
    ours = np.rint(best.specs[0].make_plan((240, 320)).apply(scene.astype(np.float32), (0, 1))).clip(0, 255)
    row, column = 30, 40
    expected = np.abs(ours[row, column] - crop[row, column]).max()
    assert (
        readout_at(page, page.locator(".heat"), row, column, (60, 80)) == f"row 30, column 40\ndifference {expected:g}"
    )
    assert page.locator(".heat .ramp span").last.inner_text() == f"{best.error.largest:.3g}"


def test_all_pictures_are_shown_and_can_be_compared(paths, open_page):
    page = open_page(paths["crop"])
    sizes = page.eval_on_selector_all("img.pixels", "all => all.map((one) => [one.naturalHeight, one.naturalWidth])")
    assert sizes == [[240, 320], [60, 80], [60, 80]]
    tops = {round(one.bounding_box()["y"]) for one in page.locator(".pictures img").all()}
    assert len(tops) == 1
    assert page.locator(".tag").all_inner_texts() == ["Given result", "Best candidate"]


def test_the_table_sorts_and_terms_are_explained(paths, open_page):
    page = open_page(paths["crop"])
    for heading in ("rank", "candidate", "identical", "residual"):
        assert_sorts(page.locator("table"), heading)
    assert_terms_are_explained(page)
