"""Placement of axes: known values, and the shift of a resized image."""

from __future__ import annotations

import numpy as np
import pytest

import sizewise as sw
from sizewise.insight.placement import placement
from sizewise.taps import Taps


def of(n_in, n_out, method="bilinear", **options):
    return placement(sw.make_plan((n_in,), (n_out,), method, **options).taps[0])


@pytest.mark.parametrize(
    ("n_in", "n_out", "method", "options", "shift", "shift_out", "stretch"),
    [
        (16, 4, "bilinear", {"dialect": "tensorflow1"}, 1.5, 0.375, 1),  # output o is pixel 4 o, not 4 o + 1.5
        (4, 8, "bilinear", {"dialect": "tensorflow1"}, -0.25, -0.5, 1),  # o / 2, not o / 2 - 0.25
        (100, 200, "bilinear", {"dialect": "tfjs"}, -0.25, -0.5, 1),
        (16, 4, "nearest", {"dialect": "torch"}, 1.5, 0.375, 1),
        (16, 4, "nearest-exact", {"dialect": "torch"}, -0.5, -0.125, 1),  # half a pixel beyond a tie: the next
        (15, 5, "nearest-exact", {"dialect": "torch"}, 0, 0, 1),
        (8, 16, "nearest", {"dialect": "torch"}, 0, 0, 1),
        (16, 4, "bilinear", {"dialect": "torch"}, 0, 0, 1),
        (16, 4, "bilinear", {}, 0, 0, 1),
        (16, 4, "bicubic", {"dialect": "torch", "align_corners": True}, 0, 0, None),
        (16, 4, "bilinear", {"dialect": "torch", "align_corners": True}, 0, 0, 0.8),  # 5 pixels apart instead of 4
        (64, 127, "bilinear", {"dialect": "torch", "align_corners": True}, 0, 0, (64 / 127) / (63 / 126)),
        (64, 64, "bilinear", {"dialect": "jax", "translation": 2.0}, 2, 2, 1),
        (1, 5, "bilinear", {}, 0, 0, 1),
        (5, 1, "bilinear", {}, 0, 0, 1),
    ],
)
def test_known_values(n_in, n_out, method, options, shift, shift_out, stretch):
    one = of(n_in, n_out, method, **options)
    assert (one.shift, one.shift_out) == (shift, shift_out)
    if stretch is not None:
        assert one.stretch == pytest.approx(stretch, abs=1e-6)


@pytest.mark.parametrize("dialect", ["standard", "torch", "jax", "pillow", "opencv", "tensorflow", "skimage", "matlab"])
@pytest.mark.parametrize("sizes", [(7, 3), (9, 5), (64, 10), (37, 22), (5, 12), (22, 37), (3, 200)], ids=str)
def test_half_pixel_centers_neither_shift_nor_stretch(dialect, sizes):
    for method in ("bilinear",) if dialect == "skimage" else ("bilinear", "bicubic"):
        one = of(*sizes, method, dialect=dialect)
        assert abs(one.shift) < 1e-3 and one.stretch == 1


@pytest.mark.parametrize(
    ("n_in", "n_out", "options"),
    [
        (400, 100, {"dialect": "tensorflow1"}),
        (400, 230, {"dialect": "tensorflow1"}),
        (100, 300, {"dialect": "tensorflow1"}),
        (400, 100, {"dialect": "torch", "align_corners": True}),
        (100, 300, {"dialect": "torch", "align_corners": True}),
        (400, 100, {}),
        (200, 200, {"dialect": "jax", "translation": 3.25}),
    ],
    ids=str,
)
def test_a_resized_bump_shifts_as_stated(n_in, n_out, options):
    """The center of mass of a wide bump moves as the placement says, wherever the bump is."""
    one = of(n_in, n_out, **options)
    plan = sw.make_plan((n_in,), (n_out,), **options)
    for center in (0.35 * n_in, 0.6 * n_in):
        bump = np.exp(-0.5 * ((np.arange(n_in) - center) / (0.04 * n_in)) ** 2)
        out = plan(bump)
        middle = float(out @ np.arange(n_out) / out.sum())
        straight = (center + 0.5) * n_out / n_in - 0.5
        stretched = (straight - (n_out - 1) / 2) * one.stretch + (n_out - 1) / 2
        assert middle == pytest.approx(stretched + one.shift_out * one.stretch, abs=5e-3)


def test_control_a_wrong_shift_is_detected():
    plan = sw.make_plan((400,), (100,), dialect="tensorflow1")
    bump = np.exp(-0.5 * ((np.arange(400) - 150) / 16) ** 2)
    out = plan(bump)
    straight = 150.5 / 4 - 0.5
    assert abs(float(out @ np.arange(100) / out.sum()) - straight) > 0.3


def test_coordinates_equal_the_centroids():
    for options in ({"dialect": "tensorflow1"}, {"dialect": "torch", "align_corners": True}, {}):
        plan = sw.make_plan((64,), (16,), **options)
        one = placement(plan.taps[0])
        ramp = plan(np.arange(64.0))
        np.testing.assert_allclose(one.coordinates(np.arange(16))[2:-2], ramp[2:-2], atol=1e-4)


def test_empty_outputs_are_ignored():
    assert placement(Taps(4, [0, 0], np.zeros((2, 1)))).shift == 0
    assert placement(Taps(4, [0, 1], [[0.0], [1.0]])).shift == 1.5  # h(1) = 2.5
