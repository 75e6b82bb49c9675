"""`sw.identify` with jpeg=True: images that a real encoder compressed after the resize."""

from __future__ import annotations

import io

import numpy as np
import pytest
from identify_cache import shared_work
from PIL import Image
from samples import sample
from synthetic_photos import picture

import sizewise as sw
from sizewise.files import jpeg

SIZE = (70, 96)
WAYS = [
    *(("pillow", method) for method in ("bilinear", "bicubic", "lanczos")),
    *(("opencv", method) for method in ("linear", "area", "cubic")),
    ("torch", "bilinear"),
]


def compressed(y: np.ndarray, **options) -> np.ndarray:
    """Return pixels after Pillow's encoder and decoder."""
    file = io.BytesIO()
    Image.fromarray(y).save(file, "JPEG", **options)
    return np.asarray(Image.open(file))


@pytest.fixture(scope="module")
def quick():
    with shared_work():
        yield sw.identify


@pytest.mark.parametrize(("quality", "seed"), [(75, 4), (80, 1), (85, 0), (90, 2), (95, 4)])
def test_settings_are_read_from_files(quick, tmp_path, quality, seed):
    x = picture(seed, 140, 190)
    for dialect, method in sample(WAYS, 3, quality):
        path = tmp_path / f"{dialect}-{method}.jpg"
        Image.fromarray(sw.resize(x, SIZE, method, dialect=dialect)).save(path, quality=quality)
        found = quick(x, path, jpeg=True)
        assert (found.status, found.jpeg) == ("exact", "the file's own tables, 4:2:0"), found
        assert (dialect, method) in [(spec.dialect, spec.method) for spec in found.groups[0].specs]
    assert not quick(x, path).fits  # the control: without the model nothing fits


@pytest.mark.parametrize(("quality", "sampling"), [(75, "4:2:0"), (92, "4:4:4"), (95, "4:2:2")])
def test_quality_is_estimated_from_pixels(quick, quality, sampling):
    x = picture(4, 140, 190)
    y = compressed(sw.resize(x, SIZE, "bicubic", dialect="pillow"), quality=quality, subsampling=sampling)
    found = quick(x, y, jpeg=True)
    assert (found.status, found.jpeg) == ("exact", f"quality {quality}, {sampling}")
    assert ("pillow", "bicubic") in [(spec.dialect, spec.method) for spec in found.groups[0].specs]


def test_gray_and_progressive_files(quick, tmp_path):
    x = picture(4, 140, 190)[..., 0]
    path = tmp_path / "gray.jpg"
    Image.fromarray(sw.resize(x, SIZE, "area", dialect="opencv")).save(path, quality=88, progressive=True)
    found = quick(x, path, jpeg=True)
    assert (found.status, found.best.call) == ("exact", "opencv area")


@pytest.mark.parametrize("kind", ["crop", "noise", "other"])
def test_nothing_fits_an_edited_image(quick, kind):
    x = picture(4, 140, 190)
    y = sw.resize({"crop": x[7:-3, 9:-5], "other": picture(0, 140, 190)}.get(kind, x), SIZE, dialect="pillow")
    if kind == "noise":
        y = np.clip(y + np.random.default_rng(0).normal(0, 9, y.shape), 0, 255).astype(np.uint8)
    found = quick(x, compressed(y, quality=85), jpeg=True)
    assert (found.status, found.fits) == ("nothing fits", False)


def test_another_encoder_is_near(quick):
    import cv2

    x = picture(4, 140, 190)
    y = sw.resize(x, SIZE, "bicubic", dialect="pillow")
    data = cv2.imencode(".jpg", y[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    found = quick(x, np.asarray(Image.open(io.BytesIO(data.tobytes()))), jpeg=True)
    assert found.status in ("exact", "near"), found
    assert ("pillow", "bicubic") in [(spec.dialect, spec.method) for spec in found.groups[0].specs]


def test_jpeg_needs_uint8_of_one_or_three_channels(quick):
    deep = picture(4)[..., 0].astype(np.uint16)
    with pytest.raises(sw.errors.ArgumentError, match="JPEG is for uint8 with 1 or 3 channels, not uint16 with 1"):
        sw.identify(deep, sw.resize(deep, (20, 30)), jpeg=True)


def test_settings_compress_like_pillow():
    y = picture(1)
    np.testing.assert_array_equal(jpeg.at_quality(80).recompress(y), compressed(y, quality=80))
    assert (jpeg.at_quality(80).recompress(y) != compressed(y, quality=81)).any()


def test_other_files_have_no_settings(tmp_path):
    Image.fromarray(picture(1)).save(tmp_path / "a.png")
    assert jpeg.settings_of(tmp_path / "a.png") is None
