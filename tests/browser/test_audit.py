"""The page of `sizewise audit` in a browser."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from page_checks import assert_fits, assert_sorts, contrast, told

from sizewise.cli.app import run
from sizewise.insight.audit import audit


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A model and its page."""
    folder = tmp_path_factory.mktemp("audit")
    modes = ("half_pixel", "asymmetric", "align_corners")
    nodes = []
    for i, mode in enumerate(modes):
        words = {"name": f"neck/{mode}", "mode": "linear", "coordinate_transformation_mode": mode}
        nodes.append(helper.make_node("Resize", ["x", "", "", f"n{i}"], [f"y{i}"], **words))
    sizes = [numpy_helper.from_array(np.array([1, 1, n, n], np.int64), f"n{i}") for i, n in enumerate((8, 40, 12))]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 32, 32))
    outputs = [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [None] * 4) for i in range(3)]
    graph = helper.make_graph(nodes, "g", [x], outputs, sizes)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)]), folder / "m.onnx")
    assert run(["audit", str(folder / "m.onnx"), "--target", "opencv,tflite", "--html", str(folder / "m.html")]) == 0
    return folder / "m.onnx", folder / "m.html"


@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1200, False), (1200, True)])
def test_it_loads_and_fits(made, open_page, width, dark):
    page = open_page(made[1], width=width, dark=dark)
    assert_fits(page)
    assert page.locator("h1").inner_text() == "The resizes of m.onnx"
    assert page.locator(".card").count() == 3
    for selector in (".lead", ".quiet", ".numbers dt", ".severity"):
        assert contrast(page, selector) >= 4.5, selector


@pytest.mark.parametrize(("row", "column"), [(0, 0), (1, 1), (2, 9)])
def test_a_pixel_tells_its_gradient(made, open_page, row, column):
    gradient = audit(made[0]).nodes[0].coverage.gradient
    page = open_page(made[1])
    words = told(page, page.locator(".card .heat").first, row, column, gradient.shape)
    assert words == f"row {row}, column {column}\ngradient {gradient[row, column]:.4g}"


def test_tables_sort(made, open_page):
    first, second, *_ = open_page(made[1]).locator("table").all()
    for heading in ("node", "read", "shift", "findings"):
        assert_sorts(first, heading)
    for heading in ("in", "noise max", "image mean"):
        assert_sorts(second, heading)
