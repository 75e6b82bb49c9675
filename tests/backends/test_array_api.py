"""Arrays of the Array API, by its strict implementation: NumPy's numbers, on the array's own device."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pytest
from tolerances import assert_same_bits
from variants import VARIANTS, Variant, at_each, noise

import sizewise as sw
from sizewise.backends import array_api
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, UnsupportedError

DTYPES = tuple(name for name in array_api._NAMES if hasattr(strict, name))
CALLS = {
    "bilinear": {},
    "lanczos3": {"method": "lanczos3"},
    "nearest": {"method": "nearest"},
    "area": {"method": "area"},
    "torch": {"dialect": "torch"},
    "pillow": {"method": "bicubic", "dialect": "pillow"},
    "tensorflow1": {"dialect": "tensorflow1", "align_corners": True},
    "onnx": {"method": "cubic", "dialect": "onnx"},
    "opencv": {"method": "nearest", "dialect": "opencv"},
}
Array = type(strict.ones(1))
SHAPES = {1: ((13,), (7,)), 2: ((9, 12), (14, 5)), 3: ((9, 12, 3), (4, 17)), 4: ((2, 9, 12, 3), (14, 5))}


def to_numpy(x: Array) -> np.ndarray:
    assert type(x) is Array
    return np.from_dlpack(x)


def assert_like_numpy(actual: Array, expected: np.ndarray, x: np.ndarray) -> None:
    """Integers equal, and real numbers within 4 ULP of the largest of x."""
    made = to_numpy(actual)
    if expected.dtype.kind != "f":
        assert_same_bits(made, expected)
        return
    assert made.shape == expected.shape and made.dtype == expected.dtype
    assert np.abs(made - expected).max() <= 4 * np.finfo(expected.dtype).eps * np.abs(x).max()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", DTYPES)
@at_each(rank=SHAPES)
def test_every_dtype(dtype: str, name: str, rank: int) -> None:
    (shape, size), options = SHAPES[rank], CALLS[name]
    x = noise(shape, dtype)
    assert_like_numpy(sw.resize(strict.asarray(x), size, **options), sw.resize(x, size, **options), x)
    if x.dtype.kind != "f":
        with pytest.raises(DtypeError, match="gradients exist for floating dtypes only"):
            sw.resize_grad(strict.asarray(x), size, **options)
        return
    size = tuple(2 * n for n in size)
    assert_like_numpy(sw.resize_grad(strict.asarray(x), size, **options), sw.resize_grad(x, size, **options), x)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_variant(variant: Variant) -> None:
    for dtype in (np.float32, np.uint8):
        plan, x = variant.plan((9, 12), (14, 5)), noise((2, 9, 12, 3), dtype)
        if plan.arithmetic(x.dtype).two_pass is None:
            assert_like_numpy(plan(strict.asarray(x)), plan(x), x)


def test_what_is_not_finite_reaches_what_reads_it() -> None:
    x = noise((9, 12))
    x[2, 3] = np.nan
    assert_same_bits(np.isnan(to_numpy(sw.resize(strict.asarray(x), (14, 5)))), np.isnan(sw.resize(x, (14, 5))))


@pytest.mark.parametrize("device", strict.__array_namespace_info__().devices(), ids=str)
def test_devices_are_kept(device: strict.Device) -> None:
    x = strict.asarray(noise((6, 5), np.float32), device=device)
    for method in ("bilinear", "nearest", "area"):
        for size in ((4, 9), (6, 5)):
            assert sw.resize(x, size, method).device == device
            assert sw.resize_grad(x, size, method).device == device


def test_the_same_size_is_a_copy() -> None:
    x = strict.asarray(noise((6, 5)))
    made = sw.resize(x, (6, 5))
    x[0, 0] = 100.0
    assert made[0, 0] != 100.0


def test_the_kernels_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"this is a array_api_strict.*; leave engine out, or convert"):
        sw.resize(strict.ones((4, 4)), (2, 2), engine="kernel")


def test_out_and_odd_dtypes_are_refused() -> None:
    with pytest.raises(ArgumentError, match="out cannot be used"):
        sw.resize(strict.ones((4, 4)), (2, 2), out=strict.ones((2, 2)))
    with pytest.raises(DtypeError, match=r"cannot resize an array of dtype .*complex64"):
        sw.resize(strict.ones((4, 4), dtype=strict.complex64), (2, 2))


def test_odd_types_are_refused() -> None:
    class Odd:
        shape, dtype = (4, 4), np.dtype(float)

    class Claims(Odd):
        def __array_namespace__(self, api_version: str | None = None) -> object:
            raise TypeError("no such namespace")

    with pytest.raises(ArgumentTypeError, match=r"cannot resize a .*Odd; use an array of: numpy, array_api"):
        sw.resize(Odd(), (2, 2))
    with pytest.raises(ArgumentTypeError, match=r"cannot resize a .*Claims, whose library does not follow"):
        sw.resize(Claims(), (2, 2))


def test_control_another_dialect_differs() -> None:
    x = noise((9, 12))
    with pytest.raises(AssertionError):
        assert_like_numpy(sw.resize(strict.asarray(x), (4, 5)), sw.resize(x, (4, 5), dialect="tensorflow1"), x)
