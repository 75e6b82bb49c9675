"""uint8 summed in float32, with ambiguous sums recomputed: the bits of sums in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from engine_limits import engine_limits

import sizewise as sw
from sizewise import _core
from sizewise.engine import passes

SIZES = (((31, 40), (13, 9)), ((9, 11), (25, 37)), ((40, 7), (11, 30)), ((64, 64), (32, 32)), ((5, 3), (4, 2)))


def resized(max_ambiguous: float, x: np.ndarray, size: tuple[int, int], method: str) -> np.ndarray:
    """Return the result where all sums are formed in float64 if more than this part of them is ambiguous."""
    with engine_limits(MAX_AMBIGUOUS=max_ambiguous):
        return sw.resize(x, size, method)


@pytest.mark.parametrize("channels", [1, 3, 5, 20])
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "lanczos3", "area"])
def test_float32_sums_have_the_bits_of_float64_sums(method: str, channels: int) -> None:
    for seed, (input_size, output_size) in enumerate(SIZES):
        noise = np.random.default_rng(seed).integers(0, 256, (2, *input_size, channels)).astype(np.uint8)
        for x in (noise, np.where(noise > 127, 255, 0).astype(np.uint8)):  # edges give sums of exactly a half
            single = resized(0.02, x, output_size, method)
            assert np.array_equal(single, resized(-2.0, x, output_size, method))


@pytest.mark.skipif(_core.native() is None, reason="the fallback has no float32 sums of uint8")
def test_control_some_sums_are_recomputed(override: Callable[..., None]) -> None:
    x = np.where(np.arange(2 * 64 * 64 * 3).reshape(2, 64, 64, 3) % 5 > 1, 255, 0).astype(np.uint8)
    bound = passes.float32_error_bound
    override(passes, float32_error_bound=lambda step: -1.0)  # trusts every sum
    trusted = [resized(0.02, x, (n, n), "bilinear") for n in range(33, 64)]
    override(passes, float32_error_bound=bound)
    checked = [sw.resize(x, (n, n), "bilinear") for n in range(33, 64)]
    assert any((one != other).any() for one, other in zip(trusted, checked, strict=True))
