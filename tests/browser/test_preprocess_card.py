"""The page of `sizewise preprocess card` in a browser."""

from __future__ import annotations

import pytest
from page_checks import assert_fits, contrast

from sizewise.cli.app import run
from sizewise.preprocess import Fit, Layout, Normalize, PadTo, Preprocessor, Rescale, Resize

RECIPE = Preprocessor(
    [
        Resize(Fit(224, 224), "linear", "opencv"),
        PadTo(224, 224, fill=(114.0,)),
        Rescale(1 / 255),
        Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        Layout("CHW"),
    ]
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("card")
    RECIPE.save(folder / "letterbox.json")
    assert run(["preprocess", "card", str(folder / "letterbox.json"), "--html", str(folder / "card.html")]) == 0
    return folder / "card.html"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_loads_and_fits(path, open_page, width, dark):
    page = open_page(path, width=width, dark=dark)
    assert page.title() == "Input recipe: letterbox"
    page.locator("summary").click()  # the JSON is wide
    assert_fits(page)
    sizes = page.eval_on_selector_all("img", "all => all.map((one) => [one.naturalWidth, one.offsetWidth])")
    assert len(sizes) == 5  # the photo, and after the four steps that change pixels
    assert all(natural > 0 and 90 < shown <= width for natural, shown in sizes)
    for selector in (".lead", ".quiet", ".numbers dt", "figcaption", "summary"):
        assert contrast(page, selector) >= 4.5, selector


@pytest.mark.parametrize("dark", [False, True])
def test_drawings_have_frames_inside_their_picture(path, open_page, dark):
    page = open_page(path, width=390, dark=dark)
    script = """all => all.map((svg) => [svg, ...svg.querySelectorAll("rect")].map((one) => {
      const box = one.getBoundingClientRect();
      return [box.left, box.top, box.right, box.bottom];
    }))"""
    drawings = page.eval_on_selector_all(".size svg", script)
    assert len(drawings) == 3
    for outer, *frames in drawings:
        assert len(frames) == 3
        for left, top, right, bottom in frames:
            assert outer[0] <= left < right <= outer[2] and outer[1] <= top < bottom <= outer[3]
        # A letterbox: the resized image is inside the result.
        _, image, result = frames
        assert result[0] - 1 <= image[0] and image[2] <= result[2] + 1


def test_the_text_says_what_the_result_is(path, open_page):
    page = open_page(path)
    facts = dict(zip(*(page.locator(f".numbers {one}").all_inner_texts() for one in ("dt", "dd")), strict=True))
    assert facts["shape"] == "(3, 224, 224)" and facts["dtype"] == "float32"
    assert facts["values"].startswith("-2.118 to 2.64")
    assert len(facts["SHA-256 of golden vector 0"]) == 64
    captions = page.locator(".size figcaption").all_inner_texts()
    assert captions[0] == "480x640: resized to 168x224 and padded; the result is 224x224"
    assert page.locator("tbody td:nth-child(2)").all_inner_texts() == [step.name for step in RECIPE.steps]
