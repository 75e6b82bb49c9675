"""`sw.identify`: every variant of every dialect is identified on natural-looking images, and nothing else."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from identify_cache import shared_work
from samples import sample
from skimage import transform
from synthetic_photos import picture

import sizewise as sw
from sizewise.insight import identify as finding
from sizewise.insight.candidates import by_popularity

IMAGES = 20
EACH = int(
    os.environ.get("SIZEWISE_IDENTIFY_IMAGES", "1")
)  # images for each variant; `make test-identify` asks for all 20
SIZES = ((23, 31), (40, 55), (70, 90), (61, 40), (17, 83))  # of results: smaller, larger, one axis kept
VARIANTS = [(name, *one) for name in sw.dialects.names() for one in sw.dialects.get(name).variants()]


def pixels(x, size, variant):
    """Return what users of a dialect get as uint8, from the dialect or by rounding; None where the size differs."""
    name, method, antialias, options = variant
    made = sw.resize(x, size, method, antialias=antialias, dialect=name, **options)
    if made.shape[:2] != size:
        return None
    return made if made.dtype == x.dtype else np.rint(made).clip(0, 255).astype(np.uint8)


def names(found, variant):
    """Return whether the candidates include a variant: with its options, unless its method ignores them."""
    name, method, antialias, options = variant
    same = [
        spec
        for spec in found.groups[0].specs
        if (spec.dialect, spec.method, spec.antialias) == (name, method, antialias)
    ]
    default = dict(sw.dialects.get(name).fill_options({}))
    matters = [option for option in options if any(dict(spec.options)[option] != default[option] for spec in same)]
    asked = {option: options[option] for option in matters}
    return any(all(dict(spec.options)[option] == value for option, value in asked.items()) for spec in same)


def mine(seed):
    """Return the variants to try on an image: each on EACH of them."""
    return [variant for index, variant in enumerate(VARIANTS) if (index - seed) % IMAGES < EACH]


@pytest.mark.parametrize("seed", sample(range(IMAGES), 4))
def test_every_variant_is_found_again(seed):
    x, size = picture(seed), SIZES[(seed + seed // 5) % 5]
    missed, tried = [], 0
    with shared_work():
        for variant in mine(seed):
            y = pixels(x, size, variant)
            if y is None or y.shape == x.shape:
                continue
            tried += 1
            found = finding.identify(x, y)
            if found.status != "exact" or not names(found, variant):
                missed.append((variant, found.verdict))
    assert missed == []
    assert tried > 9 * EACH


def test_control_a_variant_that_is_not_tried_is_missed(monkeypatch):
    x = picture(0)
    variant = ("opencv", "area", True, {})
    y = pixels(x, (23, 31), variant)
    assert names(finding.identify(x, y), variant)
    others = [name for name in by_popularity() if not name.startswith("opencv")]
    assert not names(finding.identify(x, y, dialects=others), variant)


FLOATS = [
    variant for variant in VARIANTS if variant[1] in ("bilinear", "linear", "bicubic", "cubic", "lanczos3", "area")
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_are_found_to_rounding(dtype):
    x = (picture(4).astype(dtype) / 255).astype(dtype)
    missed = []
    with shared_work():
        for name, method, antialias, options in sample(FLOATS[:: 4 if EACH < IMAGES else 1], 3, dtype):
            y = sw.resize(x, (23, 31), method, antialias=antialias, dialect=name, **options)
            if y.shape[:2] == (23, 31):
                found = finding.identify(x, y)
                if found.status != "exact" or not names(found, (name, method, antialias, options)):
                    missed.append((name, method, antialias, options, found.verdict))
    assert missed == []


def test_large_results_are_told_apart_from_windows_of_them():
    x = picture(4, 600, 800)
    for variant in (("pillow", "lanczos", True, {}), ("opencv", "linear", False, {})):
        found = sw.identify(x, pixels(x, (301, 402), variant))
        assert found.status == "exact"
        assert found.best.dialect == variant[0], found
        assert {spec.dialect.partition("@")[0] for spec in found.groups[0].specs} == {variant[0]}


def test_a_scale_that_was_given_is_found():
    x = picture(4, 101, 77)
    y = sw.resize(x, scale=0.5, method="bilinear", dialect="torch")
    found = sw.identify(x, y)
    assert (found.status, found.best.call) == ("exact", "torch bilinear, scale=0.5")
    assert found.lines[1] == (
        "PyTorch",
        "F.interpolate(tensor, scale_factor=0.5, mode='bilinear', align_corners=False)",
    )


def test_floats_cut_off_are_found():
    x = picture(0)
    y = sw.resize(x, (23, 31), dialect="tensorflow").clip(0, 255).astype(np.uint8)
    found = sw.identify(x, y)
    assert found.status == "exact"
    assert "tensorflow bilinear, then truncated" in [spec.label for spec in found.groups[0].specs]


@pytest.mark.parametrize("seed", [1, 4])
def test_what_is_off_by_one_is_found_within_one(seed):
    x, random = picture(seed), np.random.default_rng(seed)
    y = sw.resize(x, (23, 31), "bicubic", dialect="pillow")
    off = np.where(random.random(y.shape) < 0.03, random.choice([-1, 1], y.shape), 0)
    found = sw.identify(x, np.clip(y.astype(int) + off, 0, 255).astype(np.uint8))
    assert (found.status, found.groups[0].error.largest) == ("within 1", 1)
    assert found.verdict.startswith("within 1, not identified: nearest are pillow bicubic; pillow@12 bicubic")
    assert (found.confidence, 88 < found.groups[0].percent < 95) == ("unsure", True)
    few = np.where(off, random.random(y.shape) < 0.2, False) * off
    likely = sw.identify(x, np.clip(y.astype(int) + few, 0, 255).astype(np.uint8))
    assert likely.verdict.startswith("within 1: one of pillow bicubic; pillow@12 bicubic")
    assert likely.verdict.endswith("a library that Sizewise does not know may have made it")
    assert (likely.confidence, likely.groups[0].percent >= 95) == ("likely", True)


UNKNOWN = np.load(Path(__file__).with_name("unknown_libraries.npz"))


@pytest.mark.parametrize("size", [(23, 31), (40, 55)])
@pytest.mark.parametrize(("order", "smooth"), sample(product((2, 3, 4, 5), (False, True)), 3))
def test_splines_of_skimage_are_not_pinned_on_another_library(order, smooth, size):
    x = picture(4)
    made = transform.resize(x, size, order=order, anti_aliasing=smooth, preserve_range=True)
    found = sw.identify(x, np.rint(made.clip(0, 255)).astype(np.uint8))
    assert found.confidence in ("unsure", "none"), found
    assert "not identified" in found.verdict or found.status == "nothing fits"


def test_images_of_unknown_libraries_are_not_pinned_on_known_ones():
    """Made by benchmarks/identify_unknown.py: libvips, SciPy, SimpleITK, kornia-rs and Skia."""
    x, seen = picture(4), set()
    with shared_work():
        for name, pixels in UNKNOWN.items():
            found = finding.identify(x, pixels)
            seen.add(found.confidence)
            if found.confidence == "certain":  # the same formula, bit for bit
                assert name.startswith(("scipy zoom 1", "SimpleITK linear", "kornia-rs", "skia")), (name, found)
            elif found.fits:
                assert "a library that Sizewise does not know may have made it" in found.verdict
                named = found.groups[0].specs[0].method
                assert found.confidence == "unsure" or named.removesuffix("cubic")[-6:] in name, (name, found)
    assert {"certain", "likely", "unsure", "none"} == seen


@pytest.mark.parametrize("size", [(48, 64), (23, 31), (32, 32), (40, 55)])
def test_area_of_opencv_is_named_first(size):
    import cv2

    x = picture(0)
    found = sw.identify(x, cv2.resize(x, size[::-1], interpolation=cv2.INTER_AREA))
    assert (found.status, found.best.label) == ("exact", "opencv area")
    assert found.verdict.startswith("undecidable at this size between opencv area")


def altered(kind, x):
    """Return results that no resize of the original gives."""
    y = sw.resize(x, (30, 40), dialect="pillow")
    if kind == "crop":
        return sw.resize(x[4:-3, 5:-2], (30, 40), dialect="pillow")
    if kind == "noise":
        return np.clip(y + np.random.default_rng(0).normal(0, 3, y.shape), 0, 255).astype(np.uint8)
    if kind == "gamma":
        return np.rint(255 * (y / 255) ** 0.8).astype(np.uint8)
    if kind == "mirror":
        return y[:, ::-1].copy()
    return sw.resize(picture(12), (30, 40), dialect="pillow")


@pytest.mark.parametrize("seed", sample(range(5), 3))
def test_nothing_fits_what_is_no_plain_resize(seed):
    x = picture(seed)
    with shared_work():
        assert sw.identify(x, sw.resize(x, (30, 40), dialect="pillow")).fits
        for kind in ("crop", "noise", "gamma", "mirror", "another image"):
            found = sw.identify(x, altered(kind, x))
            assert (found.status, found.fits, found.best, found.lines) == ("nothing fits", False, None, ()), kind
            assert found.verdict.startswith("nothing fits: not a plain resize of this original")


def test_a_flat_image_tells_nothing():
    x = np.full((20, 30, 3), 128, np.uint8)
    found = sw.identify(x, np.full((10, 15, 3), 128, np.uint8))
    assert found.status == "exact"
    assert found.verdict.startswith("undecidable at this size between pillow nearest; ")
    assert len(found.groups[0].specs) > 300


def test_the_same_size_is_no_resize():
    x = picture(0)
    assert sw.identify(x, x).verdict == "same size: nothing was resized; all pixels are identical"
    assert sw.identify(x, x ^ 1).status == "same size"
    assert not sw.identify(x, x).fits


def test_order_is_identical_then_largest_then_residual():
    x = picture(1)
    y = sw.resize(x, (23, 31), "bicubic", dialect="pillow")
    y = np.clip(y.astype(int) + (np.indices(y.shape).sum(0) % 7 == 0), 0, 255).astype(np.uint8)
    scores = [group.error for group in sw.identify(x, y).groups]
    keys = [(-one.identical, one.largest, one.residual) for one in scores if 100 * one.identical >= one.pixels]
    assert len(keys) > 3
    assert keys == sorted(keys)


def test_gray_alpha_and_units():
    gray = picture(4)[..., 0]
    assert sw.identify(gray, sw.resize(gray, (20, 30), dialect="opencv")).best.dialect == "opencv"
    alpha = np.concatenate([picture(4), picture(0)[..., :1]], axis=-1)
    found = sw.identify(alpha, sw.resize(alpha[..., :3], (20, 30), dialect="pillow"))
    assert found.best.dialect == "pillow"
    assert found.notes == ("alpha of the original is ignored: the resized image has none",)
    units = (sw.resize(picture(4).astype(np.float32) / 255, (20, 30), dialect="jax")).astype(np.float32)
    found = sw.identify(picture(4), units)
    assert (found.status, found.notes) == ("exact", ("floats are assumed to be uint8 divided by 255",))
    assert "jax" in [spec.dialect for spec in found.groups[0].specs]


@pytest.mark.parametrize(
    ("original", "resized", "message"),
    [
        (np.zeros(5), np.zeros((2, 2)), r"original has shape \(5,\); an image is"),
        (np.zeros((4, 4)), np.zeros((0, 2)), r"resized has shape \(0, 2\)"),
        (np.zeros((4, 4, 3), np.uint8), np.zeros((2, 2), np.uint8), "original has 3 channels and resized has 1"),
        (np.zeros((4, 4), np.uint8), np.zeros((2, 2), np.uint16), "original is uint8 and resized is uint16"),
        (np.full((4, 4), np.nan), np.zeros((2, 2)), "original contains NaN or Inf"),
        (np.full((4, 4), "a"), np.zeros((2, 2)), "original must be an array of real numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(original, resized, message):
    if original.ndim == 3:
        original = original + np.arange(3, dtype=np.uint8)  # else it is gray
    with pytest.raises(sw.errors.SizewiseError, match=message):
        sw.identify(original, resized)


def test_unknown_dialects_are_refused():
    with pytest.raises(sw.errors.UnknownNameError, match="did you mean 'pillow'"):
        sw.identify(np.zeros((4, 4), np.uint8), np.zeros((2, 2), np.uint8), dialects=["pilow"])


def test_every_dialect_has_a_place_among_the_by_popularity():
    assert sorted(by_popularity()) == sorted(sw.dialects.names())


def test_stored_pixels_of_a_rotated_photo_are_hinted_at(tmp_path):
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(picture(0, 48, 64)).save(tmp_path / "photo.png", exif=exif)
    small = np.asarray(Image.open(tmp_path / "photo.png").resize((16, 16), Image.Resampling.BICUBIC))
    found = sw.identify(tmp_path / "photo.png", small, dialects=["pillow"])
    assert not found.fits and "; EXIF turns the original upright: if the result was made from" in found.verdict
    assert sw.identify(np.asarray(Image.open(tmp_path / "photo.png")), small, dialects=["pillow"]).status == "exact"
