"""The weights of every output add up to 1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from samples import sample
from tolerances import weight_bound
from variants import LONG_SIZES, SIZES, VARIANTS, Variant, by_dialect, row_sums

import sizewise as sw


def assert_rows_sum_to_one(taps: sw.Taps, least: float = 1.0, greatest: float = 1.0) -> None:
    assert (taps.count >= 1).all()
    allowed = weight_bound(taps, coordinate_eps=0.0)
    for row in taps.weights.tolist():
        assert least - allowed <= math.fsum(row) <= greatest + allowed


@by_dialect(variant=VARIANTS)
def test_rows_sum_to_one(variant: Variant) -> None:
    for n_in, n_out in (*SIZES, *sample(LONG_SIZES, 4, variant)):
        assert_rows_sum_to_one(variant.plan((n_in,), (n_out,)).taps[0], *row_sums(variant, n_in, n_out))


def test_control_raw_filters_do_not_sum_to_one() -> None:
    distance = np.arange(-3, 3) + 0.25
    raw = sw.filters.get("lanczos3")(distance)
    assert abs(raw.sum() - 1) < 0.02
    with pytest.raises(AssertionError):
        assert_rows_sum_to_one(sw.Taps(6, [0], [raw]))
    assert_rows_sum_to_one(sw.Taps(6, [0], [raw / raw.sum()]))
