"""`sizewise identify`: text, JSON, exit codes, and every bad file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from synthetic_photos import picture

import sizewise as sw


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.png"
    Image.fromarray(picture(4, 96, 128)).save(path)
    return path


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.png"
    Image.fromarray(picture(4, 96, 128)).resize((32, 24), Image.Resampling.LANCZOS).save(path)
    return path


def test_no_line_is_cut_or_padded(command, scene, small, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = command("identify", scene, small)
    assert "…" not in out
    assert all(len(line) <= 60 and line == line.rstrip() for line in out.splitlines())


def test_json_holds_the_facts(command, scene, small):
    code, out, err = command("identify", scene, small, "--json", "--dialects", "pillow,opencv")
    record, facts = json.loads(out), sw.identify(scene, small, dialects=["pillow", "opencv"])
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (record["status"], record["fits"], record["verdict"]) == ("exact", True, facts.verdict)
    assert record["lines"] == dict(facts.lines)
    assert record["tried"] == facts.tried
    best = record["groups"][0]
    assert (best["identical"], best["pixels"], best["largest"]) == (768, 768, 0)
    assert best["ways"][0]["label"] == "pillow lanczos"
    assert best["ways"][0]["library"] == "Pillow 13.0"
    assert [len(group["ways"]) for group in record["groups"]] == [len(group.specs) for group in facts.groups]


def test_a_page_is_written_and_named(command, scene, small, tmp_path):
    page = tmp_path / "a page.html"
    arguments = ("identify", scene, small, "--dialects", "pillow,opencv")
    code, out, err = command(*arguments, "--html", page)
    assert (code, out, err) == (0, command(*arguments)[1], f"Wrote {str(page)!r}\n")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "http" not in text and "@import" not in text
    assert f"sizewise identify {scene} {small} --dialects pillow,opencv --html &#39;{page}&#39;" in text
    assert "sw.resize(image, (24, 32), method=&#39;lanczos&#39;, dialect=&#39;pillow&#39;)" in text


@pytest.mark.parametrize(
    "kind", ["gray", "alpha", "16 bit", "float", "to float", "rounded", "jpeg as PNG", "same size"]
)
def test_every_kind_of_pair_makes_a_page(command, tmp_path, kind):
    x, options = picture(4, 96, 128), []
    if kind == "gray":
        x = x[..., :1]
    elif kind == "alpha":
        x = np.concatenate([x, x[..., :1]], axis=-1)
    elif kind == "16 bit":
        x = x[..., 0].astype(np.uint16) * 257
    elif kind == "float":
        x = (x / 255).astype(np.float32)
    y = sw.resize(x, (96, 128) if kind == "same size" else (24, 32), dialect="opencv")
    if kind == "to float":
        y = sw.resize((x / 255).astype(np.float32), (24, 32), dialect="opencv")
    elif kind == "rounded":
        y = np.rint(sw.resize(x.astype(np.float32), (24, 32), dialect="opencv")).astype(np.uint8)
    elif kind == "jpeg as PNG":
        Image.fromarray(y).save(tmp_path / "y.jpg", quality=80)
        y, options = np.asarray(Image.open(tmp_path / "y.jpg")), ["--jpeg"]
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    page = tmp_path / "a.html"
    arguments = [tmp_path / "x.npy", tmp_path / "y.npy", "--dialects", "opencv", *options]
    code, _, err = command("identify", *arguments, "--html", page)
    assert (code, err) == (1 if kind == "same size" else 0, f"Wrote {str(page)!r}\n")
    assert page.read_text(encoding="utf-8").count('class="pixels"') == (2 if kind == "same size" else 3)


def test_a_page_may_not_replace_an_image(command, scene, small):
    for path, name in ((scene, "ORIGINAL"), (small, "RESIZED")):
        data = path.read_bytes()
        code, out, err = command("identify", scene, small, "--html", path)
        assert (code, out) == (2, "")
        assert err == f"sizewise: --html {str(path)!r} is {name} itself; give it another name\n"
        assert path.read_bytes() == data


def test_jpeg_files_say_what_was_assumed(command, scene, tmp_path):
    path = tmp_path / "small.jpg"
    Image.fromarray(picture(4, 96, 128)).resize((64, 48), Image.Resampling.BICUBIC).save(path, quality=80)
    assert command("identify", scene, path, "--dialects", "pillow")[0] == 1
    code, out, _ = command("identify", scene, path, "--jpeg", "--dialects", "pillow")
    assert code == 0
    assert "after JPEG compression (the file's own tables," in " ".join(out.split())


def test_the_original_is_needed(command, small):
    code, out, err = command("identify", small)
    assert (code, out) == (2, "")
    assert err == (
        "sizewise: give ORIGINAL and RESIZED: a resized image alone does not show how it was made; "
        "identify resizes the original with every known method and compares the pixels\n"
    )


def test_the_same_size_is_told(command, scene):
    code, out, _ = command("identify", scene, scene)
    assert (code, out.splitlines()[1]) == (1, "same size: nothing was resized; all pixels are identical")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("text.png", b"not an image", "not an image in a supported format"),
        ("empty.jpg", b"", "the file is empty"),
        ("missing.png", None, "No such file or directory"),
        ("array.npy", b"not an array", "it does not begin like an NPY file"),
        ("bad\nname\x1b[31m.png", b"x", "'bad\\nname\\x1b[31m.png': not an image"),
    ],
)
def test_bad_files_are_one_line(command, scene, monkeypatch, tmp_path, name, data, message):
    monkeypatch.chdir(tmp_path)
    if data is not None:
        Path(name).write_bytes(data)
    for order in ((scene, name), (name, scene)):
        code, out, err = command("identify", *order)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert message in err
        assert "\x1b" not in err


def test_truncated_and_lying_files_are_one_line(command, scene, tmp_path):
    data = scene.read_bytes()
    (tmp_path / "half.png").write_bytes(data[: len(data) // 2])
    np.save(tmp_path / "a.npy", np.zeros((24, 32, 3), np.uint8))
    lie = (tmp_path / "a.npy").read_bytes().replace(b"(24, 32, 3)", b"(24000000, 32000000, 3)")
    (tmp_path / "lie.npy").write_bytes(lie)
    np.save(tmp_path / "flat.npy", np.zeros(5))
    for name, message in (
        ("half.png", "image file is truncated"),
        ("lie.npy", "it ends early"),
        ("flat.npy", "shape (5,)"),
    ):
        code, out, err = command("identify", scene, tmp_path / name)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert message in err


def test_a_decompression_bomb_is_an_error(command, scene, monkeypatch):
    for limit in (96 * 128 - 1, 96 * 128 // 3):  # where Pillow warns, and where it refuses
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        code, out, err = command("identify", scene, scene)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert "it may be a bomb" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dialects", "pilow"], "unknown dialect: 'pilow'; did you mean 'pillow'?"),
        (["--jpg"], "No such option: --jpg"),
    ],
)
def test_misuse_is_one_line(command, scene, small, arguments, message):
    code, out, err = command("identify", scene, small, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"sizewise: {message}")


def test_other_channels_are_misuse(command, scene, tmp_path):
    Image.fromarray(picture(4, 24, 32)).convert("L").save(tmp_path / "gray.png")
    code, _, err = command("identify", scene, tmp_path / "gray.png")
    assert code == 2
    assert err.startswith("sizewise: original has 3 channels and resized has 1;")
