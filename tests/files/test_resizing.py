"""Resizing of pictures: equal to sw.resize and to Pillow, with colors weighted by alpha."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import sizewise as sw
from sizewise.errors import ArgumentError, FileError
from sizewise.files.picture import Picture
from sizewise.files.resizing import Recipe, resize_array, resize_picture

RNG = np.random.default_rng(0)
BANDS = {"L": (), "LA": (2,), "RGB": (3,), "RGBA": (4,), "CMYK": (4,)}
METHODS = ["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]


def noise(bands: str, dtype="uint8", size=(37, 53)) -> np.ndarray:
    return RNG.integers(0, np.iinfo(dtype).max, (*size, *BANDS[bands]), dtype, endpoint=True)


@pytest.mark.parametrize("size", [(12, 17), (80, 30), (37, 53)])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bands", BANDS)
def test_dialect_pillow_equals_pillow(bands, method, size):
    pixels = noise(bands)
    image = Image.frombytes(bands, (53, 37), pixels.tobytes())
    theirs = np.asarray(image.resize(size[::-1], Image.Resampling[method.upper()]))
    ours, _ = resize_picture(Picture(pixels, bands), Recipe(size=size, method=method, dialect="pillow"))
    np.testing.assert_array_equal(ours.pixels, theirs)


@pytest.mark.parametrize("method", ["nearest", "bilinear", "lanczos"])
def test_dialect_pillow_equals_pillow_in_16_and_32_bits(method):
    for pixels in (noise("L", "uint16"), noise("L", "int32"), RNG.random((37, 53), np.float32)):
        theirs = np.asarray(Image.fromarray(pixels).resize((17, 12), Image.Resampling[method.upper()]))
        ours, _ = resize_picture(Picture(pixels, "L"), Recipe(size=(12, 17), method=method, dialect="pillow"))
        np.testing.assert_array_equal(ours.pixels, theirs)


@pytest.mark.parametrize("dialect", ["standard", "opencv", "torch", "tensorflow1", "jax", "pillow@12"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_pixels_equal_those_of_resize(dialect, dtype):
    for bands in ("L", "RGB", "CMYK"):
        pixels = noise(bands, dtype)
        ours, _ = resize_picture(Picture(pixels, bands), Recipe(size=(12, 17), dialect=dialect))
        np.testing.assert_array_equal(ours.pixels, sw.resize(pixels, (12, 17), dialect=dialect))
        ours, _ = resize_picture(Picture(pixels, bands), Recipe(scale=0.3, dialect=dialect))
        np.testing.assert_array_equal(ours.pixels, sw.resize(pixels, scale=0.3, axes=(0, 1), dialect=dialect))


@pytest.mark.parametrize("dialect", ["standard", "pillow", "opencv"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_opaque_alpha_has_no_effect(dialect, dtype):
    for bands in ("LA", "RGBA"):
        pixels = noise(bands, dtype)
        pixels[..., -1] = np.iinfo(dtype).max
        recipe = Recipe(size=(12, 17), dialect=dialect, method="bicubic")
        ours = resize_picture(Picture(pixels, bands), recipe)[0].pixels
        assert (ours[..., -1] == np.iinfo(dtype).max).all()
        plain = pixels[..., :-1] if bands == "RGBA" else pixels[..., 0]
        want = resize_picture(Picture(plain, bands[:-1]), recipe)[0].pixels
        np.testing.assert_array_equal(ours[..., :-1].squeeze(), want)


@pytest.mark.parametrize("dialect", ["standard", "pillow", "opencv", "torch"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_colors_of_transparent_pixels_do_not_bleed(dialect, dtype):
    limit = np.iinfo(dtype).max
    pixels = np.zeros((40, 40, 4), dtype)
    pixels[:, :20] = (limit, 0, 0, limit)  # red; the other half is transparent green
    pixels[:, 20:] = (0, limit, 0, 0)
    recipe = Recipe(size=(7, 7), dialect=dialect)
    ours = resize_picture(Picture(pixels, "RGBA"), recipe)[0].pixels
    seen = ours[ours[..., 3] > 0]
    assert (seen[:, 0] >= limit - limit // 100).all()
    assert (seen[:, 1] == 0).all()
    bleeding = sw.resize(pixels, (7, 7), dialect=dialect if dialect != "pillow" or dtype == "uint8" else "standard")
    assert bleeding[bleeding[..., 3] > 0][:, 1].max() > 0  # control: unweighted colors bleed


def test_blended_colors_are_the_weighted_mean():
    pixels = noise("RGBA", "uint16", (30, 40))
    ours = resize_picture(Picture(pixels, "RGBA"), Recipe(size=(7, 9)))[0].pixels
    exact = pixels / 65535
    share = sw.resize(exact[..., 3:], (7, 9))
    want = sw.resize(exact[..., :3] * exact[..., 3:], (7, 9)) / share
    assert np.abs(ours[..., :3] / 65535 - want).max() <= 0.51 / 65535
    np.testing.assert_array_equal(ours[..., 3], sw.resize(pixels[..., 3], (7, 9)))


def test_nearest_keeps_palettes_bits_and_hidden_colors():
    palette = RNG.integers(0, 256, (9, 3), np.uint8)
    labels = RNG.integers(0, 9, (20, 30), np.uint8)
    picked, _ = resize_picture(Picture(labels, "P", palette), Recipe(size=(7, 11), method="nearest"))
    assert picked.kind == ("P", "uint8")
    np.testing.assert_array_equal(picked.pixels, sw.resize(labels, (7, 11), "nearest"))
    mixed, _ = resize_picture(Picture(labels, "P", palette), Recipe(size=(7, 11)))
    assert mixed.kind == ("RGB", "uint8")
    np.testing.assert_array_equal(mixed.pixels, sw.resize(palette[labels], (7, 11)))
    bits = labels > 4
    for dialect in ("standard", "pillow"):
        picked, _ = resize_picture(Picture(bits, "L"), Recipe(size=(7, 11), method="nearest", dialect=dialect))
        np.testing.assert_array_equal(picked.pixels, sw.resize(bits, (7, 11), "nearest", dialect=dialect))
        mixed, _ = resize_picture(Picture(bits, "L"), Recipe(size=(7, 11), dialect=dialect))
        np.testing.assert_array_equal(mixed.pixels, sw.resize(bits * np.uint8(255), (7, 11), dialect=dialect))
    hidden = noise("RGBA")
    hidden[..., 3] = 0
    picked, _ = resize_picture(Picture(hidden, "RGBA"), Recipe(size=(7, 11), method="nearest"))
    np.testing.assert_array_equal(picked.pixels, sw.resize(hidden, (7, 11), "nearest"))


def test_letterbox_pads_with_the_color():
    pixels = np.full((10, 20, 3), 200, np.uint8)
    for pad, want in ((None, [0, 0, 0]), ((255, 128, 0), [255, 128, 0]), (114.0, [114] * 3)):
        ours, where = resize_picture(Picture(pixels, "RGB"), Recipe(size=(15, 10), fit="letterbox", pad=pad))
        assert (where.size, where.start) == ((5, 10), (5, 0))
        assert ours.pixels[0, 0].tolist() == ours.pixels[-1, -1].tolist() == want
        assert (ours.pixels[5:10] == 200).all()

    def corner(picture, pad):
        return resize_picture(picture, Recipe(size=(40, 10), fit="letterbox", pad=pad))[0].pixels[0, 0].tolist()

    assert corner(Picture(noise("RGBA"), "RGBA"), None) == [0, 0, 0, 0]
    assert corner(Picture(noise("RGBA"), "RGBA"), (1, 2, 3)) == [1, 2, 3, 255]
    assert corner(Picture(noise("RGBA", "uint16"), "RGBA"), (255, 0, 0, 128)) == [65535, 0, 0, 128 * 257]
    assert corner(Picture(noise("CMYK"), "CMYK"), None) == list(
        Image.new("RGB", (1, 1)).convert("CMYK").getpixel((0, 0))
    )
    assert corner(Picture(RNG.random((10, 10), np.float32), "L"), 0.5) == 0.5
    with pytest.raises(FileError, match="with a number"):
        corner(Picture(RNG.random((10, 10), np.float32), "L"), (1, 2, 3))
    for pad, given in ((300.0, "300"), (float("nan"), "nan"), (float("inf"), "inf"), ((300, 0, 0), r"\(300, 0, 0\)")):
        with pytest.raises(FileError, match=f"--pad must be 0 to 255 for this image, got {given}"):
            corner(Picture(noise("RGB"), "RGB"), pad)


def test_letterbox_of_a_palette_pads_with_one_of_its_colors():
    palette = np.array([[9, 9, 9], [255, 0, 0]], np.uint8)
    picture = Picture(np.ones((4, 8), np.uint8), "P", palette)
    for pad, index in ((None, 0), ((255, 0, 0), 1), ((9, 9, 9), 0)):
        ours, _ = resize_picture(picture, Recipe(size=(8, 8), fit="letterbox", pad=pad, method="nearest"))
        assert ours.pixels[0, 0] == index
    with pytest.raises(FileError, match="no color"):
        resize_picture(picture, Recipe(size=(8, 8), fit="letterbox", pad=(1, 1, 1), method="nearest"))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", ">f4", "float64"])
def test_arrays_equal_those_of_resize(dtype):
    array = (RNG.random((2, 9, 8, 3)) * 100).astype(dtype)
    for arguments, axes in (({}, (-3, -2)), ({"axes": (0, 1)}, (0, 1))):
        ours, where = resize_array(array, Recipe(size=(4, 5), **arguments))
        np.testing.assert_array_equal(ours, sw.resize(array, (4, 5), axes=axes))
        assert where.output_size == (4, 5)
    line, _ = resize_array(array[0, :, 0, 0], Recipe(size=(4,), axes=(0,)))
    np.testing.assert_array_equal(line, sw.resize(array[0, :, 0, 0], 4))
    kept, where = resize_array(np.arange(5), Recipe(size=(4, 5)))
    assert (kept.tolist(), where) == ([0, 1, 2, 3, 4], None)


def test_arrays_in_letterboxes():
    ours, _ = resize_array(np.ones((4, 8)), Recipe(size=(8, 8), fit="letterbox", pad=-7.5))
    assert ours[0, 0] == -7.5
    assert (ours[2:6] == 1).all()
    with pytest.raises(FileError, match="with a number"):
        resize_array(np.ones((4, 8)), Recipe(size=(8, 8), fit="letterbox", pad=(1, 2, 3)))
    integers, _ = resize_array(np.ones((4, 8), np.uint8), Recipe(size=(8, 8), fit="letterbox", pad=254.9))
    assert integers[0, 0] == 255
    for pad in (300.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(FileError, match=f"--pad must be 0 to 255 for uint8, got {pad:g}"):
            resize_array(np.ones((4, 8), np.uint8), Recipe(size=(8, 8), fit="letterbox", pad=pad))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give --size 480x640 or --scale 0.5; neither is given"),
        ({"size": (4, 4), "scale": 0.5}, "give --size or --scale; both are given"),
        ({"scale": 0.5, "fit": "cover"}, "--fit cover is for --size"),
        ({"scale": 0.0}, "--scale is 0.0"),
        ({"scale": float("nan")}, "--scale is nan"),
        ({"scale": float("inf")}, "--scale is inf"),
        ({"size": (0, 4)}, "--size is 0x4"),
        ({"size": (2**31, 4)}, "--size is 2147483648x4"),
        ({"size": (4, 4), "fit": "covr"}, "did you mean 'cover'"),
        ({"size": (4, 4), "dialect": "pilow"}, "did you mean 'pillow'"),
        ({"size": (4, 4), "dialect": "pillow", "method": "lanczos3"}, "did you mean 'lanczos'"),
        ({"size": (4, 4), "dialect": "pillow", "antialias": False}, "has no antialias=False"),
        ({"size": (4, 4), "options": {"align_corner": True}, "dialect": "torch"}, "did you mean 'align_corners'"),
    ],
)
def test_invalid_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        Recipe(**arguments)
