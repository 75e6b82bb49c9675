"""Comparisons of dialects on an image: values equal those of the real libraries, and reasons are correct."""

from __future__ import annotations

import math

import numpy as np
import pytest
from frameworks import resize_with
from synthetic_photos import picture

import sizewise as sw
from sizewise.insight.comparison import compare, similar_method

X = picture(4, 96, 128)


def variants(*names):
    return list(names)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "nearest"])
def test_pixels_equal_those_of_the_real_libraries(method):
    facts = compare(X, (24, 32), variants("pillow", "opencv", "torch", "tensorflow"), method)
    first = None
    for entry in facts.entries:
        spec = entry.spec
        theirs = resize_with(spec.dialect, X, (24, 32), spec.method, antialias=spec.antialias)
        theirs = theirs if theirs.dtype == np.uint8 else np.rint(theirs).clip(0, 255).astype(np.uint8)
        np.testing.assert_array_equal(entry.pixels, theirs)
        first = theirs if first is None else first
        apart = np.abs(theirs.astype(float) - first)
        one = entry.difference
        assert (one.largest, one.mean) == (apart.max(), pytest.approx(apart.mean()))
        assert one.percent == pytest.approx(100 * (apart > 0).any(-1).mean())
        if apart.any():
            assert one.psnr == pytest.approx(10 * math.log10(255**2 / (apart**2).mean()))
        assert [channel.largest for channel in entry.channels] == apart.max(axis=(0, 1)).tolist()
        np.testing.assert_array_equal(entry.apart, apart.max(axis=-1))


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("pillow", "opencv", "OpenCV does not antialias: it reads 25 % of the pixels, Pillow all; opencv area is"),
        ("opencv", "pillow", "OpenCV does not antialias: it reads 25 % of the pixels, Pillow all"),
        ("pillow", "matlab", "the filters differ, by up to "),
        ("pillow", "jax", "the weights are the same, only their rounding differs"),
        ("pillow:box", "torch:area", "the weights are the same, only their rounding differs"),
    ],
)
def test_reasons(one, other, message):
    assert message in compare(X, (24, 32), variants(one, other)).entries[1].finding


def test_antialiasing_is_named_even_where_all_pixels_are_read():
    finding = compare(X, (48, 64), variants("pillow", "opencv")).entries[1].finding
    assert ": OpenCV does not antialias, Pillow does" in finding
    assert "antialias" not in compare(X, (192, 256), variants("jax", "opencv")).entries[1].finding


def test_colors_of_printers_are_not_taken_for_alpha(tmp_path):
    from PIL import Image

    image = Image.fromarray(X).convert("CMYK")
    image.save(tmp_path / "a.tiff")
    facts = compare(tmp_path / "a.tiff", (24, 32), variants("pillow", "opencv"))
    same = compare(np.asarray(image.convert("RGB")), (24, 32), variants("pillow", "opencv"))
    assert facts == same and np.array_equal(facts.entries[0].pixels, same.entries[0].pixels)


def test_differences_of_deep_images_are_whole():
    finding = compare(X.astype(np.uint16) * 257, (24, 32), variants("pillow", "opencv")).entries[1].finding
    assert " of 65,535, PSNR" in finding and "e+0" not in finding


def test_the_direction_of_a_shift():
    given = ["tfjs half_pixel_centers=true", "tfjs"]
    finding = compare(X, (192, 256), given).entries[1].finding
    assert ": tfjs bilinear lies 0.25 input pixels further up and 0.25 input pixels further left than tfjs" in finding
    ramp = np.tile(np.arange(128.0), (96, 1))  # larger values mean further to the left
    half, plain = (entry.pixels for entry in compare(ramp, (192, 256), given).entries)
    assert (plain - half)[96, 128] == pytest.approx(0.25)


def test_remedies_work():
    facts = compare(X, (24, 32), variants("pillow", "torch"))
    assert "; torch bilinear, antialias=True gives the same pixels" in facts.entries[1].finding
    better = compare(X, (24, 32), [*variants("pillow"), "torch antialias=true"])
    assert better.entries[1].difference.largest == 0


def test_a_missing_method_is_noted_and_a_similar_one_used():
    facts = compare(X, (24, 32), [*variants("pillow", "tfjs", "opencv"), "skimage:linear"], "lanczos")
    assert [entry.spec.call for entry in facts.entries] == ["pillow lanczos", "opencv lanczos4", "skimage linear"]
    assert facts.notes[0] == "left out: tfjs has no lanczos; write tfjs:METHOD to choose another"
    assert facts.notes[2] == "floats of scikit-image are rounded to uint8 and clipped, as users do"


def test_similar_methods():
    assert similar_method("pillow", "area") == "box"
    assert similar_method("opencv", "BICUBIC") == "cubic"


@pytest.mark.parametrize("dtype", [np.uint16, np.float32, np.int32])
@pytest.mark.parametrize("channels", [(), (1,), (3,), (5,)])
def test_other_dtypes_and_channels(dtype, channels):
    x = np.random.default_rng(0).integers(0, 255, (20, 30, *channels)).astype(dtype)
    facts = compare(x, (10, 15), variants("pillow", "opencv", "tensorflow"))
    assert {entry.pixels.dtype for entry in facts.entries} == {np.dtype(dtype)}
    assert facts.entries[1].difference.largest > 0
    assert facts.range == {"uint16": 65535, "float32": x.max() - x.min(), "int32": 2**32 - 1}[np.dtype(dtype).name]


def test_alpha_is_premultiplied_as_pillow_does():
    from PIL import Image

    x = np.concatenate([X, picture(0, 96, 128)[..., :1]], axis=-1)
    facts = compare(x, (24, 32), variants("pillow", "opencv"))
    real = np.asarray(Image.fromarray(x).resize((32, 24), Image.Resampling.BILINEAR))
    np.testing.assert_array_equal(facts.entries[0].pixels, real)
    assert facts.notes == (
        "reproduced by Sizewise (as Pillow 13.0 and OpenCV 5.0): no other package was called",
        "Pillow multiplies colors by alpha first; all others resize alpha as one more channel",
    )


@pytest.mark.parametrize(
    ("size", "given", "method", "message"),
    [
        ((24,), variants("pillow", "opencv"), "bilinear", "size is 24; an image has two lengths"),
        ((0, 4), variants("pillow", "opencv"), "bilinear", "size: entry 0 is 0; every entry must be"),
        ((24, 32), variants("pillow"), "bilinear", "give two different variants or more"),
        ((24, 32), variants("pillow", "pillow"), "bilinear", "got pillow bilinear"),
        ((24, 32), variants("pillow", "opencw"), "bilinear", "did you mean 'opencv'"),
        ((24, 32), variants("pillow", "opencv"), "bilinaer", "unknown method of dialect 'pillow': 'bilinaer'"),
        ((24, 32), [*variants("pillow"), "opencv:box9"], "area", "unknown method of dialect 'opencv'"),
        ((24, 32), [*variants("pillow"), "opencv a=1"], "area", "unknown option of dialect"),
        ((24, 32), [*variants("pillow"), "opencv antialias=true"], "bilinear", "has no antialias=True"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(size, given, method, message):
    with pytest.raises(sw.errors.ArgumentError, match=message):
        compare(X, size, given, method)
