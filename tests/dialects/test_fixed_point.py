"""uint8 results of `sw.resize`, equal to the framework's bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from frameworks import image, resize_with, sizes
from variants import EVERY, Variant

import sizewise as sw
from sizewise.testing import assert_same_pixels

PILLOW = tuple(sw.dialects.get("pillow").methods)
FIXED = [variant for variant in EVERY if variant.plan((2,), (3,)).arithmetic(np.dtype(np.uint8)).fixed_point]
TORCH = [variant for variant in FIXED if variant.dialect == "torch"]


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("method", PILLOW)
def test_pillow(method: str, channels: int) -> None:
    for seed, (input_size, output_size) in enumerate(sizes(100, 70, seed=channels)):
        x = image(input_size, channels, seed)
        theirs = resize_with("pillow", x, output_size, method)
        assert_same_pixels(sw.resize(x, output_size, method, dialect="pillow"), theirs)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("variant", TORCH, ids=str)
def test_torch(variant: Variant, channels: int) -> None:
    for seed, (input_size, output_size) in enumerate(sizes(100, 70, seed=channels)):
        x = image(input_size, channels, seed)
        assert_same_pixels(variant.resize(x, output_size), resize_with(x=x, size=output_size, **variant.arguments))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_opencv_area_by_fractions(channels: int) -> None:
    for seed, ((h, w), (a, b)) in enumerate(sizes(100, 70, seed=channels)):
        input_size, output_size = (max(h, a), max(w, b)), (min(h, a), min(w, b))
        if input_size[0] % output_size[0] or input_size[1] % output_size[1]:
            x = image(input_size, channels, seed)
            theirs = resize_with("opencv", x, output_size, "area")
            assert_same_pixels(sw.resize(x, output_size, "area", dialect="opencv"), theirs)
