"""Reading pixels: every mode of images as an array, and one clear error for whatever is wrong with a file."""

from __future__ import annotations

import os

import numpy as np
import pytest
from pictures import picture
from PIL import Image

from sizewise.errors import FileError
from sizewise.files.reading import read_pixels

X = picture(4, 20, 30)


@pytest.mark.parametrize(
    ("name", "image", "shape", "dtype"),
    [
        ("rgb.png", Image.fromarray(X), (20, 30, 3), "uint8"),
        ("rgb.jpg", Image.fromarray(X), (20, 30, 3), "uint8"),
        ("rgb.webp", Image.fromarray(X), (20, 30, 3), "uint8"),
        ("grey.png", Image.fromarray(X[..., 0]), (20, 30), "uint8"),
        ("grey16.png", Image.fromarray(X[..., 0].astype(np.uint16) * 257), (20, 30), "uint16"),
        ("grey16.tif", Image.fromarray(X[..., 0].astype(np.uint16) * 257), (20, 30), "uint16"),
        ("float.tif", Image.fromarray(X[..., 0].astype(np.float32)), (20, 30), "float32"),
        ("bits.png", Image.fromarray(X[..., 0] > 100), (20, 30), "uint8"),
        ("palette.png", Image.fromarray(X).quantize(16), (20, 30, 3), "uint8"),
        ("alpha.png", Image.fromarray(np.dstack([X, X[..., 0]])), (20, 30, 4), "uint8"),
        ("grey-alpha.png", Image.fromarray(np.dstack([X[..., 0], X[..., 1]])), (20, 30, 2), "uint8"),
        ("inks.jpg", Image.fromarray(X).convert("CMYK"), (20, 30, 3), "uint8"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_modes(tmp_path, name, image, shape, dtype):
    image.save(tmp_path / name)
    pixels = read_pixels(tmp_path / name)
    assert (pixels.shape, pixels.dtype.name, pixels.dtype.isnative) == (shape, dtype, True)
    if image.mode in ("RGB", "L", "RGBA", "LA", "I;16", "F") and not name.endswith(("jpg", "webp")):
        np.testing.assert_array_equal(pixels, np.asarray(image))


def test_a_transparent_palette_keeps_its_alpha(tmp_path):
    Image.fromarray(X).quantize(16).save(tmp_path / "a.png", transparency=0)
    assert read_pixels(tmp_path / "a.png").shape == (20, 30, 4)


def test_exif_turns_the_image(tmp_path):
    exif = Image.Exif()
    exif[0x112] = 6
    Image.fromarray(X).save(tmp_path / "a.png", exif=exif)
    np.testing.assert_array_equal(read_pixels(tmp_path / "a.png"), np.rot90(X, -1))


def test_arrays_are_read_as_they_are(tmp_path):
    np.save(tmp_path / "a.npy", X.astype(">f4"))
    np.testing.assert_array_equal(read_pixels(tmp_path / "a.npy"), X)


def test_objects_are_never_unpickled(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[print]], object), allow_pickle=True)
    with pytest.raises(FileError, match="is no array that NumPy can read"):
        read_pixels(tmp_path / "a.npy")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("kind", ["png", "jpg", "webp", "tif"])
def test_truncated_images(tmp_path, kind, share):
    whole = tmp_path / f"whole.{kind}"
    Image.fromarray(picture(0, 60, 80)).save(whole)
    data = whole.read_bytes()
    path = tmp_path / f"part.{kind}"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(FileError, match=r"part\."):
        read_pixels(path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files(tmp_path):
    path = tmp_path / "a.png"
    Image.fromarray(X).save(path)
    path.chmod(0)
    with pytest.raises(FileError, match="Permission denied"):
        read_pixels(path)


def test_folders_and_other_things(tmp_path):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(FileError, match="Is a directory"):
        read_pixels(tmp_path / "folder.png")
    np.save(tmp_path / "words.npy", np.array([["a"]]))
    with pytest.raises(FileError, match="pixels are integers or floats"):
        read_pixels(tmp_path / "words.npy")
