"""Equal arguments give the same plan, however they are spelled."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from variants import VARIANTS, Variant, by_dialect

import sizewise as sw


@by_dialect(variant=VARIANTS)
def test_equal_arguments_give_the_same_plan(variant: Variant) -> None:
    assert variant.plan((9, 8), (4, 11)) is variant.plan((9, 8), (4, 11))
    assert variant.plan([9, 8], np.array([4, 11])) is variant.plan((np.int32(9), 8), (4, np.uint8(11)))


@pytest.mark.parametrize(("alias", "name"), sw.filters.aliases().items())
def test_aliases_share_a_plan(alias: str, name: str) -> None:
    plan = sw.make_plan((9, 8), (4, 11), name)
    assert sw.make_plan((9, 8), (4, 11), alias) is plan
    assert sw.make_plan((9, 8), (4, 11), alias.upper()) is plan


def test_defaults_given_or_omitted() -> None:
    plan = sw.make_plan((9, 8), (4, 11))
    assert sw.make_plan((9, 8), (4, 11), "bilinear", antialias=True, dialect="Standard") is plan
    assert sw.make_plan((9, 8), (4, 11), antialias=np.True_) is plan
    legacy = sw.make_plan((9, 8), (4, 11), dialect="tfjs")
    assert sw.make_plan((9, 8), (4, 11), dialect="tfjs", half_pixel_centers=False, align_corners=np.False_) is legacy


def test_control_other_arguments_give_another_plan() -> None:
    plans = {
        id(sw.make_plan((9, 8), (4, 11), **arguments))
        for arguments in (
            {},
            {"antialias": False},
            {"method": "bicubic"},
            {"dialect": "tfjs"},
            {"dialect": "tfjs", "align_corners": True},
            {"dialect": "tensorflow1"},
        )
    }
    assert len(plans) == 6


def test_the_same_window_gives_the_same_tile() -> None:
    plan = sw.make_plan((90, 80), (40, 35))
    tile = plan.tile(np.s_[3:9, :])[1]
    assert plan.tile((slice(3, 9), slice(0, 35)))[1] is tile and plan.T.tile(np.s_[3:9, :])[1] is not tile


def test_cached_tiles_are_bounded_and_freed_with_their_plan() -> None:
    plan = sw.make_plan((9000, 8000), (400, 350), "lanczos3")
    seen = {id(plan.tile(np.s_[:, first : first + 100])[1]) for first in range(250)}
    kept = list(plan._tiles.values())
    assert 1 < len(kept) < len(seen)
    assert sum(tile.n_cached_bytes for tile in kept) <= plan.n_bytes
    gone = weakref.ref(plan)
    del plan, kept
    sw.clear_cache()
    gc.collect()
    assert gone() is None
