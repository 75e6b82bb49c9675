"""Arrays that kernels cannot read in place are staged in tiles: of bounded size, listed a few at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from engine_limits import engine_limits
from tolerances import assert_same_bits
from variants import noise

import sizewise as sw
from sizewise.engine import staging


@pytest.fixture
def tiles(override: Callable[..., None]) -> list[int]:
    """Return the list of how many tiles are run together."""
    seen: list[int] = []
    run = staging._run_tiles
    override(staging, _run_tiles=lambda given: (seen.append(len(given)), run(given)))
    return seen


def test_tiles_that_are_listed_a_few_at_a_time(tiles: list[int]) -> None:
    x = noise((5, 40, 30, 3))
    whole = sw.resize(x, (17, 50))
    apart = np.repeat(x, 2, axis=-1)[..., ::2]
    with engine_limits(TILE_ELEMENTS=256, MAX_TILES=3):
        assert_same_bits(sw.resize(apart, (17, 50), threads=2), whole)
    assert sum(tiles) > 6  # more than one list of them


def test_many_small_images_of_another_dtype_share_tiles(tiles: list[int]) -> None:
    x = np.random.default_rng(0).integers(0, 255, (300, 3, 8, 8)).astype(np.uint8)
    result = sw.resize(x, (4, 4), axes=(2, 3))
    assert sum(tiles) < 10
    np.testing.assert_array_equal(result[7, 1], sw.resize(x[7, 1], (4, 4)))
