"""`index_map` says which pixel nearest picks, and nearest picks it."""

from __future__ import annotations

from itertools import product

import naive_matrices
import numpy as np
from samples import sample
from variants import LONG_SIZES, SIZES, VARIANTS, Variant, at_each, by_dialect

import sizewise as sw

PICKING = [variant for variant in VARIANTS if variant.method == "nearest" and not variant.antialias]


def index_map(variant: Variant, n_in: int, n_out: int) -> np.ndarray:
    return sw.index_map(n_in, n_out, dialect=variant.dialect, **dict(variant.options))


@by_dialect(variant=PICKING)
@at_each(any_pair=(*SIZES, *LONG_SIZES))
def test_nearest_picks_these_pixels(variant: Variant, any_pair: tuple[int, int]) -> None:
    n_in, n_out = any_pair
    index = index_map(variant, n_in, n_out)
    assert index.shape == (n_out,)
    assert index.dtype.kind == "i"
    assert (variant.resize(np.arange(n_in), n_out) == index).all()


@by_dialect(variant=[v for v in PICKING if v.dialect in naive_matrices.MATRICES])
def test_equals_the_definition(variant: Variant) -> None:
    for n_in, n_out in sample(product((1, 2, 7, 26, 30, 64), (1, 3, 11, 22, 30, 65)), 3, variant):
        matrix = naive_matrices.MATRICES[variant.dialect](n_in, n_out, "nearest", False, **dict(variant.options))
        assert (index_map(variant, n_in, n_out) == matrix.argmax(axis=1)).all()


def test_known_lists() -> None:
    assert sw.index_map(5, 3).tolist() == [0, 2, 4]
    assert sw.index_map(5, 3, dialect="tfjs").tolist() == [0, 1, 3]
    assert sw.index_map(2, 4, dialect="tensorflow1", align_corners=True).tolist() == [0, 0, 1, 1]
    assert sw.index_map(2, 3, dialect="tfjs", half_pixel_centers=True).tolist() == [0, 1, 1]


def test_control_the_flags_matter() -> None:
    lists = {tuple(index_map(variant, 10, 7)) for variant in PICKING if variant.dialect == "tfjs"}
    assert len(lists) == 3
