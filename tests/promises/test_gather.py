"""The kernels equal the obvious loop: every variant, dtype, channel count, and length of vector tail."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import sample
from tolerances import assert_close
from variants import LONG_SIZES, SIZES, Variant, at_each, noise

import sizewise as sw

CHANNELS = (1, 2, 3, 4, 5, 8, 16, 17, 33)
LENGTHS = range(1, 18)


def targets(height: int, width: int) -> list[tuple[int, int]]:
    """Sizes that grow, shrink and do one of each."""
    return [(2 * height + 1, 2 * width + 1), (-(-height // 2), -(-width // 3)), (height + 3, -(-width // 2))]


FLOATS = (np.float64, np.float32, np.float16)


def assert_gathers(plan: sw.Plan, shape: tuple[int, ...], axes: tuple[int, ...], seed: int = 0) -> None:
    """The plan gives what the obvious loop does, in one of the dtypes."""
    x = noise(shape, FLOATS[seed % 3], seed)
    seen = plan.for_dtype(x.dtype)
    expected = naive.resize(x, seen.matrices(), axes)
    assert_close(plan.apply(x, axes), expected, seen.taps, float(np.abs(x).max(initial=0.0)))


@at_each(channels=CHANNELS)
def test_every_length(representative: Variant, channels: int) -> None:
    for width in sample(LENGTHS, 3, (representative, channels)):
        height = 18 - width
        # Each channel count meets each width once; which way it is resized, and in what dtype, alternates.
        size = targets(height, width)[(width + channels) % 3]
        plan = representative.plan((height, width), size)
        assert_gathers(plan, (height, width, channels), (0, 1), seed=width // 3)
        assert_gathers(plan.T, (*size, channels), (0, 1), seed=width // 3 + 1)


def test_every_length_without_channels(representative: Variant) -> None:
    for width in LENGTHS:
        for seed, size in enumerate(targets(5, width)):
            assert_gathers(representative.plan((5, width), size), (2, 5, width), (1, 2), seed=width + seed)


@at_each(any_pair=(*SIZES, *LONG_SIZES))
def test_one_axis(representative: Variant, any_pair: tuple[int, int]) -> None:
    plan = representative.plan((any_pair[0],), (any_pair[1],))
    x = noise(plan.input_size)
    expected = np.zeros(plan.output_size)
    for row, column, weight in naive.entries(plan.taps[0]):
        expected[row] += weight * x[column]
    assert_close(plan(x), expected, plan.taps, float(np.abs(x).max()))


@given(
    batch=st.integers(1, 3),
    input_size=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    output_size=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    channels=st.integers(1, 12),
)
def test_any_shape(
    representative: Variant, batch: int, input_size: tuple[int, int], output_size: tuple[int, int], channels: int
) -> None:
    for seed in range(len(FLOATS)):
        assert_gathers(representative.plan(input_size, output_size), (batch, *input_size, channels), (1, 2), seed)


def test_control_one_tap_too_few_is_seen(representative: Variant) -> None:
    plan = representative.plan((9, 8), (5, 7))
    x = noise((9, 8))
    matrices = [matrix.copy() for matrix in plan.matrices()]
    matrices[0][np.nonzero(matrices[0])[0][-1], np.nonzero(matrices[0])[1][-1]] = 0
    with pytest.raises(AssertionError, match="differs by"):
        assert_close(plan(x), naive.resize(x, matrices, (0, 1)), plan.taps, float(np.abs(x).max()))
