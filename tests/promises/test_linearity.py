"""W(a x + b y) = a W x + b W y."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tolerances import sum_bound
from variants import VARIANTS, Variant, by_dialect, noise

import sizewise as sw

length = st.integers(1, 12)
factor = st.floats(-4, 4, allow_subnormal=False)


@by_dialect(variant=VARIANTS)
@given(input_size=st.tuples(length, length), output_size=st.tuples(length, length), a=factor, b=factor)
def test_linearity(
    variant: Variant, input_size: tuple[int, int], output_size: tuple[int, int], a: float, b: float
) -> None:
    plan = variant.plan(input_size, output_size)
    x, y = noise(input_size), noise(input_size, seed=1)
    difference = plan(a * x + b * y) - (a * plan(x) + b * plan(y))
    magnitude = abs(a) * np.abs(x).max() + abs(b) * np.abs(y).max()
    assert np.abs(difference).max() <= 3 * sum_bound(plan.taps, np.float64, magnitude)


def test_control_integers_round_and_are_not_linear() -> None:
    x = np.arange(16, dtype=np.uint8).reshape(4, 4)
    assert (sw.resize(x * 3, (3, 3)) != 3 * sw.resize(x, (3, 3))).any()
