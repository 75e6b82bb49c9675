"""Results larger than the cache go past it: the same bits, wherever rows begin."""

from __future__ import annotations

import numpy as np
import pytest
from closeness import assert_same_bits
from variants import noise

import sizewise as sw
from sizewise.kernels import layout

GROWS, SHRINKS, MIXED = ((9, 11), (25, 37)), ((33, 40), (9, 13)), ((40, 9), (11, 37))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint32], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("channels", [1, 3, 4, 16, 20, 64])
@pytest.mark.parametrize("method", ["nearest", "bilinear", "lanczos3"])
def test_bits(monkeypatch: pytest.MonkeyPatch, method: str, channels: int, dtype: type) -> None:
    for input_size, output_size in (GROWS, SHRINKS, MIXED):
        x = noise((2, *input_size, channels), dtype)
        for offset in range(3):  # numbers by which the result is out of step with whole vectors
            results = []
            for least in (0, 2**60):
                monkeypatch.setattr(layout, "_streamed_from", lambda least=least: least)
                room = np.zeros(2 * output_size[0] * output_size[1] * channels + offset, dtype)
                out = room[offset:].reshape(2, *output_size, channels)
                results.append(sw.resize(x, output_size, method, antialias=method == "lanczos3", out=out))
            assert_same_bits(*results)


def test_control_a_large_result_is_streamed_and_a_small_one_is_not() -> None:
    assert layout.is_streamed(np.empty(2**29, np.uint32))  # never touched: takes no memory
    assert not layout.is_streamed(np.empty(100, np.float32))
