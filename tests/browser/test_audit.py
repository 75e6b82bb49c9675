"""The page of `sizewise audit` in a browser."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from page_checks import assert_fits, assert_sorts, assert_terms_are_explained, contrast, readout_at

from sizewise.cli.app import run
from sizewise.insight.audit import audit
from sizewise.preprocess import Preprocessor, Rescale, Resize, ShortestEdge


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model and its page."""
    folder = tmp_path_factory.mktemp("audit")
    modes = ("half_pixel", "asymmetric", "align_corners", "half_pixel")
    nodes = []
    for i, mode in enumerate(modes):
        attributes = {"name": f"neck/{mode}{i}", "mode": "linear", "coordinate_transformation_mode": mode}
        nodes.append(helper.make_node("Resize", ["x", "", "", f"n{i}"], [f"y{i}"], **attributes))
    sizes = [numpy_helper.from_array(np.array([1, 1, n, n], np.int64), f"n{i}") for i, n in enumerate((8, 40, 12, 64))]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 32, 32))
    outputs = [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [None] * 4) for i in range(4)]
    graph = helper.make_graph(nodes, "g", [x], outputs, sizes)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)]), folder / "m.onnx")
    assert run(["audit", str(folder / "m.onnx"), "--target", "opencv,tflite", "--html", str(folder / "m.html")]) == 0
    return folder / "m.onnx", folder / "m.html"


@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1200, False), (1200, True)])
def test_it_loads_and_fits(files, open_page, width, dark):
    page = open_page(files[1], width=width, dark=dark)
    assert_fits(page)
    assert page.locator("h1").inner_text() == "The resizes of m.onnx"
    assert page.locator(".card").count() == 4
    for selector in (".lead", ".quiet", ".numbers dt", ".severity"):
        assert contrast(page, selector) >= 4.5, selector


@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1280, False), (1280, True)])
def test_the_fit_of_a_recipe(files, open_page, width, dark):
    recipe, path = files[0].parent / "recipe.json", files[0].parent / "fit.html"
    Preprocessor([Resize(ShortestEdge(32)), Rescale(1 / 255)]).save(recipe)
    assert run(["audit", str(files[0]), "--preprocess", str(recipe), "--html", str(path)]) == 0
    page = open_page(path, width=width, dark=dark)
    assert_fits(page)
    table = page.locator("table").first
    assert table.locator("td:first-child").all_inner_texts() == ["size", "layout", "channels", "dtype", "values"]
    assert table.locator("td:last-child").all_inner_texts() == ["no", "no", "no", "yes", "?"]
    assert page.locator("ul.findings").first.locator("li.high").count() >= 3


@pytest.mark.parametrize(("row", "column"), [(0, 0), (1, 1), (2, 9)])
def test_the_pointer_shows_the_gradient_of_a_pixel(files, open_page, row, column):
    gradient = audit(files[0]).nodes[0].coverage.gradient
    page = open_page(files[1])
    text = readout_at(page, page.locator(".card .heat").first, row, column, gradient.shape)
    assert text == f"row {row}, column {column}\ngradient {gradient[row, column]:.4g}"


def test_tables_sort(files, open_page):
    first, second, *_ = open_page(files[1]).locator("table").all()
    for heading in ("node", "pixels read", "shift", "findings"):
        assert_sorts(first, heading)
    for heading in ("runtime", "noise: largest", "image: mean"):
        assert_sorts(second, heading)


def test_headings_say_what_is_in_their_columns(files, open_page):
    for heading in open_page(files[1]).locator("th").all_inner_texts():
        assert heading.split("\N{UP DOWN ARROW}")[0].strip()


def test_arrows_do_not_break(files, open_page):
    page = open_page(files[1], width=390)
    sizes = [one for one in page.locator("td, dd").all_inner_texts() if "→" in one]
    assert len(sizes) == 8
    assert all("\xa0→\xa0" in one for one in sizes)
    assert "->" not in page.locator("main").inner_text()


def test_an_even_gradient_is_a_sentence(files, open_page):
    page = open_page(files[1])
    assert page.locator(".card .heat").count() == 3
    assert page.locator(".card .statement").all_inner_texts() == ["The gradient is 4 at every input pixel."]


def test_every_map_has_a_scale_with_values(files, open_page):
    page = open_page(files[1])
    coverage = audit(files[0]).nodes[0].coverage
    assert page.locator(".heat .scale").count() == 3
    assert page.locator(".heat .ramp span").all_inner_texts()[2] == f"{coverage.largest:.3g}"


def test_terms_are_explained(files, open_page):
    assert_terms_are_explained(open_page(files[1]))
