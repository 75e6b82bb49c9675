"""Labels follow the pixels: the centroid of a resized blob is where `map_points` says, in every dialect and live."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from blobs import blob, centroid, position
from samples import fewer, sample
from variants import ALL, Variant, by_dialect, gives

import sizewise as sw
from sizewise import parity
from sizewise.errors import UnsupportedError
from sizewise.parity import reference

SIZES = ((97, 53), (64, 128), (120, 66), (61, 61), (108, 36), (180, 90), (53, 101), (300, 47))
BLOBS = fewer(6, 3)
PIXEL = 0.01  # of the output
ROUNDING = 2e-6  # of sums, and of what is left of a blob outside
UNEVEN = {"nearest", "nearest-exact", "nearest_exact", "box"}  # methods whose taps are not symmetric
UNEVEN_MEANS = {("torch", "area"), ("paddle", "area")}  # of all pixels that an output touches
LIVE = sample([one for one in ALL if one.dialect in parity.installed()], 3, "blobs")


def is_wavy(variant: Variant, grows: bool) -> bool:
    """Return whether the centroids of a filter oscillate about its grid: it does not keep straight ramps straight.

    Antialiasing widens the filters, and has no effect where an axis grows.
    """
    return (grows or not variant.antialias) and variant.method in ("cubic", "bicubic", "hamming")


def is_symmetric(variant: Variant, grows: bool) -> bool:
    """Return whether the taps of each output lie around its center, apart from a translation by parts of a pixel."""
    uneven = variant.method in UNEVEN or (variant.dialect, variant.method) in UNEVEN_MEANS or is_wavy(variant, grows)
    return not uneven and not gives(variant, {"translation"}) and "crop" not in str(variant)


def bound(variant: Variant, deviation: float, grows: bool) -> float:
    """Return how far a centroid may be from where it should be."""
    return PIXEL if is_symmetric(variant, grows) else max(PIXEL, deviation + ROUNDING)


def plan_or_none(variant: Variant, *sizes: Any) -> sw.Plan | None:
    try:
        return variant.plan(*sizes)
    except UnsupportedError:
        return None


def errors(variant: Variant, sizes: tuple[tuple[int, int], ...] = SIZES) -> list[tuple[float, float, str]]:
    """Return the distance of each blob from where it should be, how far it may be, and the case."""
    random, found = np.random.default_rng(len(str(variant))), []
    for n_in, n_out in sizes:
        plan = plan_or_none(variant, (n_in,), (n_out,))
        if plan is None:
            continue
        for at in random.random(BLOBS):
            center, sigma = position(n_in, n_out, at)
            result = plan.linear(blob(n_in, center, sigma))
            expected = plan.map_points([[center]], order="ij")[0, 0]
            grows, room = n_out > n_in, 8 * sigma * n_out / n_in
            if room < expected < n_out - room or is_symmetric(variant, grows):
                case = f"{variant}: {n_in} -> {n_out}, blob at {center}"
                limit = bound(variant, plan.geometry.deviation, grows)
                found.append((abs(centroid(result) - expected), limit, case))
                assert "cubic" not in variant.method or plan.geometry.deviation < 0.1, case
    return found


@by_dialect(variant=ALL)
def test_a_blob_is_where_map_points_says(variant: Variant) -> None:
    found = errors(variant)
    assert found
    for error, limit, case in found:
        assert error <= limit, (case, error)


@pytest.mark.parametrize("variant", LIVE, ids=str)
def test_a_blob_of_the_real_framework_is_there_too(variant: Variant) -> None:
    size, output_size = (97, 120), (53, 183)
    plan = plan_or_none(variant, size, output_size)
    if plan is None:
        pytest.skip("the framework rejects the sizes")
    random = np.random.default_rng(len(str(variant)))
    (y, sigma_y), (x, sigma_x) = (position(*one, random.random()) for one in zip(size, output_size, strict=True))
    image = np.multiply.outer(blob(size[0], y, sigma_y), blob(size[1], x, sigma_x)).astype(np.float32)
    theirs = np.asarray(reference.of(variant.dialect).resize(image[:, :, None], plan.request))[:, :, 0]
    expected = plan.map_points([x, y])
    limit = bound(variant, plan.geometry.deviation, grows=True)  # along the second axis
    assert abs(centroid(theirs, axis=1) - expected[0]) <= limit
    assert abs(centroid(theirs, axis=0) - expected[1]) <= limit


def test_uint8_of_real_libraries() -> None:
    """Bytes, as data pipelines have them: rounding moves a centroid by thousandths of a pixel."""
    for name, method in (("opencv", "linear"), ("opencv", "area"), ("pillow", "bicubic"), ("torch", "bilinear")):
        plan = sw.make_plan((120, 200), (50, 90), method, dialect=name)
        image = np.multiply.outer(blob(120, 55.3, 9.0), blob(200, 101.7, 11.0))
        theirs = reference.of(name).resize(np.rint(255 * image).astype(np.uint8)[:, :, None], plan.request)[:, :, 0]
        x, y = plan.map_points([101.7, 55.3])
        assert abs(centroid(theirs, axis=1) - x) < PIXEL
        assert abs(centroid(theirs, axis=0) - y) < PIXEL


CROPS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"dialect": "pillow", "box": (20.0, 10.5, 180.25, 111.0)}, "bicubic"),
    ({"dialect": "pillow", "box": (20.0, 10.5, 180.25, 111.0), "reducing_gap": 2.0}, "bilinear"),
    ({"dialect": "pillow", "box": (20.0, 10.0, 180.0, 110.0)}, "nearest"),
    ({"dialect": "jax", "scale": (0.5, 0.25), "translation": (3.25, -2.5)}, "linear"),
    ({"dialect": "tensorflow", "scale": (0.5, 0.25), "translation": (3.25, 2.5)}, "gaussian"),
    (
        {
            "dialect": "onnx",
            "coordinate_transformation_mode": "tf_crop_and_resize",
            "roi": (0.1, 0.05, 0.9, 0.8),
        },
        "linear",
    ),
)


@pytest.mark.parametrize(("options", "method"), CROPS, ids=[f"{one[0]['dialect']}-{one[1]}" for one in CROPS])
def test_crops(options: dict[str, Any], method: str) -> None:
    plan = sw.make_plan((120, 200), (60, 64), method, antialias=None, **options)
    image = np.multiply.outer(blob(120, 58.3, 7.0), blob(200, 99.7, 9.0))
    result = plan(image)
    x, y = plan.map_points([99.7, 58.3])
    vertical, horizontal = plan.geometry.axes
    assert abs(centroid(result, axis=1) - x) <= max(PIXEL, horizontal.deviation)
    assert abs(centroid(result, axis=0) - y) <= max(PIXEL, vertical.deviation)


def test_a_mirrored_axis() -> None:
    plan = sw.make_plan((120,), (60,), "linear", dialect="jax", scale=(-0.5,), translation=(60.0,), antialias=False)
    assert plan.geometry.axes[0].scale == -0.5
    assert abs(centroid(plan(blob(120, 41.3, 6.0))) - plan.map_points([41.3], order="ij")[0]) < PIXEL


@pytest.mark.parametrize("dialect", ["torch", "matlab", "paddle", "onnx", "opencv"])
def test_scales(dialect: str) -> None:
    """Coordinates are divided by the scale itself, which is not the ratio of the sizes."""
    plan = sw.make_plan((120,), scale=0.337, dialect=dialect)
    assert plan.geometry.axes[0].scale == pytest.approx(0.337, rel=1e-7)
    assert plan.output_size[0] / 120 != pytest.approx(0.337, rel=1e-3)
    assert abs(centroid(plan(blob(120, 53.1, 9.0))) - plan.map_points([53.1], order="ij")[0]) < PIXEL


def test_a_tile_and_the_transpose_have_their_geometry() -> None:
    plan = sw.make_plan((120, 90), (60, 45), "bicubic")
    inputs, tile = plan.tile((slice(10, 30), slice(5, 45)))
    point = np.array([50.0, 40.0])
    first = np.array([inputs[1].start, inputs[0].start])
    assert tile.map_points(point - first) == pytest.approx(plan.map_points(point) - [5, 10], abs=1e-12)
    assert plan.T.map_points(point) == pytest.approx(plan.unmap_points(point), abs=1e-12)


def test_grids_are_exact() -> None:
    """Scale and shift are correctly rounded ratios, not fits."""
    axis = sw.make_plan((640,), (384,), dialect="torch", align_corners=True).geometry.axes[0]
    assert axis.scale == 383 / 639
    assert axis.shift == pytest.approx(0.5 - 0.5 * 383 / 639, abs=1e-16)
    assert sw.make_plan((7,), (7,), "lanczos3").geometry.is_identity
    assert sw.make_plan((9,), (1,), dialect="torch", align_corners=True).map_points([0.5], order="ij")[0] == 0.5
    # An even number of pixels has none in its middle: the grid of their centers is half a pixel off.
    assert sw.make_plan((8,), (4,), "nearest").geometry.axes[0].shift == -0.25
    assert sw.make_plan((8,), (4,), "nearest").geometry.deviation == 0
    assert sw.make_plan((4,), (8,), "nearest", dialect="torch").geometry.axes[0].shift == 0


def test_control_half_pixel_centers_are_wrong_elsewhere() -> None:
    """The formula that everyone writes is off by up to half a pixel, or more with aligned corners."""
    for options in ({"dialect": "tensorflow1"}, {"dialect": "torch", "align_corners": True}):
        plan = sw.make_plan((300,), (75,), **options)
        center, sigma = position(300, 75, 0.05)
        found = centroid(plan(blob(300, center, sigma)))
        assert abs(found - plan.map_points([center], order="ij")[0]) < PIXEL
        assert abs(found - center * 75 / 300) > 0.15
