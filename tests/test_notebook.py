"""Plans and facts as notebooks show them."""

from __future__ import annotations

import html
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import sizewise as sw
from sizewise.insight.explanation import explain

VOID = {"img", "br"}


def check(message: str) -> str:
    """The text of a piece of HTML, once every element is closed and nothing comes from elsewhere."""
    opened, text = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag != "script"
            assert dict(attributes).get("src", "data:image/png").startswith("data:image/png")
            if tag not in VOID:
                opened.append(tag)

        def handle_endtag(self, tag):
            assert opened.pop() == tag

        def handle_data(self, data):
            text.append(data)

    Reader().feed(message)
    assert opened == []
    return re.sub(r"\s+", " ", "".join(text))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (((16, 16), (4, 4)), "standard bilinear, 16x16 → 4x4"),
        (((16,), (4,)), "standard bilinear, 16 → 4"),
        (((8, 8, 8), (4, 4, 4)), "8x8x8 → 4x4x4"),
        (((4000, 3000), (224, 224)), "12,000,000 of 12,000,000 pixels"),
        (((1_000_000,), (4,)), "1000000 → 4"),
    ],
)
def test_a_plan_shows_its_picture(sizes, message):
    shown = sw.make_plan(*sizes)._repr_html_()
    assert message in check(shown)
    assert len(shown) < 20_000


def test_a_gradient_shows_its_picture():
    assert "4x4 → 16x16" in check(sw.make_plan((16, 16), (4, 4)).T._repr_html_())


def test_facts_show_themselves():
    plan = sw.make_plan((16, 16), (4, 4), dialect="tensorflow1")
    assert plan.explain()._repr_html_() == plan._repr_html_()
    assert "240 of 256 pixels get no gradient" in check(plan._repr_html_())
    assert check(explain((16, 16), (4, 4))._repr_html_()).count("16x16 → 4x4") == 3


@pytest.mark.parametrize("package", ["jinja2", "PIL"])
def test_without_the_packages_for_pages_the_output_is_text(monkeypatch, package):
    for name in [name for name in sys.modules if name.startswith(("sizewise.report", package))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    assert sw.make_plan((16, 16), (4, 4))._repr_html_() is None


def test_facts_are_the_same_from_a_plan_and_from_the_command():
    one = sw.make_plan((16, 16), (4, 4), antialias=False).explain()
    other = explain((16, 16), (4, 4)).variants[1]
    assert (one.reached, one.axes, one.findings) == (other.reached, other.axes, other.findings)


def test_a_comparison_shows_its_page_in_a_frame():
    facts = sw.compare(np.eye(8), (4, 4), ["pillow", "tfjs"])
    assert facts._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "tfjs bilinear" in html.unescape(facts._repr_html_())
    assert repr(facts).startswith("8x8 -> 4x4, float64, each against pillow bilinear\n- tfjs bilinear: ")


def test_a_translation_shows_its_call_or_why_there_is_none():
    assert repr(sw.translate("cv2.resize(x, (64, 32))", "tfjs")).startswith("tf.image.resizeBilinear(")
    none = repr(sw.translate("F.interpolate(x, scale_factor=2, mode='bicubic')", "tfjs"))
    assert none.startswith("none: ") and "\nthe nearest is tf.image.resize" in none


@pytest.mark.parametrize("facts", ["explain", "compare", "audit"])
def test_facts_are_written_as_the_page_of_the_command(facts, tmp_path):
    image = np.random.default_rng(0).integers(0, 256, (8, 8, 3), np.uint8)
    model = tmp_path / "model.json"
    model.write_text(
        '{"modelTopology": {"model_config": {"class_name": "Sequential", "config": {"name": "model", "layers": [{'
        '"class_name": "UpSampling2D", "config": {"name": "up", "size": [2, 2], "interpolation": "bilinear", '
        '"batch_input_shape": [null, 8, 8, 3]}}]}}}}'
    )
    found = {
        "explain": lambda: sw.explain((16, 16), (4, 4)),
        "compare": lambda: sw.compare(image, (4, 4), ["pillow", "opencv"]),
        "audit": lambda: sw.audit(model),
    }[facts]()
    found.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", page)  # it is self-contained
    with pytest.raises(sw.errors.FileError, match="cannot write"):
        found.save_html(tmp_path / "missing" / "page.html")
