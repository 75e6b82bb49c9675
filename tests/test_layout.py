"""`layout`: letters instead of axes; and the warning where channels seem to come first."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sizewise as sw
from sizewise.errors import ArgumentError, SizewiseWarning


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("layout", "axes"),
    [
        ("HW", (0, 1)),
        ("HWC", (0, 1)),
        ("CHW", (1, 2)),
        ("NCHW", (2, 3)),
        ("nhwc", (1, 2)),
        ("NTCHW", (3, 4)),
        ("NCDHW", (2, 3, 4)),
        ("DHWC", (0, 1, 2)),
        ("W", (0,)),
        ("NCW", (2,)),
        ("WHC", (1, 0)),  # the size is height and width wherever they stand
    ],
)
def test_letters_are_axes(layout: str, axes: tuple[int, ...]) -> None:
    x, size = noise(*range(5, 5 + len(layout))), (9, 4, 6)[: len(axes)]
    for _ in range(2):  # the second time from the cache
        np.testing.assert_array_equal(sw.resize(x, size, layout=layout), sw.resize(x, size, axes=axes))
    np.testing.assert_array_equal(sw.resize_grad(x, size, layout=layout), sw.resize_grad(x, size, axes=axes))
    plan = sw.make_plan(tuple(x.shape[axis] for axis in axes), size)
    if axes == tuple(sorted(axes)):
        np.testing.assert_array_equal(plan.apply(x, layout=layout), plan.apply(x, axes))
        np.testing.assert_array_equal(plan(x, layout=layout), sw.resize(x, size, axes=axes))


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("HWC", "layout 'HWC' names 3 axes, but the array has 4"),
        ("NCHH", "not 'NCHH'"),
        ("NCHX", "not 'NCHX'"),
        ("NCTH", "not 'NCTH'"),
        ("NCDW", "not 'NCDW'"),
        ("", "not ''"),
        (4, "such as 'NCHW' or 'HWC', not 4"),
        (("N", "C", "H", "W"), "layout must name each axis by one letter"),
    ],
)
def test_layouts_that_do_not_fit(layout: object, message: str) -> None:
    x = noise(2, 5, 6, 7)
    for call in (
        lambda: sw.resize(x, (3, 3), layout=layout),
        lambda: sw.resize_grad(x, (3, 3), layout=layout),
        lambda: sw.make_plan((6, 7), (3, 3)).apply(x, layout=layout),
    ):
        with pytest.raises(ArgumentError, match="layout") as refused:
            call()
        assert message in str(refused.value)


def test_axes_and_layout_exclude_each_other() -> None:
    with pytest.raises(ArgumentError, match="give axes or layout, one of them; both were given"):
        sw.resize(noise(5, 6), (3, 3), axes=(0, 1), layout="HW")


def test_the_cache_distinguishes_layouts() -> None:
    x = noise(6, 6, 6)
    first, last = sw.resize(x, (3, 3), layout="CHW"), sw.resize(x, (3, 3), layout="HWC")
    assert (first.shape, last.shape) == ((6, 3, 3), (3, 3, 6))
    assert sw.resize(x, (3, 3), layout="CHW").shape == (6, 3, 3)
    assert sw.resize(x, (3, 3)).shape == (3, 3, 6)
    with pytest.raises(ArgumentError, match="axes must be integers"):
        sw.resize(x, (3, 3), axes=("CHW",))


def test_lists_take_a_layout() -> None:
    assert sw.resize([[[0.0, 1.0]]], (1, 4), layout="CHW").shape == (1, 1, 4)


def test_pytorch_takes_a_layout_traced_or_not() -> None:
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(noise(1, 5, 6, 7))
    expected = sw.resize(x.numpy(), (3, 4), layout="NHWC")
    assert sw.resize(x, (3, 4)).shape == (1, 5, 3, 4)
    plan = sw.make_plan((5, 6), (3, 4))
    for function in (lambda x: sw.resize(x, (3, 4), layout="NHWC"), lambda x: plan.apply(x, layout="NHWC")):
        for call in (function, torch.compile(function, backend="eager", fullgraph=True)):
            np.testing.assert_array_equal(call(x).numpy(), expected)


def test_jax_and_tensorflow_take_a_layout_traced_or_not() -> None:
    jax, tf = pytest.importorskip("jax"), pytest.importorskip("tensorflow")
    x = noise(1, 3, 6, 7)
    expected = sw.resize(x, (3, 4), layout="NCHW")

    def resize(x: object) -> object:
        return sw.resize(x, (3, 4), layout="NCHW")

    for call, make in ((resize, jax.numpy.asarray), (jax.jit(resize), jax.numpy.asarray), (resize, tf.constant)):
        np.testing.assert_array_equal(np.asarray(call(make(x))), expected)
    np.testing.assert_allclose(np.asarray(tf.function(resize)(tf.constant(x))), expected, atol=1e-6)


# --- the warning ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "letters"), [((3, 48, 64), "CHW"), ((1, 48, 64), "CHW"), ((4, 48, 64), "CHW"), ((8, 3, 48, 64), "NCHW")]
)
def test_channels_that_seem_to_come_first(shape: tuple[int, ...], letters: str) -> None:
    x = noise(*shape)
    with pytest.warns(SizewiseWarning, match=f'layout="{letters}"') as caught:
        sw.resize(x, (24, 32))
    assert caught[0].filename == __file__
    with pytest.warns(SizewiseWarning, match="layout"):
        sw.resize_grad(x, (96, 128))


@pytest.mark.parametrize(
    "shape",
    [(48, 64, 3), (48, 64, 1), (1, 48, 64, 3), (4, 4, 512), (8, 1, 1, 256), (3, 64, 3), (3, 48), (2, 48, 64), (48, 64)],
)
def test_all_else_is_no_reason_to_warn(shape: tuple[int, ...]) -> None:
    sw.resize(noise(*shape), (24, 32))  # a warning is an error here


def test_axes_and_layouts_are_no_reason_to_warn() -> None:
    x = noise(3, 48, 64)
    sw.resize(x, (24, 32), axes=(-3, -2))
    sw.resize(x, (24, 32), layout="CHW")
    sw.make_plan((3, 48), (24, 32)).apply(x)


def test_a_call_that_was_warned_of_is_repeated_in_silence() -> None:
    x = noise(3, 50, 64)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            sw.resize(x, (24, 32))
    assert len(caught) == 1


def test_errors_about_lengths_name_the_layout() -> None:
    x = noise(3, 48, 64)
    for call in (
        lambda: sw.make_plan((48, 64), (24, 32))(x),
        lambda: sw.resize(x, (3, 24, 32), axes=(0, 1)),
        lambda: sw.resize_grad(noise(24, 32, 3), (48, 64), scale=0.25),
    ):
        with pytest.raises(ArgumentError, match='layout="NCHW", or by axes'):
            call()
