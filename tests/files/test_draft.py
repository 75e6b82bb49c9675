"""Drafts of JPEG files: the scale of Pillow's thumbnail, upright geometry, and the measured difference."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageOps

from sizewise.errors import ArgumentError
from sizewise.files import conversion, decode, draft, reading, resizing
from sizewise.files.conversion import Task
from sizewise.files.resizing import Recipe

RNG = np.random.default_rng(7)


def jpeg(height: int, width: int, orientation: int = 1, mode: str = "RGB", format: str = "JPEG") -> bytes:
    small = Image.fromarray(RNG.integers(0, 256, (height // 20 + 2, width // 20 + 2, 3), np.uint8))
    exif = Image.Exif()
    exif[274] = orientation
    file = io.BytesIO()
    small.resize((width, height), Image.Resampling.BICUBIC).convert(mode).save(file, format, exif=exif)
    return file.getvalue()


def resized(data: bytes, **arguments) -> tuple[np.ndarray, str | None]:
    """Return the pixels of a file after a resize with --draft, and the scale."""
    result = conversion.convert(data, "a.jpg", "npy", Task(Recipe(draft=True, **arguments)))
    return np.load(io.BytesIO(result.data)), result.draft


@pytest.mark.parametrize(
    ("size", "scale"), [((600, 800), 1), ((150, 200), 4), ((151, 200), 2), ((75, 100), 8), ((9, 12), 8), ((601, 9), 1)]
)
def test_decoded_size_is_at_least_twice_the_size(size, scale):
    picture = decode.read(jpeg(1200, 1600), "a", lambda _: size)
    assert picture.draft is not None
    assert (str(picture.draft), picture.draft.file_size) == (f"1/{scale}", (1200, 1600))
    assert picture.size == (1200 // scale, 1600 // scale)


@pytest.mark.parametrize("shape", [(640, 480), (641, 487), (487, 641)])
@pytest.mark.parametrize("method", ["bicubic", "lanczos"])
def test_pixels_are_those_of_a_thumbnail(shape, method):
    data = jpeg(*shape)
    with Image.open(io.BytesIO(data)) as image:
        image.thumbnail((60, 60), Image.Resampling[method.upper()])
        theirs = np.asarray(image)
    size = theirs.shape[:2]
    ours, scale = resized(data, size=size, dialect="pillow", method=method, options={"reducing_gap": 2.0})
    assert scale == "1/4"
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("dialect", ["pillow", "standard", "torch"])
def test_every_orientation_is_upright(orientation, dialect):
    data = jpeg(333, 451, orientation)
    size = (40, 64) if orientation < 5 else (64, 40)
    ours, scale = resized(data, size=size, dialect=dialect, antialias=True if dialect == "torch" else None)
    full = resizing.resize_picture(decode.read(data, "a"), Recipe(size=size, dialect="pillow"))[0].pixels
    assert scale == "1/2"
    assert ours.shape == (*size, 3)
    assert np.abs(ours.astype(int) - full).mean() < 3
    assert np.abs(ours[::-1, ::-1].astype(int) - full).mean() > 20  # control: another orientation


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_box_is_the_part_that_the_file_covers(orientation):
    data = jpeg(121, 203, orientation)
    found = decode.read(data, "a", lambda _: (4, 4)).draft
    assert found is not None
    with Image.open(io.BytesIO(data)) as image:  # marks of the covered part, rotated by Pillow
        marks = Image.new("L", (26, 16), 255)
        marks.putpixel((25, 0), 0)
        marks.putpixel((0, 15), 128)
        marks.getexif()[274] = image.getexif()[274]
    upright = np.asarray(ImageOps.exif_transpose(marks))
    left, upper, right, lower = found.box
    assert sorted((right - left, lower - upper)) == [121 / 8, 203 / 8]
    row, column = np.argwhere(upright == 0)[0]  # the column of 3 pixels of 8
    corner = np.argwhere(upright == 128)[0]  # the row of 1 pixel of 8
    cut = {(0, 0): left, (1, 0): upright.shape[1] - right, (0, 1): upper, (1, 1): upright.shape[0] - lower}
    horizontal = (int(column > 0), 0) if orientation < 5 else (int(row > 0), 1)
    vertical = (int(corner[0] > 0), 1) if orientation < 5 else (int(corner[1] > 0), 0)
    assert (cut[horizontal], cut[vertical]) == (26 - 203 / 8, 16 - 121 / 8)


@pytest.mark.parametrize(
    "arguments",
    [
        {"scale": 0.1},
        {"size": (30, 50), "fit": "contain"},
        {"size": (30, 50), "fit": "cover"},
        {"size": (30, 50), "fit": "letterbox"},
        {"scale": 0.1, "dialect": "opencv"},
    ],
)
def test_sizes_are_those_of_a_full_decode(arguments):
    data = jpeg(333, 451)
    task = Task(Recipe(draft=True, **arguments))
    drafted = conversion.convert(data, "a", "npy", task)
    full = conversion.convert(data, "a", "npy", Task(Recipe(**arguments)))
    assert (drafted.draft, full.draft) != (None, None)
    assert drafted.placements == full.placements
    assert np.load(io.BytesIO(drafted.data)).shape == np.load(io.BytesIO(full.data)).shape


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_gray_and_cmyk(mode):
    data = jpeg(160, 160, mode=mode)
    ours, scale = resized(data, size=(20, 20))
    full = resizing.resize_picture(decode.read(data, "a"), Recipe(size=(20, 20)))[0].pixels
    assert scale == "1/4"
    assert np.abs(ours.astype(int) - full).mean() < 3


def test_only_jpeg_is_affected():
    for format in ("PNG", "WEBP", "TIFF", "BMP"):
        data = jpeg(160, 160, format=format)
        ours, scale = resized(data, size=(20, 20))
        full = resizing.resize_picture(decode.read(data, "a"), Recipe(size=(20, 20)))[0].pixels
        assert scale is None
        np.testing.assert_array_equal(ours, full)


def test_a_draft_of_full_size_has_the_same_bits():
    data = jpeg(101, 75)
    ours, scale = resized(data, size=(60, 40))
    assert scale == "1/1"
    want = resizing.resize_picture(decode.read(data, "a"), Recipe(size=(60, 40)))[0].pixels
    np.testing.assert_array_equal(ours, want)
    assert conversion.measure_draft(data, "a", Task(Recipe(size=(60, 40), draft=True))) is None


def test_the_difference_is_measured():
    data, recipe = jpeg(400, 400), Recipe(size=(50, 50), draft=True)
    found = conversion.measure_draft(data, "a.jpg", Task(recipe))
    assert found is not None
    ours = resized(data, size=(50, 50))[0].astype(int)
    gaps = np.abs(ours - resizing.resize_picture(decode.read(data, "a"), Recipe(size=(50, 50)))[0].pixels)
    assert found == draft.Difference("a.jpg", "1/4", gaps.mean(), gaps.max())
    assert found.largest > 0
    assert conversion.measure_draft(data[:900], "a.jpg", Task(recipe)) is None
    assert conversion.measure_draft(jpeg(64, 64, format="PNG"), "a.png", Task(recipe)) is None


def test_options_in_pixels_of_the_file_are_rejected():
    with pytest.raises(ArgumentError, match="--option box is in pixels of the file, which --draft changes"):
        Recipe(size=(4, 4), dialect="pillow", options={"box": (0, 0, 9, 9)}, draft=True)
    with pytest.raises(ArgumentError, match="--option translation"):
        Recipe(size=(4, 4), dialect="jax", options={"translation": 1.0}, draft=True)


def test_the_beginning_of_files(tmp_path):
    (tmp_path / "a").write_bytes(jpeg(8, 8))
    (tmp_path / "b").write_bytes(b"")
    assert reading.begins_with(tmp_path / "a", conversion.JPEG_START)
    assert not reading.begins_with(tmp_path / "b", conversion.JPEG_START)
