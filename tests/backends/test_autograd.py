"""autograd boxes: every derivative of a resize, in both modes, against numerical ones."""

from __future__ import annotations

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from autograd.test_util import check_grads

import sizewise as sw
from sizewise.errors import ArgumentError

IMAGE = np.random.default_rng(0).standard_normal((2, 5, 4, 3))
CALLS = {
    "bilinear": lambda x: sw.resize(x, (3, 7)),
    "lanczos3": lambda x: sw.resize(x, (7, 3), "lanczos3"),
    "nearest": lambda x: sw.resize(x, (3, 9), "nearest"),
    "tfjs": lambda x: sw.resize(x, (8, 2), dialect="tfjs", half_pixel_centers=True),
    "one axis": lambda x: sw.resize(x, 6, "bicubic", axes=1),
    "gradient": lambda dy: sw.resize_grad(dy, (7, 2), "bicubic"),
    "plan": lambda x: sw.make_plan((5, 4), (2, 2), "area")(x),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_derivative_up_to_second_order(name):
    np.random.seed(0)  # autograd draws its directions from the global generator
    call = CALLS[name]
    check_grads(call, modes=["fwd", "rev"], order=2)(IMAGE)
    check_grads(lambda x: anp.sin(call(x)) * call(x), modes=["fwd", "rev"], order=2)(IMAGE)


def test_a_box_gives_the_pixels_and_dtype_of_an_array():
    for dtype in (np.float32, np.float64):
        x = IMAGE.astype(dtype)
        _, y = autograd.make_vjp(CALLS["bilinear"])(x)
        assert y.dtype == dtype and (y == CALLS["bilinear"](x)).all()
        assert autograd.grad(lambda x: CALLS["bilinear"](x).sum())(x).dtype == dtype


def test_the_gradient_is_resize_grad():
    dy = np.random.default_rng(1).standard_normal((2, 3, 7, 3))
    pull, _ = autograd.make_vjp(CALLS["bilinear"])(IMAGE)
    assert (pull(dy) == sw.resize_grad(dy, (5, 4))).all()


def test_the_default_axes_are_those_of_numpy():
    shape = autograd.make_vjp(lambda x: sw.resize(x, (6, 6)))(IMAGE)[1].shape
    assert shape == (2, 6, 6, 3)


def test_out_is_refused():
    out = np.empty((2, 3, 7, 3))
    with pytest.raises(ArgumentError, match="out cannot be used with autograd boxes"):
        autograd.grad(lambda x: sw.resize(x, (3, 7), out=out).sum())(IMAGE)
