"""Where the size does not change, nothing does: every bit is kept, NaNs and signs of zero included."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_same_bits
from variants import BLURRING, COPYING, SEPARATE, VARIANTS, Variant, at_each, by_dialect, noise

import sizewise as sw

STRANGE = np.array([0x7FC00001, 0xFFC12345, 0x80000000, 0x7F800000, 0xFF800000, 0x00000001], np.uint32).view(np.float32)


@by_dialect(variant=COPYING)
@at_each(dtype=[np.float16, np.float32, np.float64])
def test_same_size_is_a_copy(variant: Variant, dtype: type) -> None:
    x = noise((7, 5, 3), dtype)
    assert_same_bits(variant.resize(x, (7, 5)), x)
    assert_same_bits(variant.grad(x, (7, 5)), x)
    assert all(taps.is_identity for taps in variant.plan((7, 5), (7, 5)).taps)


@by_dialect(variant=COPYING)
@at_each(dtype=[np.uint8, np.int64, np.bool_])
def test_same_size_of_integers(variant: Variant, dtype: type) -> None:
    x = noise((7, 5), dtype)
    result = variant.resize(x, (7, 5))
    assert_same_bits(result, x.astype(result.dtype))


@by_dialect(variant=COPYING)
def test_nan_payloads_and_signs_of_zero_are_copied(variant: Variant) -> None:
    x = STRANGE.reshape(2, 3)
    assert_same_bits(variant.resize(x, (2, 3)), x)


@by_dialect(variant=[one for one in COPYING if one in SEPARATE])
def test_an_unchanged_axis_is_not_resampled(variant: Variant) -> None:
    x = noise((7, 5))
    assert_same_bits(variant.resize(x, (7, 9)), variant.resize(x, 9, axes=1))
    assert_same_bits(variant.resize(x, (4, 5)), variant.resize(x, 4, axes=0))


@pytest.mark.parametrize(("dialect", "method"), sorted(BLURRING))
def test_a_filter_that_blurs_does_so_at_the_same_size(dialect: str, method: str) -> None:
    x = noise((7, 5))
    assert np.abs(sw.resize(x, (7, 5), method, dialect=dialect) - x).max() > 0.1


@pytest.mark.parametrize("dialect", sorted({one.dialect for one in VARIANTS if one.method == "nearest"}))
def test_nearest_copies_nan_payloads_and_signs_of_zero(dialect: str) -> None:
    doubled = sw.resize(STRANGE, 12, "nearest", dialect=dialect)
    assert_same_bits(doubled, STRANGE[sw.index_map(6, 12, dialect=dialect)])


def test_control_another_size_is_not_a_copy() -> None:
    assert not any(taps.is_identity for taps in sw.make_plan((7, 5), (8, 4)).taps)
    x = noise((7, 5))
    with pytest.raises(AssertionError):
        assert_same_bits(sw.resize(x, (7, 5), "nearest")[::-1], x)
