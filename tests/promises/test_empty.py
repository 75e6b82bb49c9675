"""A batch or channel axis of length 0 is fine, and gives an empty result."""

from __future__ import annotations

import numpy as np
from variants import Variant, at_each


@at_each(dtype=[np.float32, np.float64, np.float16, np.uint8, np.bool_])
@at_each(shape=[(0, 5, 6, 3), (2, 5, 6, 0), (0, 5, 6, 0), (5, 6, 0), (3, 0, 5, 6, 2)])
def test_empty(representative: Variant, shape: tuple[int, ...], dtype: type) -> None:
    x = np.zeros(shape, dtype)
    expected = (*shape[:-3], 7, 9, shape[-1])
    result = representative.resize(x, (7, 9))
    assert result.shape == expected
    assert result.dtype == representative.resize(np.zeros((5, 6), dtype), (7, 9)).dtype
    assert representative.resize(x, (5, 6)).shape == shape
    assert representative.resize(x, (5, 9)).shape == (*shape[:-2], 9, shape[-1])
    if x.dtype.kind == "f":
        assert representative.grad(np.zeros(expected, dtype), (5, 6)).shape == shape


def test_empty_along_other_axes(representative: Variant) -> None:
    assert representative.resize(np.zeros((0, 5)), 7, axes=1).shape == (0, 7)
    assert representative.resize(np.zeros((5, 0)), 7, axes=0).shape == (7, 0)
    assert representative.resize(np.zeros((5, 0, 4)), (7, 2), axes=(0, 2)).shape == (7, 0, 2)
