"""`sizewise compare`: text, JSON, pages and figures, and every error."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image
from synthetic_photos import picture

import sizewise as sw

NAMES = ("--dialects", "pillow,opencv,torch,jax", "--variant", "torch bilinear antialias=true")


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.png"
    Image.fromarray(picture(4, 96, 128)).save(path)
    return path


def test_no_line_is_cut_or_padded(command, scene, monkeypatch):
    for columns in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        _, out, _ = command("compare", scene, "24x32", *NAMES)
        assert "…" not in out
        assert all(len(line) <= columns and line == line.rstrip() for line in out.splitlines())


def test_json_holds_the_facts(command, scene):
    code, out, err = command("compare", scene, "24x32", *NAMES, "--json")
    record = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (record["input_size"], record["output_size"], record["dtype"], record["range"]) == (
        [96, 128], [24, 32], "uint8", 255,
    )  # fmt: skip
    x = picture(4, 96, 128)
    first, opencv = record["variants"][:2]
    assert (first["label"], first["difference"]["psnr"], first["finding"]) == ("pillow bilinear", None, None)
    apart = np.abs(sw.resize(x, (24, 32), dialect="opencv").astype(int) - sw.resize(x, (24, 32), dialect="pillow"))
    assert opencv["difference"]["largest"] == apart.max()
    assert [one["mean"] for one in opencv["channels"]] == apart.mean(axis=(0, 1)).tolist()
    assert record["variants"][4]["antialias"] is True


def test_the_usual_dialects_are_compared_by_default(command, scene):
    record = json.loads(command("compare", scene, "24x32", "--json", "--method", "bicubic")[1])
    assert [one["dialect"] for one in record["variants"]] == ["pillow", "opencv", "torch", "tensorflow"]
    only = json.loads(command("compare", scene, "24x32", "--json", "--variant", "pillow:box", "--variant", "jax")[1])
    assert [one["label"] for one in only["variants"]] == ["pillow box", "jax linear, then rounded"]


def test_a_page_and_a_figure_are_written(command, scene, tmp_path):
    page, figure = tmp_path / "a.html", tmp_path / "a.png"
    code, out, _ = command("compare", scene, "24x32", *NAMES, "--html", page, "--png", figure)
    assert (code, out) == (0, command("compare", scene, "24x32", *NAMES)[1])
    content = page.read_text(encoding="utf-8")
    assert content.startswith("<!doctype html>")
    assert "http" not in content
    assert content.count('class="heat"') == 3  # equal pixels are a sentence
    assert content.count("No pixel differs.") == 1
    assert 'id="original"' in content
    with Image.open(figure) as image:
        assert image.format == "PNG"
        assert min(image.size) > 500


@pytest.mark.parametrize("kind", ["gray", "alpha", "16 bit", "float", "tall", "large"])
def test_all_kinds_of_images_make_a_page_and_a_figure(command, tmp_path, kind):
    x, size = picture(4, 96, 128), "24x32"
    path = tmp_path / "x.npy"
    if kind == "gray":
        x = x[..., 0]
    elif kind == "alpha":
        x = np.concatenate([x, x[..., :1]], axis=-1)
    elif kind == "16 bit":
        x = x[..., 0].astype(np.uint16) * 257
    elif kind == "float":
        x = (x / 255).astype(np.float32)
    elif kind == "tall":
        x, size = x[:, :5], "40x2"
    else:
        size = "700x900"
    np.save(path, x)
    files = tmp_path / "a.html", tmp_path / "a.png"
    code, _, err = command("compare", path, size, "--html", files[0], "--png", files[1])
    assert (code, err.count("Wrote")) == (0, 2)
    assert all(file.stat().st_size > 1000 for file in files)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["24"], "size is 24; an image has two lengths, like 224x224"),
        (["24xx"], "SIZE is '24xx'; write lengths like 16x16, 480x640 or 1024"),
        (["24x32", "--dialects", "pillow,opencw"], "unknown dialect: 'opencw'; did you mean 'opencv'?"),
        (
            ["24x32", "--dialects", "pillow"],
            "give two different variants or more, like pillow,opencv,torch; got",
        ),
        (["24x32", "--dialects", ""], "give two different variants or more"),
        (["24x32", "--dialects", "pillow,torch:lanczso"], "unknown method of dialect 'torch': 'lanczso'; did you mean"),
        (["24x32", "--variant", "torch a b c"], "variant 'torch a b c': write it like 'torch bicubic"),
        (["24x32", "--variant", "align_corners=true"], "variant 'align_corners=true': write it like 'torch"),
        (["24x32", "--variant", "torch antialias=3"], "variant 'torch antialias=3': write it like 'torch"),
        (["24x32", "--variant", "pillow", "--variant", "torch aling=1"], "unknown option of dialect 'torch': 'aling'"),
        (["24x32", "--html", "x", "--png", "x"], "--html and --png are both 'x'; give them different files"),
        (["24x32", "--png", "scene.png"], "--png 'scene.png' is IMAGE itself; give it another name"),
        (["99999999x99999999"], "a result of 99999999x99999999 pixels would take"),
    ],
)
def test_bad_arguments_are_one_line_on_stderr(command, scene, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = command("compare", scene, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"sizewise: {message}"), err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scene.png"]


def test_unwritable_files_are_one_line(command, scene, tmp_path):
    for option in ("--html", "--png"):
        code, out, err = command("compare", scene, "24x32", option, tmp_path / "missing" / "a")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert err.startswith("sizewise: cannot write ")


def test_results_are_labeled_as_reproduced(command, scene, tmp_path):
    arguments = ("compare", scene, "24x32", "--dialects", "pillow,opencv,standard")
    _, text, _ = command(*arguments)
    assert "Note: reproduced by Sizewise (as Pillow 13.0 and OpenCV 5.0): no other package was called" in " ".join(
        text.split()
    )
    record = json.loads(command(*arguments, "--json")[1])
    assert [one["source"] for one in record["variants"]] == [
        "reproduced by Sizewise (as Pillow 13.0)",
        "reproduced by Sizewise (as OpenCV 5.0)",
        "Sizewise",
    ]
    command(*arguments, "--html", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count("Pillow 13.0") == page.count("(as Pillow 13.0")
