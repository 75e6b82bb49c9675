"""Windows of contiguous images, read in place, against a resize of a copy."""

from __future__ import annotations

import numpy as np
import pytest

import sizewise as sw
from sizewise import _core
from sizewise.engine.windows import window_fill

DTYPE = np.dtype(np.uint8)


@pytest.mark.skipif(_core.native() is None, reason="there is no native core")
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize(
    ("method", "dialect"), [("bicubic", "pillow"), ("bilinear", "torch"), ("nearest", "pillow"), ("area", "standard")]
)
@pytest.mark.parametrize("size", [(20, 31), (48, 30), (25, 64), (90, 100)])
def test_results_are_those_of_a_copy(channels, method, dialect, size):
    image = np.random.default_rng(0).integers(0, 256, (48, 64, channels), np.uint8)
    plan = sw.make_plan((48, 64), size, method, dialect=dialect).for_dtype(DTYPE)
    window = slice(3, size[0] - 2), slice(5, size[1] - 4)
    inputs, tile = plan.tile(window)
    fill = window_fill(tile, inputs, image.shape)
    expected = tile.apply(np.ascontiguousarray(image[inputs]), (0, 1))
    assert np.array_equal(expected, plan.apply(image, (0, 1))[window])
    if fill is not None:
        out = np.empty(expected.shape, np.uint8)
        fill(image, out)
        assert np.array_equal(out, expected)
    assert fill is not None or size in ((48, 30), (25, 64)) or expected.dtype != np.uint8


@pytest.mark.skipif(_core.native() is None, reason="there is no native core")
def test_arrays_of_other_sizes_are_refused():
    plan = sw.make_plan((48, 64), (20, 31), "bicubic", dialect="pillow").for_dtype(DTYPE)
    inputs, tile = plan.tile((slice(0, 10), slice(0, 10)))
    fill = window_fill(tile, inputs, (48, 64, 3))
    out = np.empty((10, 10, 3), np.uint8)
    for shape in ((47, 64, 3), (48, 64, 4)):
        with pytest.raises(ValueError, match="other sizes"):
            fill(np.zeros(shape, np.uint8), out)
    with pytest.raises(ValueError, match="other sizes"):
        fill(np.zeros((48, 64, 3), np.uint8), out[:9])
