"""compat.cv2.resize beside the real cv2.resize: the same call, the same array, the same refusal."""

from __future__ import annotations

from typing import Any

import autograd
import cv2
import numpy as np
import pytest
import torch
from frameworks import assert_within, image, sizes

import sizewise as sw
from sizewise.compat import cv2 as ours
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, SizewiseError, UnsupportedError
from sizewise.parity import reference
from sizewise.testing import assert_same_pixels

METHODS = ("NEAREST", "LINEAR", "CUBIC", "AREA", "LANCZOS4", "LINEAR_EXACT", "NEAREST_EXACT")
MIXING = tuple(method for method in METHODS if "NEAREST" not in method)
ULP = reference.of("opencv").ulp
SCALES = [(0.5, 0.5), (0.3, 1.7), (2.1, 0.6), (1 / 3, 0.9), (1.04, 1.02), (0.25, 0.25), (3, 2)]


@pytest.fixture(autouse=True, scope="module")
def without_ipp() -> Any:
    """Intel's library changes OpenCV's last bits."""
    before = cv2.ipp.useIPP()
    cv2.ipp.setUseIPP(False)
    yield
    cv2.ipp.setUseIPP(before)


def code(method: str) -> int:
    return int(getattr(cv2, f"INTER_{method}"))


def noise(shape: tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(dtype)


def outcome(resize: Any, *args: Any, **options: Any) -> Any:
    """Return the result, or None if there is none."""
    try:
        return resize(*args, **options)
    except (cv2.error, SizewiseError):
        return None


@pytest.mark.parametrize("channels", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("method", METHODS)
def test_uint8_bit_for_bit(method: str, channels: int) -> None:
    for seed, (input_size, (height, width)) in enumerate(sizes(40, 90, seed=channels)):
        x = image(input_size, channels or 1, seed)
        x = x if channels else x[:, :, 0]
        options = {"interpolation": code(method)}
        assert_same_pixels(ours.resize(x, (width, height), **options), cv2.resize(x, (width, height), **options))


@pytest.mark.parametrize("method", METHODS)
def test_fx_and_fy(method: str) -> None:
    """Sizes are rounded as OpenCV does, and coordinates are divided by fx and fy."""
    for height in range(1, 24):
        x = image((height, 25 - height), 3, height)
        for fx, fy in SCALES:
            for dsize in (None, (0, 0), (0, 7), (-3, 5)):
                options = {"fx": fx, "fy": fy, "interpolation": code(method)}
                theirs, mine = (outcome(resize, x, dsize, **options) for resize in (cv2.resize, ours.resize))
                assert (theirs is None) == (mine is None), (x.shape, options)
                if theirs is not None:
                    assert_same_pixels(mine, theirs)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("method", ["AREA", "LINEAR", "LINEAR_EXACT"])
def test_whole_factors(method: str, channels: int) -> None:
    """With and without a part of a block left at an edge; halved, images of 1, 3 and 4 channels round otherwise."""
    for factor in range(2, 11) if channels <= 4 or method == "AREA" else (2,):
        for height, width in [(factor, 3 * factor), (5 * factor - 1, 4 * factor), (3 * factor - 1, 9 * factor - 1)]:
            x = image((height, width), channels, 3 * factor)
            options = {"fx": 1 / factor, "fy": 1 / factor, "interpolation": code(method)}
            assert_same_pixels(ours.resize(x, None, **options), cv2.resize(x, None, **options))


def test_fx_and_fy_do_not_matter_beside_dsize() -> None:
    x = image((13, 17), 3)
    options = {"fx": 0.1, "fy": 7.0, "interpolation": cv2.INTER_CUBIC}
    assert_same_pixels(ours.resize(x, (8, 9), **options), cv2.resize(x, (8, 9), **options))


def test_control_the_ratio_of_the_sizes_is_seen() -> None:
    x = noise((7, 9))
    theirs = cv2.resize(x, None, fx=1.6, fy=1.6)
    assert np.abs(theirs - ours.resize(x, theirs.shape[::-1])).max() > 0.01
    assert np.abs(theirs - ours.resize(x, None, fx=1.6, fy=1.6)).max() < 1e-5


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("method", METHODS)
def test_floats(method: str, dtype: type) -> None:
    for input_size, (height, width) in sizes(40, 60):
        x = noise((*input_size, 2), dtype)
        mine, theirs = (resize(x, (width, height), interpolation=code(method)) for resize in (ours.resize, cv2.resize))
        assert mine.dtype == theirs.dtype
        assert_within(mine.astype(np.float32), theirs.astype(np.float32), x, ULP[method.lower()])


@pytest.mark.parametrize("dtype", [np.uint16, np.int16], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("method", METHODS)
def test_16_bits(method: str, dtype: type) -> None:
    """By at most 1, and rarely: OpenCV adds up float32, or for LINEAR_EXACT integers of few bits."""
    limits, differing, total = np.iinfo(dtype), 0, 0
    for seed, (input_size, (height, width)) in enumerate(sizes(30, 60)):
        x = np.random.default_rng(seed).integers(limits.min, limits.max + 1, (*input_size, 3)).astype(dtype)
        mine, theirs = (resize(x, (width, height), interpolation=code(method)) for resize in (ours.resize, cv2.resize))
        assert mine.dtype == theirs.dtype and np.abs(mine.astype(int) - theirs).max() <= 1
        differing, total = differing + int((mine != theirs).sum()), total + mine.size
    rare = 0.15 if method == "LINEAR_EXACT" else 0.01 if method in MIXING else 0
    assert differing <= rare * total


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32", "float64"]
)
def test_the_same_dtypes_are_taken(dtype: str, method: str) -> None:
    if (dtype, method) == ("int32", "LINEAR_EXACT"):
        return  # see below
    x = image((8, 10), 3).astype(dtype)
    for dsize in ((7, 4), (10, 8)):  # of the same size, OpenCV copies whatever it is
        mine, theirs = (outcome(resize, x, dsize, None, 0, 0, code(method)) for resize in (ours.resize, cv2.resize))
        assert (mine is None) == (theirs is None)
        assert mine is None or (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)


def test_integers_that_opencv_takes_and_spoils_are_refused() -> None:
    """It makes int64 int32 without a word, and INTER_LINEAR_EXACT loses thousands of int32."""
    x = np.full((4, 4), 2**31 - 1, np.int32)
    x[::2] *= -1
    exact = ours.resize(x.astype(np.float64), (3, 3))
    assert np.abs(cv2.resize(x, (3, 3), interpolation=cv2.INTER_LINEAR_EXACT) - exact).max() > 100
    with pytest.raises(DtypeError, match="int32"):
        ours.resize(x, (3, 3), interpolation=ours.INTER_LINEAR_EXACT)
    with pytest.raises(DtypeError, match="int64"):
        ours.resize(np.zeros((4, 4), np.int64), (2, 2), interpolation=ours.INTER_NEAREST)
    assert cv2.resize(np.full((4, 4), 2**40), (2, 2), interpolation=cv2.INTER_NEAREST).dtype == np.int32


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(8, 10), (8, 10, 1), (8, 10, 2), (8, 10, 5), (8, 10, 128), (8, 10, 129)], ids=str)
def test_the_same_shapes(shape: tuple[int, ...], method: str) -> None:
    x = noise(shape)
    for dsize in ((7, 3), (5, 4), (20, 16), (20, 3)):
        mine, theirs = (outcome(resize, x, dsize, interpolation=code(method)) for resize in (ours.resize, cv2.resize))
        assert (mine is None) == (theirs is None), dsize
        assert mine is None or mine.shape == theirs.shape


def test_defaults() -> None:
    x = image((20, 30), 3)
    assert_same_pixels(cv2.resize(x, (7, 9)), cv2.resize(x, (7, 9), None, 0, 0, cv2.INTER_LINEAR))
    assert_same_pixels(ours.resize(x, (7, 9)), cv2.resize(x, (7, 9)))
    assert_same_pixels(ours.resize(x, (7, 9), interpolation=None), cv2.resize(x, (7, 9), interpolation=None))


@pytest.mark.parametrize(
    "shape", [(4, 5, 3), (4, 5), (4, 5, 1), (5, 4, 3), (4, 5, 4), (20,)], ids=lambda shape: "x".join(map(str, shape))
)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("channels", [1, 3])
def test_dst(channels: int, dtype: type, shape: tuple[int, ...]) -> None:
    """Written into and returned where it fits, of any strides; else left alone."""
    x = image((8, 10), channels)
    expected = np.zeros(shape, dtype)
    theirs = cv2.resize(x, (5, 4), expected)
    for given in (np.zeros(shape, dtype), np.zeros((*shape, 2), dtype)[..., 0]):
        mine = ours.resize(x, (5, 4), given)
        assert_same_pixels(mine, theirs)
        assert_same_pixels(given, expected)
        assert (mine is given) == (theirs is expected)


def test_dst_of_tensors() -> None:
    x, dst = torch.rand(8, 10, 3), torch.zeros(4, 5, 3)
    assert ours.resize(x, (5, 4), dst) is dst
    assert torch.equal(dst, ours.resize(x, (5, 4)))
    with pytest.raises(ArgumentTypeError, match="same library as src, not ndarray"):
        ours.resize(x, (5, 4), np.zeros((4, 5, 3), np.float32))


X = np.zeros((8, 10, 3), np.uint8)
BAD: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    ((X, None), {}, ArgumentError, "give dsize, or fx and fy"),
    ((X, (0, 0)), {}, ArgumentError, "give dsize, or fx and fy"),
    ((X, (0, 5)), {}, ArgumentError, "give dsize, or fx and fy"),
    ((X, None), {"fx": 0.5}, ArgumentError, "give dsize, or fx and fy"),
    ((X, None), {"fx": -0.5, "fy": 0.5}, ArgumentError, "above 0"),
    ((X, None), {"fx": float("nan"), "fy": 0.5}, ArgumentError, "finite number"),
    ((X, None), {"fx": float("inf"), "fy": 0.5}, ArgumentError, "finite number"),
    ((X, None), {"fx": "2", "fy": 0.5}, ArgumentError, "finite number"),
    ((X, None), {"fx": True, "fy": 0.5}, ArgumentError, "finite number"),
    ((X, None), {"fx": 0.01, "fy": 0.5}, ArgumentError, "leave nothing"),
    ((X, (5.0, 4)), {}, ArgumentError, "two integers"),
    ((X, (True, 4)), {}, ArgumentError, "two integers"),
    ((X, (5, 4, 3)), {}, ArgumentError, "two integers"),
    ((X, 5), {}, ArgumentError, "two integers"),
    ((X, "54"), {}, ArgumentError, "two integers"),
    ((X, (2**31, 5)), {}, ArgumentError, "2147483648"),
    ((X, (5, 4)), {"interpolation": 7}, ArgumentError, "INTER_NEAREST_EXACT"),
    ((X, (5, 4)), {"interpolation": -1}, ArgumentError, "unknown interpolation -1"),
    ((X, (5, 4)), {"interpolation": "1"}, ArgumentTypeError, "INTER_"),
    ((X, (5, 4)), {"interpolation": True}, ArgumentTypeError, "INTER_"),
    ((X, (5, 4)), {"interpolation": 1.0}, ArgumentTypeError, "INTER_"),
    ((X, (5, 4), "dst"), {}, ArgumentTypeError, "dst must be an array"),
    ((X[:0], (5, 4)), {}, ArgumentError, "not empty"),
    ((X[:, :, :0], (5, 4)), {}, ArgumentError, "not empty"),
    ((X[None], (5, 4)), {}, ArgumentError, "it must be"),
    (([[1, 2], [3, 4]], (5, 4)), {}, ArgumentTypeError, "np.asarray"),
    ((X.astype(np.complex64), (5, 4)), {}, DtypeError, "complex64"),
    ((X.astype(np.int32), (5, 4)), {}, DtypeError, "int32; OpenCV takes uint8, uint16, int16, float32, float64"),
    ((np.zeros((8, 10, 200), np.uint8), (5, 4)), {}, UnsupportedError, "at most 128"),
    ((np.zeros((8, 10, 5)), (7, 3)), {"interpolation": 3}, UnsupportedError, "at most 4 channels"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "options", "error", "says"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_what_opencv_refuses(args: tuple[Any, ...], options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(cv2.error):
        cv2.resize(*args, **options)
    with pytest.raises(error, match=says):
        ours.resize(*args, **options)


@pytest.mark.parametrize("method", MIXING)
def test_gradient_is_that_of_opencvs_pixels(method: str) -> None:
    """OpenCV is linear in float64: what it makes of each unit image is a row of the Jacobian."""
    units, dy = np.eye(20).reshape(20, 4, 5), noise((7, 3), np.float64)
    expected = [np.sum(cv2.resize(unit, (3, 7), interpolation=code(method)) * dy) for unit in units]
    x = torch.zeros(4, 5, dtype=torch.float64, requires_grad=True)
    (ours.resize(x, (3, 7), interpolation=code(method)) * torch.from_numpy(dy)).sum().backward()
    assert np.abs(x.grad.numpy().ravel() - expected).max() <= 1e-5


@pytest.mark.parametrize("options", [{"dsize": (3, 7)}, {"dsize": None, "fx": 0.6, "fy": 1.7}], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_exact_gradients_of_tensors(method: str, options: dict[str, Any]) -> None:
    x = torch.randn(4, 5, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: ours.resize(x, **options, interpolation=code(method)), (x,))
    dy = torch.randn_like(ours.resize(x, **options, interpolation=code(method)))
    (dx,) = torch.autograd.grad(ours.resize(x, **options, interpolation=code(method)), x, dy)
    name, scale = {"method": method.lower(), "dialect": "opencv"}, (1.7, 0.6) if "fx" in options else None
    assert torch.equal(dx, sw.resize_grad(dy, (4, 5), scale=scale, axes=(0, 1), **name))


def test_a_single_channel_has_a_gradient() -> None:
    x = torch.rand(8, 10, 1, requires_grad=True)
    ours.resize(x, (5, 4)).sum().backward()
    assert x.grad is not None and x.grad.shape == x.shape and float(x.grad.sum()) == pytest.approx(20)


def test_gradients_of_autograd() -> None:
    gradient = autograd.grad(lambda x: (ours.resize(x, (3, 7)) ** 2).sum())(noise((4, 5), np.float64))
    expected = torch.from_numpy(noise((4, 5), np.float64)).requires_grad_()
    (ours.resize(expected, (3, 7)) ** 2).sum().backward()
    assert np.array_equal(gradient, expected.grad.numpy())


@pytest.mark.parametrize("options", [{"dsize": (3, 7)}, {"dsize": None, "fx": 0.6, "fy": 1.7}], ids=str)
def test_inside_a_compiler(options: dict[str, Any]) -> None:
    x = torch.rand(4, 5, 3)
    compiled = torch.compile(lambda x: ours.resize(x, **options), fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x), ours.resize(x, **options))


@pytest.mark.parametrize("method", METHODS)
def test_control_another_method_is_seen(method: str) -> None:
    x = image((20, 30), 3)
    theirs = cv2.resize(x, (41, 13), interpolation=code(method))
    for other in METHODS:
        if other != method:
            assert (ours.resize(x, (41, 13), interpolation=code(other)) != theirs).any(), other


def test_layouts() -> None:
    x = image((20, 30), 3)
    for view in (x[::-1], x[:, ::2], x.transpose(1, 0, 2), x[..., ::-1]):
        assert_same_pixels(ours.resize(view, (7, 9)), cv2.resize(view, (7, 9)))
