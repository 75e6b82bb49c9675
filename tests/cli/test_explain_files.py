"""`sizewise explain --html` and `--png`: self-contained files, written atomically."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sizewise.insight.explanation import explain
from sizewise.report.explain.figure import explanation_figure

SNAPSHOT = Path(__file__).with_name("explain_16x16_4x4.txt")


def test_a_page_and_a_figure_beside_the_text(command, tmp_path):
    page, path = tmp_path / "a.html", tmp_path / "a.png"
    code, out, err = command("explain", "16x16", "4x4", "--html", page, "--png", path)
    assert (code, out) == (0, SNAPSHOT.read_text(encoding="utf-8"))
    assert err == f"Wrote {str(page)!r}\nWrote {str(path)!r}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.png"]
    with Image.open(path) as picture:
        picture.load()
        assert min(picture.size) > 1000
        assert len(picture.convert("RGB").getcolors(1 << 20)) > 50


def test_a_page_is_self_contained_and_names_its_command(command, tmp_path):
    path = tmp_path / "two parts.html"
    arguments = ["--dialect", "torch", "--method", "bicubic", "--no-antialias", "--variant", "tfjs align_corners=true"]
    command("explain", "16x16", "4x4", *arguments, "--html", path)
    page = path.read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)""", page)
    assert "http" not in page and "@import" not in page
    line = (
        "sizewise explain 16x16 4x4 --dialect torch --method bicubic --no-antialias "
        f"--variant &#39;tfjs align_corners=true&#39; --html &#39;{path}&#39;"
    )
    assert line in page


def test_a_page_contains_the_values_of_its_maps(command, tmp_path):
    path = tmp_path / "a.html"
    _, out, _ = command("explain", "16x16", "4x4", "--html", path, "--json")
    maps = re.findall(r'<script type="application/json">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    gradients = [one for one in map(json.loads, maps) if one.get("what") == "gradient"]
    for shown, known in zip(gradients, json.loads(out)["variants"], strict=True):
        np.testing.assert_allclose(np.array(shown["values"], float), known["gradient"], rtol=1e-3, atol=1e-12)


@pytest.mark.parametrize(
    ("sizes", "size", "text"),
    [
        (("4000x4000", "224x224"), 600_000, "Shown are the top left 64x64 pixels."),
        (("1000000", "4"), 600_000, "Each cell is the mean of 15625 pixels."),
        (("16x16x16", "4x4x4"), 600_000, "<h2>Gradient</h2>"),
        (("4x4", "500x500"), 600_000, "the first 24 of 500 outputs"),
    ],
)
def test_large_sizes_make_small_pages(command, tmp_path, sizes, size, text):
    path, picture = tmp_path / "a.html", tmp_path / "a.png"
    assert command("explain", *sizes, "--dialect", "torch", "--html", path, "--png", picture)[0] == 0
    assert path.stat().st_size < size
    assert text in path.read_text(encoding="utf-8")
    with Image.open(picture) as image:
        assert max(image.size) < 2000


def test_many_variants_make_rows_of_a_figure():
    facts = explain((16,), (4,), ["nearest", "bilinear", "bicubic", "area"], dialects=["torch", "opencv"])
    few = explain((16,), (4,), ["nearest", "bilinear"], dialects=["torch"])
    sizes = [Image.open(io.BytesIO(explanation_figure(one))).size for one in (facts, few)]
    assert len(facts.variants) == 8
    assert sizes[0][0] < 4.5 * 384 and sizes[0][1] > 1.7 * sizes[1][1]  # two rows of four


@pytest.mark.parametrize("option", ["--html", "--png"])
def test_an_unwritable_file_is_one_line(command, tmp_path, option):
    path = tmp_path / "no such\nfolder" / "a"
    code, out, err = command("explain", "16", "4", "--dialect", "tfjs", option, path)
    assert (code, out) == (1, "")
    assert err == f"sizewise: cannot write {str(path)!r}: No such file or directory\n"


def test_texts_of_a_page_are_escaped(command, tmp_path):
    path = tmp_path / "<b>&.html"
    command("explain", "16", "4", "--html", path)
    page = path.read_text(encoding="utf-8")
    assert "<b>&" not in page and "&lt;b&gt;&amp;.html" in page
