"""`sizewise resize --draft`: the note with measured differences, and the records."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

RNG = np.random.default_rng(0)


def photo(path, height=480, width=640):
    small = Image.fromarray(RNG.integers(0, 256, (height // 8, width // 8, 3), np.uint8))
    path.parent.mkdir(parents=True, exist_ok=True)
    small.resize((width, height), Image.Resampling.BICUBIC).save(path)


@pytest.fixture
def photos(tmp_path):
    photo(tmp_path / "in" / "a.png")
    for name in ("b.jpg", "c.jpg"):
        photo(tmp_path / "in" / name)
    photo(tmp_path / "in" / "d.jpg", 960, 1280)
    return tmp_path


def test_the_note_has_measured_differences(command, photos):
    arguments = ("resize", photos / "in", "--size", "60x80", "--format", "png")
    assert command(*arguments, "-o", photos / "full")[0] == 0
    code, out, err = command(*arguments, "-o", photos / "out", "--draft", "--json")
    assert code == 0
    records = [json.loads(line) for line in out.splitlines()]
    assert [record.get("draft") for record in records] == [None, "1/4", "1/4", "1/8"]
    gaps = [
        np.abs(np.asarray(Image.open(photos / "full" / name)).astype(int) - Image.open(photos / "out" / name))
        for name in ("a.png", "b.png")
    ]
    assert gaps[0].max() == 0
    assert err.splitlines()[0] == (
        "note: --draft: 2 images at 1/4, 1 image at 1/8; pixels differ from a full decode: "
        f"in {photos / 'in' / 'b.jpg'} (1/4) by {gaps[1].mean():.2g} on average, {gaps[1].max()} at most, of 255"
    )


def test_no_note_without_a_draft(command, photos):
    (photos / "in" / "d.jpg").unlink()
    for more in (["--size", "60x80", "--draft", "--dry-run"], ["--size", "60x80"], ["--size", "400x500", "--draft"]):
        code, _, err = command("resize", photos / "in", "-o", photos / "out", *more, "--overwrite")
        assert (code, "--draft" in err) == (0, False)


def test_the_sample_is_read_before_it_is_replaced(command, photos):
    (photos / "in" / "0.jpg").write_bytes(b"\xff\xd8\xffbroken")
    code, _, err = command("resize", photos / "in", "-o", photos / "in", "--size", "60x80", "--draft", "--overwrite")
    assert code == 1
    assert f"in {photos / 'in' / 'b.jpg'} (1/4) by " in err
    (photos / "in" / "b.jpg").unlink()
    assert command("resize", photos / "in", "-o", photos / "out", "--size", "6x8", "--draft")[0] == 1
    photo(photos / "in" / "e.jpg")
    code, _, err = command("resize", photos / "in", "-o", photos / "out", "--size", "6x8", "--draft", "--skip-existing")
    assert code == 1
    assert f"in {photos / 'in' / 'e.jpg'} (1/8) by " in err


def test_bad_arguments(command, photos):
    arguments = ("--size", "6x8", "--draft", "--dialect", "jax", "--option", "translation=1.0")
    code, out, err = command("resize", photos / "in", "-o", photos / "out", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("sizewise: --option translation is in pixels of the file")
