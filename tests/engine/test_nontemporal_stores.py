"""Non-temporal stores give the bits of ordinary stores, at any alignment and stride."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from engine_limits import NO_LIMITS, engine_limits
from tolerances import assert_same_bits
from variants import Variant, at_each, noise

import sizewise as sw
from sizewise import cpu_cache
from sizewise.engine import kernel_call, layout, packing, thread_pool

SHAPE, SIZE = (2, 13, 29, 3), (31, 700)  # rows long enough to be streamed wherever they begin
COMBINED = (31, 101)  # rows that do not fill cache lines: written through a buffer, two at a time
PIXELS, LARGER = (2, 5, 6, 32), (9, 11)  # pixels that fill cache lines


@pytest.fixture
def streams(override: Callable[..., None]) -> Iterator[list[bool]]:
    """Yield whether each prepared kernel uses non-temporal stores; every result counts as too large to cache."""
    seen: list[bool] = []
    build = layout.contiguous_layout

    def record(*args: object, **arguments: object) -> layout.Layout:
        built = build(*args, **arguments)  # type: ignore[arg-type]
        seen.append(bool(built[layout.NONTEMPORAL]))
        return built

    override(layout, contiguous_layout=record)
    with engine_limits(NONTEMPORAL_FRACTION=0.0):
        yield seen


def expected_of(variant: Variant, x: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return the result of ordinary stores."""
    with engine_limits(NONTEMPORAL_FRACTION=float("inf")):
        return variant.resize(x, size)


def aligned_out(shape: tuple[int, ...], shift: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an array that begins `shift` bytes after the start of a cache line, and the buffer around it."""
    n_bytes = 4 * int(np.prod(shape))
    around = np.zeros(n_bytes + 2 * packing.CACHE_LINE, np.uint8)
    first = -around.ctypes.data % packing.CACHE_LINE + shift
    return around[first : first + n_bytes].view(np.float32).reshape(shape), around


@at_each(size=[SIZE, COMBINED])
@at_each(dtype=[np.float32, np.float64])
def test_the_same_bits(representative: Variant, streams: list[bool], dtype: type, size: tuple[int, int]) -> None:
    x = noise(SHAPE, dtype)
    expected = expected_of(representative, x, size)
    for n_threads in (1, 2):
        assert_same_bits(representative.resize(x, size, threads=n_threads), expected)


@pytest.mark.parametrize("size", [(300, 41), (300, 101), (300, 700)], ids=["one", "two", "streamed"])
@pytest.mark.parametrize("method", ["bilinear", "bicubic"])
def test_bands_that_begin_inside_a_cache_line(
    streams: list[bool], method: str, size: tuple[int, int], override: Callable[..., None]
) -> None:
    x = noise(SHAPE, np.float32)
    expected = expected_of(Variant("standard", method, True, ()), x, size)
    pieces: list[int] = []
    split = kernel_call.KernelCall.bands

    def record(call: kernel_call.KernelCall, n_threads: int) -> thread_pool.Bands:
        bands = split(call, n_threads)
        pieces.append(len(bands.edges))
        return bands

    override(kernel_call.KernelCall, bands=record)
    for shift in range(0, 64, 12):
        out, around = aligned_out(expected.shape, shift)
        with engine_limits(**NO_LIMITS, MIN_RING_ROWS=9):
            sw.resize(x, size, method, threads=2, out=out)
        assert_same_bits(out, expected)
        out[...] = 0
        assert not around.any()
    assert min(pieces) > 1


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "lanczos3"])
def test_enlargements_use_nontemporal_stores(streams: list[bool], method: str) -> None:
    sw.resize(noise(SHAPE, np.float32), SIZE, method)
    sw.resize(noise((2, 60, 50, 4), np.float32), (30, 40), method)
    assert streams == [True, False]


@pytest.mark.parametrize("shift", range(0, 68, 4))
def test_results_may_begin_anywhere_in_a_cache_line(streams: list[bool], shift: int) -> None:
    for shape, size, method in (
        (SHAPE, SIZE, "bicubic"), (SHAPE, COMBINED, "bicubic"),
        (PIXELS, LARGER, "bilinear"), (PIXELS, LARGER, "nearest"),
    ):  # fmt: skip
        x = noise(shape, np.float32)
        expected = expected_of(Variant("standard", method, method == "bicubic", ()), x, size)
        out, around = aligned_out(expected.shape, shift)
        sw.resize(x, size, method, antialias=method == "bicubic", out=out)
        assert_same_bits(out, expected)
        out[...] = 0
        assert not around.any()  # nothing beside it was written


@pytest.mark.parametrize("n_channels", [15, 16, 17, 32, 48])
@pytest.mark.parametrize("method", ["nearest", "bilinear"])
def test_pixels_that_fill_cache_lines_or_do_not(streams: list[bool], method: str, n_channels: int) -> None:
    x, dy = noise((2, 5, 6, n_channels), np.float32), noise((2, 3, 4, n_channels), np.float32)
    x[0, 2, 3, 4], x[1, 4, 5, -1] = np.nan, np.inf
    for call in (lambda out: sw.resize(x, (9, 11), method, antialias=False, out=out),
                 lambda out: sw.resize_grad(dy, (9, 11), method, antialias=False, out=out)):  # fmt: skip
        with engine_limits(NONTEMPORAL_FRACTION=float("inf")):
            expected = call(None)
        assert_same_bits(call(aligned_out(expected.shape, 0)[0]), expected)
    assert streams == [False, True, False, True]


@pytest.mark.parametrize("shift", [0, 4, 60])
def test_long_rows_that_read_nothing(streams: list[bool], shift: int) -> None:
    dy = noise((1, 2, 3, 3), np.float32)
    out, around = aligned_out((1, 7, 3001, 3), shift)
    around[...] = 255
    sw.resize_grad(dy, (7, 3001), "nearest", out=out)
    assert streams == [True]
    assert np.count_nonzero(out) == dy.size and np.array_equal(out[out != 0], dy.ravel())
    out[...] = np.frombuffer(b"\xff" * 4, np.float32)
    assert (around == 255).all()


@pytest.mark.parametrize("n_pixels", [4, 8, 12, 13])
@pytest.mark.parametrize("method", ["nearest", "bilinear", "bicubic"])
def test_short_rows_that_fill_cache_lines_or_do_not(streams: list[bool], method: str, n_pixels: int) -> None:
    x, size = noise((2, 5, 3, 4), np.float32), (9, n_pixels)
    with engine_limits(NONTEMPORAL_FRACTION=float("inf")):
        expected = sw.resize(x, size, method)
    for shift in (0, 16):
        out, around = aligned_out(expected.shape, shift)
        assert_same_bits(sw.resize(x, size, method, out=out), expected)
        out[...] = 0
        assert not around.any()
    assert streams == [False, True]


@pytest.mark.parametrize("size", [SIZE, COMBINED], ids=["streamed", "combined"])
def test_rows_of_out_with_gaps_between_them(streams: list[bool], size: tuple[int, int]) -> None:
    x = noise(SHAPE, np.float32)
    expected = expected_of(Variant("standard", "bilinear", True, ()), x, size)
    height, width = size
    buffer = np.zeros((2, height, width + 5, 3), np.float32)
    inside = buffer[:, ::-1, 2 : width + 2]
    sw.resize(x, size, out=inside)
    assert_same_bits(np.ascontiguousarray(inside), expected)
    assert not buffer[:, :, :2].any() and not buffer[:, :, width + 2 :].any()
    assert streams == [False, True]


def test_control_small_results_do_not_stream(streams: list[bool]) -> None:
    with engine_limits(NONTEMPORAL_FRACTION=0.75):
        sw.resize(noise(SHAPE, np.float32), SIZE)
    assert streams == [False]


def test_the_largest_cache(tmp_path: Path, override: Callable[..., None]) -> None:
    for index, text in enumerate(("32K", "1024K\n", "2M", "96", "nonsense", "", "K")):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "size").write_text(text)
    override(cpu_cache, _LISTED=tmp_path)
    assert cpu_cache.last_level_cache_bytes.__wrapped__() == cpu_cache.MIN_BYTES
    (tmp_path / "index1" / "size").write_text("98304K\n")
    assert cpu_cache.last_level_cache_bytes.__wrapped__() == 96 << 20
    override(cpu_cache, _LISTED=tmp_path / "none")
    assert cpu_cache.last_level_cache_bytes.__wrapped__() == cpu_cache.DEFAULT_BYTES


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.uint8])
@pytest.mark.parametrize("method", ["lanczos3", "area"])
def test_rows_too_wide_for_the_cache_have_the_bits_of_narrow_ones(method: str, dtype: type) -> None:
    """Input rows that two outputs read outgrow the second-level cache here: they are summed in strips."""
    x = noise((66, 80_003), dtype)
    for size in (11, 22):
        wide = sw.resize(x, (size,), method, axes=(0,))
        narrow = [
            sw.resize(x[:, first : first + 4001].copy(), (size,), method, axes=(0,)) for first in range(0, 80_003, 4001)
        ]
        assert_same_bits(wide, np.hstack(narrow))
