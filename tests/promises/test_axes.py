"""Any rank, any set of axes, in any order: the same as resizing one axis after the other by hand."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import assert_close, assert_same_bits
from variants import Variant, max_axes, noise

import sizewise as sw


@st.composite
def requests(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """(shape, axes, size): rank 1 to 6, axes of either sign in any order."""
    rank = draw(st.integers(1, 6))
    shape = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    chosen = draw(st.permutations(range(rank)))[: draw(st.integers(1, rank))]
    axes = tuple(axis - rank if draw(st.booleans()) else axis for axis in chosen)
    return shape, axes, tuple(draw(st.integers(1, 6)) for _ in axes)


@given(request=requests())
def test_any_axes(representative: Variant, request: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]) -> None:
    shape, axes, size = request[0], *(one[: max_axes(representative)] for one in request[1:])
    x = noise(shape)
    plan = representative.plan(tuple(shape[axis] for axis in axes), size)
    expected = naive.resize(x, plan.matrices(), axes)
    magnitude = float(np.abs(x).max())
    assert_close(representative.resize(x, size, axes=axes), expected, plan.taps, magnitude)
    transposed = naive.resize(expected, [matrix.T for matrix in plan.matrices()], axes)
    gradient = representative.grad(expected, plan.input_size, axes=axes)
    assert_close(gradient, transposed, plan.T.taps, float(np.abs(expected).max()))


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((5,), (0,)), ((5, 6), (0, 1)), ((5, 6, 3), (0, 1)), ((2, 5, 6, 3), (1, 2)), ((2, 4, 5, 6, 3), (2, 3))],
    ids=str,
)
def test_default_axes_are_the_first_two_or_those_before_the_channels(
    shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    x = noise(shape)
    size = (7, 4)[: len(axes)]
    assert_same_bits(sw.resize(x, size), sw.resize(x, size, axes=axes))
    assert_same_bits(sw.resize_grad(x, size), sw.resize_grad(x, size, axes=axes))


def test_one_axis_as_a_number() -> None:
    x = noise((4, 5, 6))
    assert_same_bits(sw.resize(x, 9, axes=-1), sw.resize(x, (9,), axes=(2,)))
    assert_same_bits(sw.resize(x, np.int64(9), axes=np.int32(2)), sw.resize(x, [9], axes=[2]))


def test_sizes_follow_their_axes_in_any_order() -> None:
    x = noise((4, 5, 6))
    assert_same_bits(sw.resize(x, (9, 3), axes=(2, 0)), sw.resize(x, (3, 9), axes=(0, 2)))


def test_control_other_axes_give_other_numbers() -> None:
    x = noise((4, 4, 4))
    assert sw.resize(x, (4, 9), axes=(0, 1)).shape != sw.resize(x, (4, 9), axes=(1, 0)).shape
    averages = {float(np.abs(sw.resize(x, (2, 4), "area", axes=axes)).sum()) for axes in [(0, 1), (1, 2), (2, 0)]}
    assert len(averages) == 3
