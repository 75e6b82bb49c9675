"""Flipping the image and flipping the result are the same, on grids that are symmetric."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tolerances import weight_bound
from variants import SIZES, VARIANTS, Variant, by_dialect, noise

import sizewise as sw

# The relative precision of the coordinates of each dialect; the others have exact ones.
COORDINATE_EPS = {
    **dict.fromkeys(("tfjs", "jax"), np.finfo(np.float64).eps),
    **dict.fromkeys(("tensorflow1", "tensorflow", "tflite"), np.finfo(np.float32).eps),
}
# Symmetric by definition, but for roundings that count: of edges, and at the edge of a filter that jumps there.
NEARLY = {("tensorflow", "area"), ("tensorflow", "gaussian")}


def is_symmetric(variant: Variant) -> bool:
    """Whether the grid of the variant is symmetric by its definition."""
    options = dict(variant.options)
    if "align_corners" not in options:
        return (variant.dialect, variant.method) not in NEARLY
    return variant.method != "area" and bool(options["align_corners"] or options["half_pixel_centers"])


def has_ties(variant: Variant, n_in: int, n_out: int) -> bool:
    """Whether a nearest coordinate lies between two pixels, where the rule must prefer one side; or one corner."""
    if dict(variant.options).get("align_corners"):
        grid = [Fraction(o * (n_in - 1), n_out - 1) + Fraction(1, 2) for o in range(n_out)] if n_out > 1 else [0]
    else:
        grid = [Fraction((2 * o + 1) * n_in, 2 * n_out) for o in range(n_out)]
    return variant.method == "nearest" and any(x == x // 1 for x in grid)


def flips(variant: Variant) -> list[tuple[int, int]]:
    """The sizes at which a flip commutes."""
    pairs = [pair for pair in SIZES if not has_ties(variant, *pair)]
    # With align_corners a single output pixel is the first corner, not the middle.
    return [(a, b) for a, b in pairs if b > 1 or a == 1 or not dict(variant.options).get("align_corners")]


SYMMETRIC = [
    variant for variant in VARIANTS if variant.dialect in {"standard", *COORDINATE_EPS} and is_symmetric(variant)
]


@by_dialect(variant=SYMMETRIC)
def test_flip_commutes(variant: Variant) -> None:
    assert len(flips(variant)) >= 5
    for n_in, n_out in flips(variant):
        taps = variant.plan((n_in,), (n_out,)).taps[0]
        x = noise((n_in,))
        difference = variant.resize(x[::-1], n_out)[::-1] - variant.resize(x, n_out)
        bound = weight_bound(taps, COORDINATE_EPS.get(variant.dialect, 0.0)) * taps.width * np.abs(x).max()
        assert np.abs(difference).max() <= bound


@pytest.mark.parametrize("dialect", ["tensorflow1", "tfjs"])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_control_the_default_grid_of_tensorflow1_does_not_commute(dialect: str, method: str) -> None:
    x = np.arange(6.0)
    flipped = sw.resize(x[::-1], 4, method, dialect=dialect)[::-1]
    assert np.abs(flipped - sw.resize(x, 4, method, dialect=dialect)).max() >= 0.5


def test_control_a_nearest_tie_does_not_commute() -> None:
    x = np.arange(4.0)
    assert (sw.resize(x[::-1], 2, "nearest")[::-1] != sw.resize(x, 2, "nearest")).any()
