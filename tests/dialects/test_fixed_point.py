"""`sw.resize` itself, bit for bit the framework: fixed point in uint8, and floats that are rounded between passes."""

from __future__ import annotations

import numpy as np
import pytest
from frameworks import LARGE, image, pairs, resize_with_opencv, resize_with_pillow, resize_with_torch, sizes
from variants import VARIANTS, Variant

import sizewise as sw
from sizewise.testing import assert_same_pixels

PILLOW = tuple(sw.dialects.get("pillow").methods)
FIXED = [variant for variant in VARIANTS if variant.plan((2,), (3,)).arithmetic(np.dtype(np.uint8)).fixed]
TORCH = [variant for variant in FIXED if variant.dialect == "torch"]


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("method", PILLOW)
def test_pillow(method: str, channels: int) -> None:
    for seed, (input_size, output_size) in enumerate(sizes(100, 70, seed=channels)):
        x = image(input_size, channels, seed)
        assert_same_pixels(
            sw.resize(x, output_size, method, dialect="pillow"), resize_with_pillow(x, output_size, method)
        )


@pytest.mark.parametrize("method", PILLOW)
def test_pillow_floats(method: str) -> None:
    for input_size, output_size in [*pairs(24), *LARGE]:
        x = np.random.default_rng([*input_size]).standard_normal((*input_size, 1)).astype(np.float32)
        ours, theirs = sw.resize(x, output_size, method, dialect="pillow"), resize_with_pillow(x, output_size, method)
        assert_same_pixels(ours, theirs, ulp=1 if method == "mks2021" else 0)  # of the largest value; one pixel differs


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("variant", TORCH, ids=str)
def test_torch(variant: Variant, channels: int) -> None:
    flags = {"align_corners": dict(variant.options)["align_corners"]} if variant.method != "lanczos" else {}
    for seed, (input_size, output_size) in enumerate(sizes(100, 70, seed=channels)):
        x = image(input_size, channels, seed)
        theirs = resize_with_torch(x, output_size, variant.method, antialias=variant.antialias, **flags)
        assert_same_pixels(variant.resize(x, output_size), theirs)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_opencv_area_by_fractions(channels: int) -> None:
    for seed, ((h, w), (a, b)) in enumerate(sizes(100, 70, seed=channels)):
        input_size, output_size = (max(h, a), max(w, b)), (min(h, a), min(w, b))
        if input_size[0] % output_size[0] or input_size[1] % output_size[1]:
            x = image(input_size, channels, seed)
            theirs = resize_with_opencv(x, output_size, "area")
            assert_same_pixels(sw.resize(x, output_size, "area", dialect="opencv"), theirs)
