"""Equal words give the same plan, however they are spelled."""

from __future__ import annotations

import numpy as np
import pytest
from variants import Variant

import sizewise as sw


def test_same_words_same_plan(variant: Variant) -> None:
    assert variant.plan((9, 8), (4, 11)) is variant.plan((9, 8), (4, 11))
    assert variant.plan([9, 8], np.array([4, 11])) is variant.plan((np.int32(9), 8), (4, np.uint8(11)))


@pytest.mark.parametrize(("alias", "name"), sw.filters.aliases().items())
def test_aliases_share_a_plan(alias: str, name: str) -> None:
    plan = sw.make_plan((9, 8), (4, 11), name)
    assert sw.make_plan((9, 8), (4, 11), alias) is plan
    assert sw.make_plan((9, 8), (4, 11), alias.upper()) is plan


def test_defaults_said_or_left_out() -> None:
    plan = sw.make_plan((9, 8), (4, 11))
    assert sw.make_plan((9, 8), (4, 11), "bilinear", antialias=True, dialect="Standard") is plan
    assert sw.make_plan((9, 8), (4, 11), antialias=np.True_) is plan
    legacy = sw.make_plan((9, 8), (4, 11), dialect="tfjs")
    assert sw.make_plan((9, 8), (4, 11), dialect="tfjs", half_pixel_centers=False, align_corners=np.False_) is legacy


def test_control_other_words_other_plan() -> None:
    plans = {
        id(sw.make_plan((9, 8), (4, 11), **words))
        for words in (
            {},
            {"antialias": False},
            {"method": "bicubic"},
            {"dialect": "tfjs"},
            {"dialect": "tfjs", "align_corners": True},
            {"dialect": "tensorflow1"},
        )
    }
    assert len(plans) == 6


def test_the_same_window_gives_the_same_tile_until_it_is_forgotten() -> None:
    plan = sw.make_plan((90, 80), (40, 35))
    tile = plan.tile(np.s_[3:9, :])[1]
    assert plan.tile((slice(3, 9), slice(0, 35)))[1] is tile and plan.T.tile(np.s_[3:9, :])[1] is not tile
    sw.clear_cache()
    assert plan.tile(np.s_[3:9, :])[1] is not tile
    long = sw.make_plan((10_000,), (5000,))
    assert long.tile(slice(1, 4999))[1] is not long.tile(slice(1, 4999))[1]  # too large to be kept
