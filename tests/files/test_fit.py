"""Size rules: sizes, offsets, and points of placements."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewise.errors import UnknownNameError
from sizewise.files.fit import FITS, place

LENGTH = st.integers(1, 5000)
SIZE = st.tuples(LENGTH, LENGTH)


def half_up(number: Fraction) -> int:
    return max(1, (2 * number.numerator + number.denominator) // (2 * number.denominator))


@given(SIZE, SIZE)
def test_contain_is_the_largest_size_inside(n_in, n_out):
    scale = min(Fraction(n_out[0], n_in[0]), Fraction(n_out[1], n_in[1]))
    placement = place(n_in, n_out, "contain")
    assert placement.size == placement.output_size == tuple(half_up(n * scale) for n in n_in)
    assert placement.start == (0, 0)
    assert all(n <= limit for n, limit in zip(placement.size, n_out, strict=True))
    assert placement.size[0] == n_out[0] or placement.size[1] == n_out[1]


@given(SIZE, SIZE)
def test_cover_is_the_smallest_size_around(n_in, n_out):
    scale = max(Fraction(n_out[0], n_in[0]), Fraction(n_out[1], n_in[1]))
    placement = place(n_in, n_out, "cover")
    assert placement.size == tuple(half_up(n * scale) for n in n_in)
    assert placement.output_size == n_out
    for n, first, least in zip(placement.size, placement.start, n_out, strict=True):
        assert n >= least
        cut = n - least
        assert (-first, cut + first) in ((cut // 2, cut // 2), (cut // 2, cut // 2 + 1))  # the end loses one more


@given(SIZE, SIZE)
def test_letterbox_is_contain_in_the_middle(n_in, n_out):
    placement = place(n_in, n_out, "letterbox")
    assert placement.size == place(n_in, n_out, "contain").size
    for n, first, limit in zip(placement.size, placement.start, n_out, strict=True):
        assert limit - n - first - first in (0, 1)  # the end gets one more


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize(("n_in", "n_out"), [((7, 5), (4, 4)), ((5, 7), (9, 3)), ((1, 9), (4, 4)), ((6, 6), (3, 3))])
def test_pixels_move_with_points(fit, n_in, n_out):
    placement = place(n_in, n_out, fit)
    resized = 1 + np.arange(np.prod(placement.size)).reshape(placement.size)
    result = placement.apply(resized, (0, 1), -1)
    assert result.shape == placement.output_size
    for position in np.ndindex(*result.shape):
        there = np.subtract(position, placement.start)
        inside = all(0 <= at < n for at, n in zip(there, placement.size, strict=True))
        assert result[position] == (resized[tuple(there)] if inside else -1)


def test_other_axes_and_bands():
    placement = place((4, 8), (8, 8), "letterbox")
    result = placement.apply(np.ones((2, 3, 4, 8)), (-2, -1))
    assert result.shape == (2, 3, 8, 8)
    assert result[:, :, 2:6].all()
    assert not result[:, :, :2].any()
    assert not result[:, :, 6:].any()
    colors = placement.apply(np.zeros((4, 8, 3), np.uint8), (0, 1), [1, 2, 3])
    assert colors[0, 0].tolist() == [1, 2, 3]


def test_unknown_rule_has_suggestions():
    with pytest.raises(UnknownNameError, match="did you mean 'contain'"):
        place((4, 4), (2, 2), "contains")
