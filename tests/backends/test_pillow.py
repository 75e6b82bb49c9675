"""Pillow images in, Pillow images out: modes, alpha, rounding, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import sizewise as sw
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError

SIZE = (5, 9)  # height and width of results
ARRAYS = {
    "L": (np.uint8, ()),
    "RGB": (np.uint8, (3,)),
    "RGBA": (np.uint8, (4,)),
    "LA": (np.uint8, (2,)),
    "CMYK": (np.uint8, (4,)),
    "I;16": (np.uint16, ()),
    "I": (np.int32, ()),
    "F": (np.float32, ()),
}


def make_image(mode: str, seed: int = 0) -> Image.Image:
    """Return a seeded image, 8 high and 12 wide."""
    dtype, bands = ARRAYS[mode]
    random = np.random.default_rng(seed)
    pixels = random.integers(0, 2**16 if dtype is np.uint16 else 2**8, (8, 12, *bands)).astype(dtype)
    image = Image.frombytes(mode, (12, 8), pixels.tobytes())
    image.info["dpi"] = (72, 72)
    return image


@pytest.mark.parametrize("dialect", ["standard", "torch", "opencv", "onnx"])
@pytest.mark.parametrize("mode", ARRAYS)
def test_an_image_is_resized_as_the_array_of_its_bands(mode: str, dialect: str) -> None:
    image = make_image(mode)
    resized, expected = (sw.resize(x, SIZE, dialect=dialect) for x in (image, np.asarray(image)))
    assert (type(resized), resized.mode, resized.size) == (Image.Image, mode, SIZE[::-1])
    assert resized.info == image.info
    assert expected.dtype == ARRAYS[mode][0]
    np.testing.assert_array_equal(np.asarray(resized), expected)


@pytest.mark.parametrize("mode", ARRAYS)
@pytest.mark.parametrize("method", ["bicubic", "nearest", "lanczos"])
def test_pillows_dialect_is_image_resize(mode: str, method: str) -> None:
    image = make_image(mode)
    expected = image.resize(SIZE[::-1], Image.Resampling[method.upper()])
    assert sw.resize(image, SIZE, method, dialect="pillow").tobytes() == expected.tobytes()


def test_alpha_is_premultiplied_in_pillows_dialect_only() -> None:
    image = make_image("RGBA")
    bands = np.asarray(image)
    assert np.any(np.asarray(sw.resize(image, SIZE, dialect="pillow")) != sw.resize(bands, SIZE, dialect="pillow"))
    assert np.all(np.asarray(sw.resize(image, SIZE, dialect="torch")) == sw.resize(bands, SIZE, dialect="torch"))


def test_an_image_of_the_same_size_is_copied() -> None:
    image = make_image("RGBA")
    copied = sw.resize(image, (8, 12), dialect="pillow")
    assert copied is not image and copied.tobytes() == image.tobytes()


def test_a_box_of_the_same_size_is_premultiplied_as_pillow_does() -> None:
    image = make_image("RGBA")
    expected = image.resize((4, 3), Image.Resampling.BICUBIC, box=(2, 1, 6, 4))
    made = sw.resize(image, (3, 4), "bicubic", dialect="pillow", box=(2, 1, 6, 4))
    assert made.tobytes() == expected.tobytes()


def test_floats_of_a_dialect_are_rounded() -> None:
    image = make_image("RGB")
    floats = sw.resize(np.asarray(image), SIZE, "bicubic", dialect="tensorflow")
    assert floats.dtype == np.float32 and ((floats < 0) | (floats > 255)).any()
    resized = sw.resize(image, SIZE, "bicubic", dialect="tensorflow")
    np.testing.assert_array_equal(np.asarray(resized), np.rint(np.clip(floats, 0, 255)).astype(np.uint8))


def test_big_endian_pixels_are_read_as_they_are() -> None:
    pixels = np.random.default_rng(0).integers(0, 2**16, (8, 12)).astype(">u2")
    image = Image.frombytes("I;16B", (12, 8), pixels.tobytes())
    resized = sw.resize(image, SIZE)
    assert resized.mode == "I;16B"
    assert resized.tobytes() == sw.resize(pixels, SIZE).astype(">u2").tobytes()


@pytest.mark.parametrize("mode", ["1", "P"])
def test_bits_and_indices_are_picked(mode: str) -> None:
    image = make_image("RGB").convert(mode)
    resized = sw.resize(image, SIZE, "nearest")
    assert resized.mode == mode
    rows, columns = sw.index_map(8, SIZE[0]), sw.index_map(12, SIZE[1])
    np.testing.assert_array_equal(np.asarray(resized), np.asarray(image)[rows][:, columns])
    assert resized.getpalette() == image.getpalette()


@pytest.mark.parametrize("mode", ["1", "P", "PA"])
def test_bits_and_indices_are_not_mixed(mode: str) -> None:
    image = make_image("RGB").convert("P" if mode == "PA" else mode).convert(mode)
    with pytest.raises(UnsupportedError, match=rf"mode {mode} holds .* image.convert\('RGB'\), or use nearest"):
        sw.resize(image, SIZE)
    if mode != "PA":  # Pillow takes other pixels of these than box, which copies pixels of an image that grows
        with pytest.raises(UnsupportedError, match="cannot be mixed"):
            sw.resize(image, (11, 17), "box", dialect="pillow")
        assert sw.resize(image, (8, 12), "box", dialect="pillow").tobytes() == image.tobytes()


def test_plans_axes_scales_and_engines() -> None:
    image = make_image("RGB")
    expected = sw.resize(np.asarray(image), SIZE)
    plan = sw.make_plan((8, 12), SIZE)
    for made in (plan(image), sw.resize(image, SIZE, layout="HWC"), sw.resize(image, SIZE, engine="framework")):
        assert made.mode == "RGB"
        assert np.abs(np.asarray(made).astype(int) - expected).max() <= 1
    assert sw.resize(image, 6, axes=1).size == (6, 8)
    assert sw.resize(image, scale=0.5).size == (6, 4)
    assert sw.resize(image, SIZE, threads=1).tobytes() == expected.tobytes()


def test_gradients_are_of_floats() -> None:
    image = make_image("F")
    gradient = sw.resize_grad(image, (16, 24))
    np.testing.assert_array_equal(np.asarray(gradient), sw.resize_grad(np.asarray(image), (16, 24)))
    with pytest.raises(DtypeError, match="gradients exist for floating dtypes only"):
        sw.resize_grad(make_image("L"), (16, 24))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": np.empty(SIZE)}, "out cannot be used with Pillow images"),
        ({"axes": (1, 2)}, "an image has the axes 0 and 1"),
        ({"layout": "CHW"}, "an image has the axes 0 and 1"),
    ],
)
def test_what_images_do_not_take(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        sw.resize(make_image("RGB"), SIZE, **options)


def test_an_image_file_is_read_once_it_is_used(tmp_path: object) -> None:
    path = f"{tmp_path}/image.png"
    make_image("RGB").save(path)
    with Image.open(path) as opened:
        assert sw.resize(opened, SIZE).tobytes() == sw.resize(make_image("RGB"), SIZE).tobytes()


def test_tiles_of_integers_that_are_rounded_twice_are_refused() -> None:
    _, tile = sw.make_plan((8, 12), SIZE, "bicubic", dialect="pillow").tile((slice(0, 2), slice(0, 9)))
    with pytest.raises(UnsupportedError, match="it cannot be computed in tiles"):
        tile(make_image("I").crop((0, 0, tile.input_size[1], tile.input_size[0])))


def test_other_things_of_pillow_are_no_images() -> None:
    from PIL import ImageFilter

    with pytest.raises(ArgumentTypeError, match=r"use a PIL\.Image\.Image"):
        sw.resize(ImageFilter.BoxBlur(1), SIZE)
