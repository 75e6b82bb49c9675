"""Byte shuffles (`vpermb`), 16 elements at a time, give the results of pairs and of single elements."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest
from engine_limits import engine_limits
from variants import EVERY, Variant, at_each, noise

import sizewise as sw
from sizewise import _core
from sizewise.engine.packing import SHUFFLE_LANES, SHUFFLE_PAIR, SHUFFLE_WINDOW, pack_byte_shuffles

VARIANTS = [
    variant
    for variant in EVERY
    if (variant.dialect == "opencv" and variant.method in ("linear", "cubic", "lanczos4", "linear_exact"))
    or (variant.dialect == "torch" and variant.antialias)
]
SIZES = (
    ((3, 17), (5, 16)),
    ((12, 40), (7, 19)),
    ((9, 33), (20, 71)),
    ((20, 200), (14, 50)),
    ((20, 300), (14, 50)),
    ((70, 40), (5, 19)),
)


SHUFFLES = pytest.mark.skipif(not _core.has_byte_shuffle(), reason="the instruction set in use has no byte shuffles")


def shuffled(given: bool) -> AbstractContextManager[None]:
    """Return a context in which kernels may use byte shuffles, or may not."""
    return engine_limits(has_byte_shuffle=lambda: given)


@SHUFFLES
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@at_each(channels=[1, 2, 3, 4, 5, 6, 7, 8])
def test_byte_shuffles_give_the_bits_of_single_elements(variant: Variant, channels: int) -> None:
    for input_size, size in SIZES:
        x = noise((2, *input_size, channels), np.uint8)
        with shuffled(False):
            one_by_one = variant.resize(x, size, axes=(1, 2))
        with shuffled(True):
            np.testing.assert_array_equal(variant.resize(x, size, axes=(1, 2)), one_by_one)


@pytest.mark.parametrize(("width", "ahead"), [(2, 0), (4, 0), (6, 2)])  # four taps are in one window
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_shuffle_windows_contain_the_bytes_they_name(channels: int, width: int, ahead: int) -> None:
    start, weights = np.arange(0, 90, 3) // 2, np.arange(30 * width, dtype=np.int16).reshape(30, width)
    packed = pack_byte_shuffles(start, weights, channels)
    assert packed is not None
    tables = packed.weights.reshape(len(packed.integers), width // 2, SHUFFLE_PAIR)
    row = np.arange(1000)
    first = np.minimum(np.arange(len(tables)) * SHUFFLE_LANES, 30 * channels - SHUFFLE_LANES)
    for number, window, table in zip(first, packed.integers, tables, strict=True):
        for pair in range(width // 2):
            names = table[pair, :SHUFFLE_LANES].view(np.uint8).reshape(SHUFFLE_LANES, 2)
            assert names.max() < SHUFFLE_WINDOW
            made = np.arange(number, number + SHUFFLE_LANES)
            wanted = (start[made // channels] + 2 * pair) * channels + made % channels
            found = row[window + ahead * pair * channels + names.astype(int)]
            np.testing.assert_array_equal(found, np.stack([wanted, wanted + channels], axis=1))
            np.testing.assert_array_equal(
                table[pair, SHUFFLE_LANES:].reshape(SHUFFLE_LANES, 2),
                weights[made // channels, 2 * pair : 2 * pair + 2],
            )


def test_pixels_too_far_apart_have_no_shuffles() -> None:
    weights = np.ones((16, 2), np.int16)
    assert pack_byte_shuffles(np.arange(16) * 4, weights, 1) is not None
    assert pack_byte_shuffles(np.arange(16) * 5, weights, 1) is None
    far, four = np.arange(16) * 4 + (np.arange(16) == 15), np.ones((16, 4), np.int16)
    assert pack_byte_shuffles(far, weights, 1) is not None
    assert pack_byte_shuffles(far, four, 1) is None  # all four in one window
    assert pack_byte_shuffles(np.arange(15), weights[:15], 1) is None  # fewer than sixteen
    assert pack_byte_shuffles(np.arange(16), np.ones((16, 3), np.int16), 1) is None  # no pairs


@SHUFFLES
@pytest.mark.parametrize(("dialect", "method", "antialias"), [("opencv", "cubic", False), ("torch", "bilinear", True)])
def test_control_the_selected_kernel_runs(
    dialect: str, method: str, antialias: bool, override: Callable[..., None]
) -> None:
    from sizewise.engine import fixed_point_pass, integer_taps, packing

    n_windows: list[int] = []

    def packed(*args: object) -> packing.Packed:
        made = packing.pack_fixed_point(*args)  # type: ignore[arg-type]
        h_out, w_out = made.integers[packing.FIXED_POINT_HEADER - 2 : packing.FIXED_POINT_HEADER]
        n_windows.append(len(made.integers) - packing.FIXED_POINT_HEADER - h_out - w_out)
        return made

    override(fixed_point_pass, pack_fixed_point=packed)
    override(integer_taps, pack_fixed_point=packed)
    for given in (False, True):
        with shuffled(given):
            sw.resize(noise((12, 40, 3), np.uint8), (7, 19), method, dialect=dialect, antialias=antialias)
    assert n_windows == [0, 4]  # 57 elements of a row, 16 at a time


CROP = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.0}


@pytest.mark.parametrize("channels", [1, 2, 3, 8])
@pytest.mark.parametrize("n_out", [16, 40])
def test_outputs_that_read_nothing(channels: int, n_out: int) -> None:
    x = np.ones((9, 33, channels), np.uint8)
    arguments = {"dialect": "onnx", "antialias": True, "roi": (2.0, 0.0, 3.0, 1.0), **CROP}
    assert (sw.resize(x, (5, n_out), "linear", **arguments) == 7).all()


def test_tiles_that_read_nothing() -> None:
    x = noise((50, 40, 2), np.uint8)
    arguments = {"dialect": "onnx", "antialias": True, "roi": (0.5, 0.0, 1.5, 1.0), "axes": (0, 1), **CROP}
    with engine_limits(TILE_ELEMENTS=256):
        apart = sw.resize(x[..., :1], (30, 20), "linear", **arguments)
    np.testing.assert_array_equal(apart, sw.resize(np.ascontiguousarray(x[..., :1]), (30, 20), "linear", **arguments))
    assert (apart[-10:] == 7).all()
