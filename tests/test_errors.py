"""Bad input: an error of the right class that says what was given and what is allowed, before anything is computed."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sizewise as sw
from sizewise.dialects import _registry, _suggestions
from sizewise.errors import (
    ArgumentError,
    ArgumentTypeError,
    DtypeError,
    FileError,
    MissingExtraError,
    SizewiseError,
    UnknownNameError,
    UnsupportedError,
    unknown_name,
)

IMAGE = np.zeros((4, 6, 3))
PLAN = sw.make_plan((4, 6), (2, 3))


def refused(call: Callable[[], Any], kind: type[SizewiseError], *parts: str) -> None:
    """Assert that the call raises exactly that class, and that its message contains each of the parts."""
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    message = str(caught.value)
    for part in parts:
        assert part in message, f"{part!r} is not in: {message}"


def test_classes_are_the_ones_users_expect() -> None:
    assert issubclass(ArgumentError, ValueError)
    assert issubclass(ArgumentTypeError, TypeError)
    assert issubclass(DtypeError, ArgumentTypeError)
    assert issubclass(UnknownNameError, ArgumentError)
    assert issubclass(UnsupportedError, ArgumentError)


def test_workers_can_return_each_error() -> None:
    for error in (ArgumentError("text"), MissingExtraError("grads()", "autograd"), FileError("text")):
        assert type(copied := pickle.loads(pickle.dumps(error))) is type(error)
        assert (str(copied), copied.args) == (str(error), error.args)


# --- arrays ---------------------------------------------------------------------------------------------------------

BAD_DTYPES = [
    np.zeros((4, 6), np.complex64),
    np.zeros((4, 6), np.complex128),
    np.full((4, 6), "a"),
    np.full((4, 6), b"a"),
    np.full((4, 6), None),
    np.zeros((4, 6), [("red", np.uint8), ("green", np.uint8)]),
    np.zeros((4, 6), "datetime64[s]"),
    np.zeros((4, 6), "timedelta64[s]"),
    np.zeros((4, 6), np.void(8).dtype),
]


@pytest.mark.parametrize("x", BAD_DTYPES, ids=lambda x: str(x.dtype))
def test_dtypes_that_hold_no_numbers(x: np.ndarray) -> None:
    allowed = ("bool", "integer", "float32", "float64")
    refused(lambda: sw.resize(x, (2, 3)), DtypeError, str(x.dtype), *allowed)
    refused(lambda: sw.resize(x, (4, 6)), DtypeError, str(x.dtype), *allowed)
    refused(lambda: PLAN(x), DtypeError, str(x.dtype), *allowed)
    with pytest.raises(DtypeError, match=re.escape(str(x.dtype))):
        sw.resize_grad(x, (8, 8))


@pytest.mark.parametrize("path", ["photo.jpg", Path("photo.jpg")])
def test_paths(path: object) -> None:
    opened = f"cannot resize a {type(path).__name__}; open the file first: PIL.Image.open(path)"
    for call in (lambda: sw.resize(path, (2, 3)), lambda: sw.resize_grad(path, (2, 3)), lambda: PLAN.apply(path)):
        refused(call, ArgumentTypeError, opened)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="longdouble is float64 here")
def test_long_doubles() -> None:
    refused(lambda: sw.resize(np.zeros((4, 6), np.longdouble), (2, 3)), DtypeError, "float128", "float64")


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.bool_], ids=lambda dtype: dtype.__name__)
def test_gradients_of_integers(dtype: type) -> None:
    dy = np.zeros((2, 3), dtype)
    refused(lambda: sw.resize_grad(dy, (4, 6)), DtypeError, np.dtype(dtype).name, "floating", "float32")
    refused(lambda: sw.resize_grad(dy, (2, 3)), DtypeError, np.dtype(dtype).name, "floating", "float32")
    refused(lambda: PLAN.T(dy), DtypeError, np.dtype(dtype).name, "floating", "float32")


class Stranger:
    """An array of no library that Sizewise knows."""

    shape = (4, 6)


@pytest.mark.parametrize("x", [object(), {}, None, b"image", {1, 2}, Stranger()], ids=lambda x: type(x).__name__)
def test_things_that_are_no_arrays(x: object) -> None:
    for call in (lambda: sw.resize(x, (2, 3)), lambda: sw.resize_grad(x, (2, 3)), lambda: PLAN.apply(x)):
        refused(call, ArgumentTypeError, type(x).__name__, "numpy")


def test_ragged_lists() -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        sw.resize([[1.0, 2.0], [3.0]], (2, 2))


@pytest.mark.parametrize("x", [np.float64(1.0), np.array(1.0), 1.0], ids=["scalar", "array", "float"])
def test_arrays_without_axes(x: object) -> None:
    refused(lambda: sw.resize(x, ()), ArgumentError, "0-d")
    refused(lambda: sw.resize_grad(x, 2), ArgumentError, "0-d")
    refused(lambda: PLAN.apply(x), ArgumentError, "0-d")


@pytest.mark.parametrize("shape", [(0, 6, 3), (4, 0, 3), (0, 0), (0,)], ids=str)
def test_empty_axes_cannot_be_resized(shape: tuple[int, ...]) -> None:
    size = (2, 3)[: min(len(shape), 2)]
    refused(lambda: sw.resize(np.zeros(shape), size), ArgumentError, str(shape), "length 0", "may be empty")
    refused(lambda: sw.resize_grad(np.zeros(shape), size), ArgumentError, str(shape), "length 0", "may be empty")


@pytest.mark.parametrize("shape", [(6, 4), (4, 6, 3, 1), (2, 4), (8,)], ids=str)
def test_arrays_that_do_not_fit_a_plan(shape: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError, match=r"4x6|2 axes"):
        PLAN.apply(np.zeros(shape))


# --- sizes ----------------------------------------------------------------------------------------------------------

BAD_LENGTHS = [
    0,
    -1,
    4.0,
    4.5,
    float("nan"),
    float("inf"),
    "4",
    True,
    None,
    np.True_,
    np.float64(4),
    1j,
    [4],
    Decimal(4),
]


@pytest.mark.parametrize("length", BAD_LENGTHS, ids=repr)
def test_one_bad_length(length: object) -> None:
    given = str(length) if isinstance(length, int) and not isinstance(length, bool) else repr(length)
    parts = (given, "entry 1", "integer of at least 1")
    refused(lambda: sw.resize(IMAGE, (2, length)), ArgumentError, "size", *parts)
    refused(lambda: sw.resize_grad(IMAGE, (2, length)), ArgumentError, "input_size", *parts)
    refused(lambda: sw.make_plan((4, length), (2, 3)), ArgumentError, "input_size", *parts)
    refused(lambda: sw.make_plan((4, 6), (2, length)), ArgumentError, "output_size", *parts)


@pytest.mark.parametrize("length", [0, -1, 4.0, "4", True, None, (4, 4)], ids=repr)
def test_bad_lengths_of_an_index_map(length: object) -> None:
    refused(lambda: sw.index_map(length, 3), ArgumentError, "n_in", repr(length))
    refused(lambda: sw.index_map(3, length), ArgumentError, "n_out", repr(length))


@pytest.mark.parametrize(
    "size", ["22", b"22", "2x3", (), (2,), (2, 3, 4), 2, [], {}, {2, 3}, np.zeros((0, 2), int)], ids=repr
)
def test_sizes_of_another_kind_or_length(size: object) -> None:
    refused(lambda: sw.resize(IMAGE, size), ArgumentError, "size", repr(size), "per axis")
    refused(lambda: sw.resize_grad(IMAGE, size), ArgumentError, "input_size", repr(size), "per axis")
    refused(lambda: sw.make_plan((4, 6), size), ArgumentError, "output_size", repr(size), "per axis")


def test_the_error_of_a_size_of_wrong_length_names_the_number_of_axes() -> None:
    refused(lambda: sw.resize(IMAGE, (2, 3, 4)), ArgumentError, "(2, 3, 4)", "2 resized axes")
    refused(lambda: sw.make_plan((4, 6), (2,)), ArgumentError, "(2,)", "2 resized axes")
    refused(lambda: sw.resize(IMAGE, 2), ArgumentError, "size is 2, 1 length for", "such as size=(2, 2), or name other")
    refused(lambda: sw.make_plan((), ()), ArgumentError, "input_size", "empty")
    refused(lambda: sw.make_plan(None, (2, 3)), ArgumentError, "input_size", "None")


@pytest.mark.parametrize("length", [2**31, 2**63, 10**100], ids=["2**31", "2**63", "10**100"])
def test_huge_lengths_say_how_many_bytes(length: int) -> None:
    parts = (str(length), f"{2**31 - 1:,}", "bytes")
    refused(lambda: sw.resize(IMAGE, (2, length)), ArgumentError, *parts)
    refused(lambda: sw.resize_grad(IMAGE, (length, 2)), ArgumentError, *parts)
    refused(lambda: sw.make_plan((4, 6), (length, 2)), ArgumentError, *parts)
    refused(lambda: sw.index_map(4, length), ArgumentError, *parts)


def test_totals_too_large_for_memory_say_how_many_bytes() -> None:
    x = np.broadcast_to(np.float32(0), (2**20, 4, 4, 2**20))
    total = 2**20 * 2**21 * 2**21 * 2**20 * 4
    refused(lambda: sw.resize(x, (2**21, 2**21), "nearest"), ArgumentError, f"{total:,} bytes", "address space")


def test_a_result_larger_than_memory_says_how_many_bytes() -> None:
    x = np.zeros((8, 8), np.float32)
    refused(lambda: sw.resize(x, (2**22, 2**22), "nearest"), ArgumentError, f"{4 * 2**44:,} bytes", "memory")


# --- scale ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scale",
    [0, -1, 0.0, float("nan"), float("inf"), "2", True, [2, "x"], [None, 1], 1j, object(), 10**400, b"ab", {2, 3}],
    ids=lambda scale: f"{type(scale).__name__}-{scale!r}"[:16],
)
def test_bad_scales(scale: object) -> None:
    refused(lambda: sw.resize(IMAGE, scale=scale), ArgumentError, "scale", "positive finite number")
    refused(lambda: sw.make_plan((4, 6), scale=scale), ArgumentError, "scale", "positive finite number")


def test_scales_of_the_wrong_length_or_result() -> None:
    refused(lambda: sw.resize(IMAGE, scale=(1, 2, 3)), ArgumentError, "(1, 2, 3)", "2 resized axes")
    refused(lambda: sw.resize(IMAGE, scale=()), ArgumentError, "()", "2 resized axes")
    refused(lambda: sw.resize(IMAGE, scale=0.1), ArgumentError, "0.1", "(0, 1)", "1 or more")
    refused(lambda: sw.resize(IMAGE, scale=1e300), ArgumentError, "scale", f"{2**31 - 1:,}")


def test_size_and_scale_are_one_or_the_other() -> None:
    refused(lambda: sw.resize(IMAGE, (2, 3), scale=2), ArgumentError, "size", "scale", "both")
    refused(lambda: sw.resize(IMAGE), ArgumentError, "size", "scale", "neither")
    refused(lambda: sw.make_plan((4, 6), (2, 3), scale=2), ArgumentError, "output_size", "scale", "both")
    refused(lambda: sw.make_plan((4, 6)), ArgumentError, "output_size", "scale", "neither")


def test_a_gradient_of_another_size_than_the_scale_gives() -> None:
    refused(lambda: sw.resize_grad(IMAGE, (4, 6), scale=2), ArgumentError, "(4, 6)", "(8, 12)", "scale")


# --- names ----------------------------------------------------------------------------------------------------------


def calls(**arguments: Any) -> list[Callable[[], Any]]:
    """Return calls of each public function with these arguments."""
    return [
        lambda: sw.resize(IMAGE, (2, 3), **arguments),
        lambda: sw.resize_grad(IMAGE, (2, 3), **arguments),
        lambda: sw.make_plan((4, 6), (2, 3), **arguments),
    ]


def test_errors_of_unknown_names_suggest_the_closest_known_one() -> None:
    for call in calls(method="bilinaer"):
        refused(call, UnknownNameError, "'bilinaer'", "did you mean 'bilinear'", "lanczos3", "cubic")
    for call in calls(method="bicubic", dialect="tfjs"):
        refused(call, UnknownNameError, "'bicubic'", "'tfjs'", "known: bilinear, nearest")
    for call in calls(dialect="tensorflw1"):
        refused(call, UnknownNameError, "'tensorflw1'", "did you mean 'tensorflow1'", "standard")
    for call in calls(dialect="tfjs", align_corner=True):
        refused(call, UnknownNameError, "'align_corner'", "did you mean 'align_corners'", "half_pixel_centers")
    for call in calls(align_corners=True):
        refused(call, UnknownNameError, "'align_corners'", "'standard'", "none")
    refused(lambda: sw.index_map(4, 6, "nearst"), UnknownNameError, "'nearst'", "did you mean 'nearest'")
    refused(lambda: sw.index_map(4, 6, dialect="tjfs"), UnknownNameError, "did you mean 'tfjs'")


@pytest.mark.parametrize("name", [None, 3, b"bilinear", ("bilinear",), ["bilinear"], ""], ids=repr)
def test_names_of_another_kind(name: object) -> None:
    for call in [*calls(method=name), *calls(dialect=name)]:
        refused(call, UnknownNameError, repr(name), "known: ")


@pytest.mark.parametrize("dialect", ["tfjs", "tensorflow1"])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_both_flags(dialect: str, method: str) -> None:
    arguments = {"dialect": dialect, "method": method, "align_corners": True, "half_pixel_centers": True}
    for call in calls(**arguments):
        refused(call, UnsupportedError, dialect, "align_corners", "half_pixel_centers", "both")
    flags = {"align_corners": True, "half_pixel_centers": True}
    refused(lambda: sw.index_map(4, 6, dialect=dialect, **flags), UnsupportedError, "both")


@pytest.mark.parametrize("value", [1, 0, "yes", None, 1.0], ids=repr)
def test_values_of_options_and_antialias(value: object) -> None:
    for call in calls(dialect="tfjs", align_corners=value):
        refused(call, ArgumentError, "align_corners", "False, True", repr(value))
    if value is not None:
        for call in calls(antialias=value):
            refused(call, ArgumentError, "antialias", "True, False or None", repr(value))


@pytest.mark.parametrize("method", ["INTER_AREA", "cv2.INTER_AREA", "inter_area", 3], ids=repr)
def test_methods_given_as_constants_of_opencv(method: object) -> None:
    for call in calls(method=method):
        refused(call, UnknownNameError, f"{method!r}", "cv2.INTER_AREA is 'area' with dialect='opencv'; known: area")


def test_antialias_that_a_method_does_not_have() -> None:
    refused(lambda: sw.resize(IMAGE, (2, 3), "nearest", antialias=True), UnsupportedError, "nearest", "antialias=True")
    refused(lambda: sw.resize(IMAGE, (2, 3), dialect="tfjs", antialias=True), UnsupportedError, "tfjs", "antialias")


def test_index_maps_of_methods_that_mix() -> None:
    refused(lambda: sw.index_map(4, 6, "bilinear"), ArgumentError, "'bilinear'", "nearest")


# --- axes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axes", "parts"),
    [
        ((0, 0), ("(0, 0)", "twice")),
        ((0, -3), ("(0, -3)", "rank 3", "twice")),
        ((0, 3), ("(0, 3)", "rank 3", "-3 to 2")),
        ((-4, 0), ("(-4, 0)", "rank 3", "-3 to 2")),
        ((), ("axes", "empty", "at least one")),
        ((0.0, 1), ("axes", "integers", "(0.0, 1)")),
        ("01", ("axes", "integers", "'01'")),
        ((True, 1), ("axes", "integers", "(True, 1)")),
        ((None, 1), ("axes", "integers", "(None, 1)")),
        (object, ("axes", "integers")),
        (10**100, ("axes", "rank 3")),
    ],
    ids=repr,
)
def test_axes(axes: Any, parts: tuple[str, ...]) -> None:
    refused(lambda: sw.resize(IMAGE, (2, 3), axes=axes), ArgumentError, *parts)
    refused(lambda: sw.resize_grad(IMAGE, (2, 3), axes=axes), ArgumentError, *parts)
    refused(lambda: PLAN.apply(IMAGE, axes=axes), ArgumentError, *parts)


def test_as_many_axes_as_the_plan_has() -> None:
    refused(lambda: PLAN.apply(IMAGE, axes=0), ArgumentError, "4x6", "(0,)")
    refused(lambda: PLAN.apply(IMAGE, axes=(0, 1, 2)), ArgumentError, "4x6", "4x6x3")
    refused(lambda: sw.resize(IMAGE, 5, axes=(0, 1)), ArgumentError, "5", "2 resized axes")


# --- out ------------------------------------------------------------------------------------------------------------


def refused_out(out: Any, kind: type[SizewiseError], *parts: str) -> None:
    refused(lambda: sw.resize(IMAGE, (2, 3), out=out), kind, *parts)
    refused(lambda: sw.resize_grad(IMAGE, (2, 3), out=out), kind, *parts)
    refused(lambda: PLAN.apply(IMAGE, out=out), kind, *parts)


def test_out_of_the_wrong_kind() -> None:
    refused_out(np.zeros((2, 3)), ArgumentError, "(2, 3)", "(2, 3, 3)")
    refused_out(np.zeros((3, 2, 3)), ArgumentError, "(3, 2, 3)", "(2, 3, 3)")
    refused_out(np.zeros((2, 3, 3), np.float32), ArgumentError, "float32", "float64")
    refused_out([[0.0]], ArgumentTypeError, "NumPy array", "list")
    refused_out("out", ArgumentTypeError, "NumPy array", "str")
    locked = np.zeros((2, 3, 3))
    locked.flags.writeable = False
    refused_out(locked, ArgumentError, "read-only", "writable")


def test_out_whose_elements_share_memory() -> None:
    out = np.lib.stride_tricks.as_strided(np.zeros(6), (2, 6), (0, 8))
    refused(lambda: sw.resize(np.zeros((4, 6)), (2, 6), out=out), ArgumentError, "(0, 8)", "share memory")


@pytest.mark.parametrize("size", [(4, 6), (2, 3), (4, 3)], ids=str)
def test_out_that_overlaps_the_input(size: tuple[int, int]) -> None:
    memory = np.arange(4 * 6 * 3.0)
    x = memory.reshape(4, 6, 3)
    before = memory.copy()
    out = memory[: 3 * size[0] * size[1]].reshape(*size, 3)
    refused(lambda: sw.resize(x, size, out=out), ArgumentError, "overlap", "separate memory")
    assert (memory == before).all()


# --- threads --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [0, -1, "x", "", 1.5, True, [2], np.array([1, 2])], ids=repr)
def test_threads(threads: Any) -> None:
    parts = ("threads", "integer of at least 1", repr(threads))
    refused(lambda: sw.resize(IMAGE, (2, 3), threads=threads), ArgumentError, *parts)
    refused(lambda: sw.resize_grad(IMAGE, (2, 3), threads=threads), ArgumentError, *parts)
    refused(lambda: PLAN.apply(IMAGE, threads=threads), ArgumentError, *parts)


@pytest.mark.parametrize("value", ["0", "-2", "two", "1.5"])
def test_threads_of_the_environment(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEWISE_THREADS", value)
    large = np.zeros((600, 600, 3))  # enough work for a second thread to be thought of
    refused(
        lambda: sw.resize(large, (300, 300)), ArgumentError, "SIZEWISE_THREADS", "integer of at least 1", repr(value)
    )


# --- taps -----------------------------------------------------------------------------------------------------------


def test_taps() -> None:
    refused(lambda: sw.Taps(3, [0], [1.0]), ArgumentError, "(1,)", "weights[n_out, width]")
    refused(lambda: sw.Taps(3, [2], [[0.5, 0.5]]), ArgumentError, "outside", "3")
    refused(lambda: sw.Taps(3, [-1], [[0.5, 0.5]]), ArgumentError, "outside", "3")


def test_control_good_calls_pass() -> None:
    for call in calls():
        call()
    with pytest.raises(pytest.fail.Exception):
        refused(lambda: sw.resize(IMAGE, (2, 3)), ArgumentError)
    with pytest.raises(AssertionError):
        refused(lambda: sw.resize(IMAGE, (2, 0)), ArgumentError, "a word that is not there")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"interpolation": 1}, ["unknown option of dialect 'standard': 'interpolation'", "in Sizewise it is method=;"]),
        ({"mode": "bilinear"}, ["'mode'", "in Sizewise it is method='bilinear'"]),
        ({"resample": 3}, ["'resample'", "method="]),
        ({"scale_factor": 2}, ["'scale_factor'", "in Sizewise it is scale="]),
        ({"align_corners": True}, ["'align_corners'", "dialects that have it:", "torch", "tfjs"]),
        ({"half_pixel_centers": True}, ["dialects that have it:", "tensorflow1", "tflite"]),
        ({"align_cornrs": True, "dialect": "torch"}, ["did you mean 'align_corners'?"]),
    ],
)
def test_arguments_of_other_libraries(options, parts):
    refused(lambda: sw.resize(IMAGE, (2, 3), **options), UnknownNameError, *parts)


@pytest.mark.parametrize(
    ("name", "dialect"),
    [("cv2", "opencv"), ("PIL", "pillow"), ("tf", "tensorflow"), ("pytorch", "torch"), ("onnxruntime", "onnx")],
)
def test_packages_are_known_by_the_names_they_are_imported_by(name, dialect):
    message = f"unknown dialect: {name!r}; use {dialect!r} for {name};"
    refused(lambda: sw.resize(IMAGE, (2, 3), dialect=name), UnknownNameError, message)


def test_every_hint_names_an_existing_option():
    assert set(_registry.LIBRARIES.values()) <= set(sw.dialects.names())
    assert set(_suggestions.ARGUMENTS.values()) <= set(inspect.signature(sw.resize).parameters)
    assert not {*_registry.LIBRARIES} & {*sw.dialects.names()}


def test_pillow_objects_that_are_no_images():
    from PIL import ImagePalette

    refused(lambda: sw.resize(ImagePalette.ImagePalette(), (2, 2)), ArgumentTypeError, "use a PIL.Image.Image")


def test_invalid_dtypes():
    refused(lambda: PLAN.for_dtype("foo"), UnknownNameError, "unknown dtype: 'foo'", "float32", "uint8")
    refused(lambda: PLAN.for_dtype("flaot32"), UnknownNameError, "did you mean 'float32'?")
    refused(lambda: PLAN.for_dtype(3), ArgumentError, "dtype must be a NumPy dtype", "not 3")
    refused(lambda: PLAN.arithmetic(3), ArgumentError, "not 3")
    refused(lambda: PLAN.for_dtype("complex64"), DtypeError, "complex64")


def test_of_many_known_names_the_nearest_are_listed():
    names = [f"name{number:03}" for number in range(100)]
    text = str(unknown_name("thing", "name042x", names))
    assert "did you mean 'name042'?" in text and len(text) < 200
    assert text.endswith("and 94 others")
    assert str(unknown_name("thing", 3, names)).endswith("name005 and 94 others")
