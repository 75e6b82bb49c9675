"""float16 and bfloat16 are converted exactly on the way in, and rounded once, half to even, on the way out."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import sizewise as sw

HALVES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
SIZES = [(512, 256), (256, 512), (100, 90), (300, 299)]


def every_number(dtype: np.dtype) -> np.ndarray:
    """Return an image of all 65,536 values of the dtype, subnormal, infinite and NaN included."""
    return np.arange(2**16, dtype=np.uint16).view(dtype).reshape(1, 256, 256, 1)


@pytest.mark.parametrize("channels", [1, 3, 20])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_the_float32_result_rounded(dtype: np.dtype, channels: int) -> None:
    x = np.repeat(every_number(dtype), channels, axis=3)
    wide = x.astype(np.float32)
    for size in SIZES:
        ours, expected = sw.resize(x, size), sw.resize(wide, size).astype(dtype)
        assert ours.dtype == dtype
        finite = ~np.isnan(expected.astype(np.float32))
        assert np.array_equal(np.isnan(ours.astype(np.float32)), ~finite)
        assert np.array_equal(ours.view(np.uint16)[finite], expected.view(np.uint16)[finite])


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_nearest_keeps_every_bit(dtype: np.dtype) -> None:
    x = every_number(dtype)
    assert np.array_equal(sw.resize(x, (512, 512), "nearest")[:, ::2, ::2].view(np.uint16), x.view(np.uint16))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_gradient(dtype: np.dtype) -> None:
    dy = np.ones((1, 4, 4, 3), dtype)
    gradient = sw.resize_grad(dy, (16, 16))
    assert gradient.dtype == dtype
    assert np.allclose(gradient.astype(np.float64).sum(), 48.0, rtol=1e-2)
