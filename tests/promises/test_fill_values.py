"""Fill values of outputs outside the image; the rest of the plan is linear, and so are its derivatives."""

from __future__ import annotations

import itertools
import pickle

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from tolerances import assert_close, assert_same_bits
from variants import at_each, noise

import sizewise as sw
from sizewise.testing import dot_test

CROP = {"coordinate_transformation_mode": "tf_crop_and_resize"}
SIZES = [((6, 9), (8, 5)), ((6, 9), (6, 9)), ((5, 4), (1, 12)), ((40, 33), (7, 6))]
ROIS = [(-0.3, 0.2, 0.7, 1.4), (0.1, -0.5, 0.9, 1.5), (0.2, 0.2, 0.8, 2.0)]
CASES = [
    (dialect, method, antialias)
    for dialect, (method, antialias) in itertools.product(
        ("onnx", "onnx-reference"),
        [("nearest", False), ("linear", False), ("linear", True), ("cubic", False), ("cubic", True)],
    )
]


@pytest.fixture(params=CASES, ids=str)
def arguments(request: pytest.FixtureRequest) -> dict:
    """Return the arguments of every method of the dialects with fill values."""
    dialect, method, antialias = request.param
    return {"dialect": dialect, "method": method, "antialias": antialias, **CROP}


def is_outside(plan: sw.Plan) -> np.ndarray:
    return np.logical_or.outer(*(one.count == 0 for one in plan.taps))


def test_the_value_fills_the_outside_and_nothing_else(arguments: dict) -> None:
    for sizes, roi in itertools.product(SIZES, ROIS):
        plan = sw.make_plan(*sizes, extrapolation_value=2.5, roi=roi, **arguments)
        outside = is_outside(plan)
        assert outside.any()
        x = noise((3, *sizes[0], 2))
        for _ in range(3):  # the first call prepares, those after it are quick
            result = plan(x)
            assert (result[:, outside] == 2.5).all()
            assert_same_bits(result[:, ~outside], plan.linear(x)[:, ~outside])
        assert (plan.linear(x)[:, outside] == 0).all()


def test_nothing_is_read_outside(arguments: dict) -> None:
    plan = sw.make_plan((6, 9), (8, 5), extrapolation_value=2.5, roi=ROIS[0], **arguments)
    outside = is_outside(plan)
    for value in (np.nan, np.inf):
        assert (plan(np.full((6, 9), value))[outside] == 2.5).all()


@at_each(
    case=[
        (np.float16, 1e6, np.inf), (np.float16, 0.1, np.float16(np.float32(0.1))), (np.float32, 0.1, np.float32(0.1)),
        (np.float64, 0.1, float(np.float32(0.1))), (np.uint8, 300, 255), (np.uint8, -1, 0), (np.uint8, 2.5, 2),
        (np.int8, -129, -128), (np.int64, 1e30, 2**63 - 1), (np.int16, 3.5, 4), (np.bool_, 1, True),
    ],
)  # fmt: skip
def test_the_value_is_converted_to_the_dtype(arguments: dict, case: tuple[type, float, object]) -> None:
    dtype, given, expected = case
    x = noise((6, 9), dtype)
    plan = sw.make_plan((6, 9), (8, 5), extrapolation_value=given, roi=ROIS[0], **arguments)
    result, outside = plan(x), is_outside(plan)
    assert result.dtype == dtype
    assert (result[outside] == expected).all()
    assert_same_bits(result[~outside], plan.linear(x)[~outside])


def test_out_threads_and_strides(arguments: dict) -> None:
    plan = sw.make_plan((40, 33), (37, 60), extrapolation_value=2.5, roi=ROIS[1], **arguments)
    x = noise((40, 66, 3))[:, ::2]
    expected = plan(np.ascontiguousarray(x))
    assert_same_bits(plan(x), expected)
    for threads in (1, 2):
        out = np.full((3, 60, 37), np.nan).T
        assert plan.apply(x, out=out, threads=threads) is out
        assert_same_bits(np.ascontiguousarray(out), expected)


def test_a_region_follows_its_axes(arguments: dict) -> None:
    x = noise((6, 9, 4))
    straight = sw.resize(x, (8, 5), roi=(-0.3, 0.2, 0.7, 1.4), extrapolation_value=2.5, **arguments)
    turned = sw.resize(x, (5, 8), roi=(0.2, -0.3, 1.4, 0.7), extrapolation_value=2.5, axes=(1, 0), **arguments)
    assert_same_bits(turned, straight)
    assert (sw.resize(x, (5, 8), roi=(-0.3, 0.2, 0.7, 1.4), axes=(1, 0), **arguments) != straight).any()
    dy = noise((8, 5, 4))
    gradient = sw.resize_grad(dy, (6, 9), roi=(-0.3, 0.2, 0.7, 1.4), **arguments)
    assert_same_bits(sw.resize_grad(dy, (9, 6), roi=(0.2, -0.3, 1.4, 0.7), axes=(1, 0), **arguments), gradient)


def test_fill_value_of_a_region_outside_the_image(arguments: dict) -> None:
    plan = sw.make_plan((6, 9), (8, 5), extrapolation_value=7.0, roi=(2, 2, 3, 3), **arguments)
    for dtype in (np.float32, np.float64, np.uint8, np.int32):
        assert (plan(noise((6, 9, 3), dtype)) == 7).all()
    assert (plan.T(noise((8, 5, 3))) == 0).all()
    assert (plan.coverage() == 0).all()
    along = sw.make_plan((6, 9), (8, 5), extrapolation_value=7.0, roi=(2, 0, 3, 1), **arguments)
    assert (along(noise((6, 9))) == 7).all()


@pytest.mark.filterwarnings("error")
def test_fill_value_of_a_region_far_outside(arguments: dict) -> None:
    for roi in [(-3e38, -3e38, 3e38, 3e38), (1e30, 0, 2e30, 1)]:
        plan = sw.make_plan((6, 9), (8, 4), extrapolation_value=7.0, roi=roi, **arguments)
        assert (plan(noise((6, 9))) == 7).all()


def test_an_index_map_needs_a_pixel_for_each_output() -> None:
    assert sw.index_map(5, 3, dialect="onnx", roi=(0.25, 0.75), **CROP).tolist() == [1, 2, 3]
    with pytest.raises(sw.errors.ArgumentError, match="leaves outputs outside the image empty"):
        sw.index_map(5, 3, dialect="onnx", roi=(0.5, 1.5), **CROP)


def test_the_gradient_is_of_the_linear_part(arguments: dict) -> None:
    for sizes, roi in itertools.product(SIZES, ROIS):
        plan, other = (sw.make_plan(*sizes, extrapolation_value=value, roi=roi, **arguments) for value in (2.5, 0.0))
        dot_test(plan)
        dy = noise(sizes[1])
        assert_same_bits(plan.T(dy), other.T(dy))
        zeros = plan(np.zeros(sizes[0]))
        x = noise(sizes[0])
        assert_close(plan(x) - zeros, plan.linear(x), plan.taps, float(np.abs(x).max()) + 2.5)


def test_plans(arguments: dict) -> None:
    plan = sw.make_plan((6, 9), (8, 5), extrapolation_value=2.5, roi=ROIS[0], **arguments)
    assert plan.T.T is plan.linear is plan.linear.linear
    assert plan.T is plan.linear.T
    assert plan.linear is not plan
    for one in (plan, plan.linear, plan.T):
        assert pickle.loads(pickle.dumps(one)) is one
        assert one.for_dtype(np.dtype(np.float32)) is one
    by_hand = sw.Plan(plan.request, plan.taps, plan.fill)
    copied, x = pickle.loads(pickle.dumps(by_hand)), noise((6, 9))
    assert_same_bits(copied(x), plan(x))
    whole = sw.make_plan((6, 9), (8, 5), roi=(0, 0, 1, 1), **arguments)
    assert whole.fill is None
    assert whole.linear is whole


def test_derivatives_in_autograd(arguments: dict) -> None:
    plan = sw.make_plan((6, 9), (8, 5), extrapolation_value=2.5, roi=ROIS[0], **arguments)
    x, v, dy = noise((6, 9)), noise((6, 9), seed=1), noise((8, 5))

    def loss(image: np.ndarray) -> np.ndarray:
        return anp.sum(dy * plan(image) ** 2)

    gradient = autograd.grad(loss)(x)
    assert_close(gradient, plan.T(2 * dy * plan(x)), plan.T.taps, float(np.abs(2 * dy * plan(x)).max()))
    value, tangent = autograd.make_jvp(plan)(x)(v)
    assert_same_bits(value, plan(x))
    assert_same_bits(tangent, plan.linear(v))
    curved = autograd.grad(lambda image: anp.sum(v * autograd.grad(loss)(image)))(x)
    expected = plan.T(2 * dy * plan.linear(v))
    assert_close(curved, expected, plan.T.taps, float(np.abs(2 * dy * plan.linear(v)).max()))


def test_control_the_value_is_seen(arguments: dict) -> None:
    plans = [sw.make_plan((6, 9), (8, 5), extrapolation_value=value, roi=ROIS[0], **arguments) for value in (2.5, 2.0)]
    x = noise((6, 9))
    assert ((plans[0](x) != plans[1](x)) == is_outside(plans[0])).all()
