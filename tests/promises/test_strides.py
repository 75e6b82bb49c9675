"""Any layout in memory, of the input and of `out`, gives the bits of the contiguous array."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tolerances import assert_same_bits
from variants import Variant, at_each, noise

import sizewise as sw

Layout = Callable[[np.ndarray], np.ndarray]


def contiguous(x: np.ndarray) -> np.ndarray:
    return x.copy()


def every_second(x: np.ndarray) -> np.ndarray:
    view = np.zeros([2 * n for n in x.shape], x.dtype)[tuple(slice(None, None, 2) for _ in x.shape)]
    view[...] = x
    return view


def reversed_axes(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x[::-1, ::-1, ::-1])[::-1, ::-1, ::-1]


def fortran(x: np.ndarray) -> np.ndarray:
    return np.asfortranarray(x)


def rows_and_columns_swapped(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.swapaxes(0, 1)).swapaxes(0, 1)


def channels_first(x: np.ndarray) -> np.ndarray:
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, -1, 0)), 0, -1)


def window(x: np.ndarray) -> np.ndarray:
    return np.pad(x, 1)[1:-1, 1:-1, 1:-1]


def big_endian(x: np.ndarray) -> np.ndarray:
    return x.astype(x.dtype.newbyteorder(">"))


def unaligned(x: np.ndarray) -> np.ndarray:
    view = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


WRITABLE: list[Layout] = [
    contiguous, every_second, reversed_axes, fortran, rows_and_columns_swapped, channels_first, window, big_endian,
    unaligned,
]  # fmt: skip
LAYOUTS: list[Layout] = [*WRITABLE, read_only]
SIZES = [(19, 8), (5, 23)]


def layout_name(layout: Layout) -> str:
    return layout.__name__


def native(x: np.ndarray) -> np.ndarray:
    """A plain copy: same numbers, native byte order."""
    return x.astype(x.dtype.newbyteorder("="))


@at_each(dtype=[np.float32, np.float64, np.float16, np.uint8, np.int32])
@at_each(layout=LAYOUTS)
def test_input(representative: Variant, layout: Layout, dtype: type) -> None:
    x = noise((11, 17, 3), dtype)
    view = layout(x)
    assert (view == x).all()
    for size in SIZES:
        assert_same_bits(representative.resize(view, size), representative.resize(x, size))
        if np.dtype(dtype).kind == "f":
            assert_same_bits(representative.grad(view, size), representative.grad(x, size))


@at_each(dtype=[np.float32, np.float64, np.float16, np.uint8])
@at_each(layout=WRITABLE)
def test_out(representative: Variant, layout: Layout, dtype: type) -> None:
    x = noise((11, 17, 3), dtype)
    for size in SIZES:
        expected = representative.resize(x, size)
        out = layout(np.zeros(expected.shape, expected.dtype))
        assert representative.resize(x, size, out=out) is out
        assert_same_bits(native(out), expected)


@pytest.mark.parametrize("layout", LAYOUTS, ids=layout_name)
# Square growth and shrinkage, and sizes near the point where either pass order costs the same.
@pytest.mark.parametrize("size", [(200, 190), (700, 620), (500, 650), (700, 250), (300, 700)], ids=str)
@at_each(method=["bilinear", "lanczos3"])
def test_large_arrays_are_read_in_tiles_of_the_same_bits(layout: Layout, size: tuple[int, int], method: str) -> None:
    x = noise((410, 330, 3), np.float32)
    expected = sw.resize(x, size, method)
    assert_same_bits(sw.resize(layout(x), size, method), expected)
    if layout in WRITABLE:
        out = layout(np.zeros_like(expected))
        assert_same_bits(native(sw.resize(x, size, method, out=out)), expected)


@at_each(axis=[0, 1, 2])
def test_broadcast(representative: Variant, axis: int) -> None:
    x = np.broadcast_to(noise((11, 17, 3), np.float32).take([0], axis), (11, 17, 3))
    assert 0 in x.strides
    for size in SIZES:
        assert_same_bits(representative.resize(x, size), representative.resize(x.copy(), size))


def test_control_the_layouts_are_what_they_say() -> None:
    x = noise((11, 17, 3), np.float32)
    for layout in LAYOUTS[1:-1]:
        view = layout(x)
        assert not view.flags.c_contiguous or not view.flags.aligned or not view.dtype.isnative, layout.__name__
    assert not read_only(x).flags.writeable
    with pytest.raises(AssertionError):
        assert_same_bits(sw.resize(reversed_axes(x).base, (5, 23)), sw.resize(x, (5, 23)))
