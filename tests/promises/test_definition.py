"""The taps are those of the definition: filters from the textbooks, those of the frameworks in plain loops."""

from __future__ import annotations

from itertools import product

import naive_filters
import naive_matrices
import numpy as np
import pytest
from samples import sample
from tolerances import weight_bound
from variants import EVERY, SIZES, Variant, by_dialect, pair_id

import sizewise as sw

# Where a zero lies at a number that floats cannot hold (Mitchell's cubic: 8/7), or distances are rounded as a framework
# rounds them, weights there are 1e-17 instead.
ROUNDED_ZEROS = {
    ("standard", "mitchell"),
    ("pillow", "bicubic"),
    ("pillow", "mks2021"),
    ("torch", "bicubic"),
    ("jax", "linear"),
    ("jax", "cubic"),
    ("jax", "cubic-pytorch"),
    *(("matlab", method) for method in ("bicubic", "lanczos2", "lanczos3")),
}
DEFINED = [variant for variant in EVERY if variant.dialect in naive_matrices.MATRICES]


def assert_defined(variant: Variant, n_in: int, n_out: int, expected: np.ndarray) -> None:
    """Asserts the same places of non-zero weights, and the same weights to rounding."""
    taps = variant.plan((n_in,), (n_out,)).taps[0]
    matrix = taps.dense()
    if (variant.dialect.partition("@")[0], variant.method) not in ROUNDED_ZEROS:
        assert ((matrix != 0) == (expected != 0)).all()
    assert np.abs(matrix - expected).max() <= weight_bound(taps)


def definition(variant: Variant, n_in: int, n_out: int) -> np.ndarray:
    return naive_matrices.MATRICES[variant.dialect](
        n_in, n_out, variant.method, variant.antialias, **dict(variant.options)
    )


@by_dialect(variant=DEFINED)
def test_taps_equal_the_definition(variant: Variant) -> None:
    for pair in sample(SIZES, 3, variant):
        assert_defined(variant, *pair, definition(variant, *pair))


@by_dialect(variant=DEFINED)
def test_taps_equal_the_definition_at_all_small_sizes(variant: Variant) -> None:
    for n_in, n_out in sample(product(range(1, 13), repeat=2), 4, variant):
        assert_defined(variant, n_in, n_out, definition(variant, n_in, n_out))


def test_every_filter_of_the_library_has_a_definition_here() -> None:
    assert set(naive_filters.FILTERS) == set(sw.filters.names())


@by_dialect(variant=DEFINED)
def test_control_a_small_error_in_one_weight_is_seen(variant: Variant) -> None:
    wrong = definition(variant, 9, 7)
    wrong[3, 4] += 1e-9
    with pytest.raises(AssertionError):
        assert_defined(variant, 9, 7, wrong)


# Smallest sizes where the precision of the coordinates decides which pixel is read.
@pytest.mark.parametrize("pair", [(26, 22), (14, 23)], ids=pair_id)
def test_control_float32_coordinates_pick_other_pixels(pair: tuple[int, int]) -> None:
    options = {"align_corners": pair == (14, 23), "half_pixel_centers": False}
    single = sw.index_map(*pair, dialect="tensorflow1", **options)
    double = sw.index_map(*pair, dialect="tfjs", **options)
    assert (single != double).any()
