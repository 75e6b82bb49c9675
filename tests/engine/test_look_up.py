"""Tables for the bytes of images, native and in NumPy, against indexing."""

from __future__ import annotations

import numpy as np
import pytest

from sizewise import _core
from sizewise.engine.look_up import look_up


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
@pytest.mark.parametrize("channels_first", [True, False])
def test_entries_are_those_of_indexing(channels, dtype, channels_first):
    generator = np.random.default_rng(channels)
    tables = generator.integers(0, 255, (channels, 256)).astype(dtype)
    image = generator.integers(0, 256, (17, 23, channels), np.uint8)
    for x in (image, np.asfortranarray(image), image[::-1, ::2], image[:0]):
        planes = [tables[channel][x[..., channel]] for channel in range(channels)]
        expected = np.stack(planes, 0 if channels_first else -1)
        out = np.empty(expected.shape, dtype)
        look_up(x, tables, out, channels_first=channels_first)
        assert np.array_equal(out, expected)


def test_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    tables, image = np.arange(768).reshape(3, 256).astype(bfloat16), np.full((2, 5, 3), 9, np.uint8)
    out = np.empty((3, 2, 5), bfloat16)
    look_up(image, tables, out, channels_first=True)
    assert out[:, 0, 0].tolist() == tables[:, 9].tolist()


@pytest.mark.skipif(_core.native() is None, reason="there is no native core")
@pytest.mark.parametrize(
    ("size", "table", "result", "channels", "message"),
    [
        (12, 3 * 1024, 48, 0, "number of channels"),
        (12, 3 * 1024, 48, 5, "number of channels"),
        (0, 3 * 1024, 0, 3, "number of channels"),
        (12, 3 * 1024 - 4, 48, 3, "tables"),
        (12, 3 * 256, 12, 3, "tables"),
        (12, 3 * 1024, 44, 3, "result"),
    ],
)
def test_wrong_sizes_are_refused(size, table, result, channels, message):
    arrays = (np.zeros(size, np.uint8), np.zeros(table, np.uint8), np.zeros(result, np.uint8))
    with pytest.raises(ValueError, match=message):
        _core.native().look_up(*arrays, channels, True)
