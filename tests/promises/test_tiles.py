"""A tile of the output, computed from its own inputs alone, has the bits of the same tile of the whole."""

from __future__ import annotations

import numpy as np
from tolerances import assert_same_bits
from variants import Variant, at_each, noise

import sizewise as sw


def tile_of(plan: sw.Plan, x: np.ndarray, window: tuple[slice, ...]) -> np.ndarray:
    """The window of the output, from the inputs its taps read, through a plan of those taps."""
    tiles = [taps.tile(one.start, one.stop) for taps, one in zip(plan.taps, window, strict=True)]
    inputs = tuple(inputs for inputs, _ in tiles)
    if any(one.start == one.stop for one in inputs):  # transposed taps may leave an output without any input
        return np.zeros([one.stop - one.start for one in window])
    return sw.Plan(plan.request, tuple(taps for _, taps in tiles))(np.ascontiguousarray(x[inputs]))


def windows(n: int) -> list[slice]:
    """Every window of a short axis, and of a longer one the ends, the whole, and some between."""
    every = [slice(first, last) for first in range(n) for last in range(first + 1, n + 1)]
    return every if n <= 3 else [every[0], every[n - 1], every[-1], *every[5 :: max(1, len(every) // 11)]]


@at_each(transposed=[False, True])
@at_each(pair=[(23, 9), (9, 23), (12, 12), (40, 3)])
def test_one_axis(representative: Variant, pair: tuple[int, int], transposed: bool) -> None:
    plan = representative.plan((pair[0],), (pair[1],))
    plan = plan.T if transposed else plan
    x = noise(plan.input_size)
    whole = plan(x)
    for window in windows(plan.output_size[0]):
        assert_same_bits(tile_of(plan, x, (window,)), whole[window])


@at_each(sizes=[((40, 41), (6, 7)), ((6, 7), (40, 41)), ((30, 7), (9, 20))])
def test_two_axes(representative: Variant, sizes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    # The fused pass takes the axes in the order that costs less; either way it has the bits of two single passes.
    plan, x = representative.plan(*sizes), noise(sizes[0])
    whole = plan(x)
    orders = [order for order in ((0, 1), (1, 0)) if (axis_by_axis(plan.taps, x, plan, order) == whole).all()]
    assert orders
    for window in [np.s_[0:3, 0:3], np.s_[2:6, 1:6], np.s_[3:6, 0:7]]:
        tiles = [taps.tile(one.start, one.stop) for taps, one in zip(plan.taps, window, strict=True)]
        inputs, taps = x[tiles[0][0], tiles[1][0]], (tiles[0][1], tiles[1][1])
        assert_same_bits(axis_by_axis(taps, inputs, plan, orders[0]), whole[window])


def axis_by_axis(taps: tuple[sw.Taps, ...], x: np.ndarray, plan: sw.Plan, order: tuple[int, ...]) -> np.ndarray:
    """Return the result of one pass per axis."""
    for axis in order:
        x = sw.Plan(plan.request, (taps[axis],)).apply(x, axes=axis)
    return x


def test_control_a_tile_resized_on_its_own_differs() -> None:
    x = noise((23,))
    plan = sw.make_plan((23,), (9,))
    inputs, _ = plan.taps[0].tile(3, 6)
    alone = sw.resize(x[inputs], 3)
    assert (alone != plan(x)[3:6]).any()
