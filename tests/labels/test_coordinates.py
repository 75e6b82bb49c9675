"""Mapped coordinates: formats and origins, round trips, derivatives, arrays of all libraries, bad input."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import autograd
import autograd.numpy as anp
import dask.array
import jax
import numpy as np
import pytest
import tensorflow as tf
import torch
from jax.test_util import check_grads
from variants import ALL, Variant, by_dialect

import sizewise as sw
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, UnknownNameError
from sizewise.label_maps import LABEL_METHODS

PLAN = sw.make_plan((480, 640), (224, 300), dialect="torch", align_corners=True)
FLIP = sw.make_plan(
    (9, 8), (9, 16), "linear", dialect="jax", scale=(1.0, -2.0), translation=(0.0, 16.0), antialias=False
)
POINTS = np.array([[10.25, 20.5], [639.0, -3.0], [0.0, 480.0]])
BOXES = np.array([[10.0, 20.0, 110.0, 220.0], [-5.0, 3.0, 700.0, 500.0]])
FORMATS = ("xyxy", "xywh", "cxcywh", "yxyx")


def converted(boxes: np.ndarray, to: str) -> np.ndarray:
    """Return xyxy boxes in another format."""
    x1, y1, x2, y2 = boxes.T
    return np.stack(
        {
            "xyxy": (x1, y1, x2, y2),
            "xywh": (x1, y1, x2 - x1, y2 - y1),
            "cxcywh": ((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1),
            "yxyx": (y1, x1, y2, x2),
        }[to],
        axis=-1,
    )


@by_dialect(variant=ALL)
def test_round_trips(variant: Variant) -> None:
    plan = variant.plan((97, 64), (53, 128))
    for origin in ("edge", "center"):
        points = np.random.default_rng(0).uniform(-10, 110, (5, 3, 2))
        for order in ("xy", "ij"):
            there = plan.map_points(points, order=order, origin=origin)
            assert plan.unmap_points(there, order=order, origin=origin) == pytest.approx(points, rel=1e-12, abs=1e-12)
        boxes = np.concatenate([points, points + 7], axis=-1)
        for form in FORMATS:
            there = plan.map_boxes(boxes, form, origin=origin)
            assert plan.unmap_boxes(there, form, origin=origin) == pytest.approx(boxes, rel=1e-12, abs=1e-12)
    K = np.array([[500.0, 2.5, 31.0], [0.0, 510.0, 47.0], [0.0, 0.0, 1.0]])
    assert plan.unmap_intrinsics(plan.map_intrinsics(K)) == pytest.approx(K, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("plan", [PLAN, FLIP], ids=["plain", "mirrored"])
@pytest.mark.parametrize("form", FORMATS)
def test_formats_agree_with_corners(plan: sw.Plan, form: str) -> None:
    boxes = np.array([[1.0, 2.0, 3.0, 5.0], [0.5, 1.0, 7.0, 8.5]])
    corners = np.sort(plan.map_points(boxes.reshape(-1, 2, 2)), axis=1).reshape(-1, 4)
    assert plan.map_boxes(boxes) == pytest.approx(corners)
    found = plan.map_boxes(converted(boxes, form), form)
    assert found == pytest.approx(converted(corners, form))
    assert plan.unmap_boxes(found, form) == pytest.approx(converted(boxes, form))
    (height, width), (out_height, out_width) = plan.input_size, plan.output_size
    parts = converted(boxes / [width, height, width, height], form)
    expected = converted(corners / [out_width, out_height, out_width, out_height], form)
    assert plan.map_boxes(parts, form, normalized=True) == pytest.approx(expected)
    limited = np.clip(corners, 0, [out_width, out_height] * 2)
    assert plan.map_boxes(converted(boxes, form), form, clip=True) == pytest.approx(converted(limited, form))


def test_origins_differ_by_half_a_pixel() -> None:
    centers = PLAN.map_points(POINTS - 0.5, origin="center")
    assert centers + 0.5 == pytest.approx(PLAN.map_points(POINTS), abs=1e-12)
    assert PLAN.map_points([[0, 0], [639, 479]], origin="center") == pytest.approx(np.array([[0, 0], [299, 223]]))
    assert PLAN.map_points([[-9, 999]], origin="center", clip=True).tolist() == [[-0.5, 223.5]]
    assert PLAN.map_points([[-9, 999]], clip=True).tolist() == [[0, 224]]


def test_axes_of_other_plans() -> None:
    volume = sw.make_plan((4, 6, 8), (8, 6, 4))
    assert volume.map_points([1, 2, 4], order="ij").tolist() == [2, 2, 2]
    with pytest.raises(ArgumentError, match=r'order="xy" is for two axes, not 3; use order="ij"'):
        volume.map_points([1, 2, 4])
    with pytest.raises(ArgumentError, match="for two axes, not 1"):
        sw.make_plan((4,), (8,)).map_boxes([1, 2, 3, 4])


def test_polygons_keep_their_form() -> None:
    plan = sw.make_plan((8, 8), (4, 16))
    assert plan.map_polygons([[2, 4, 6, 4, 6, 8], (2, 2, 4, 4)]) == [[4, 2, 12, 2, 12, 4], (4, 1, 8, 2)]
    assert plan.map_polygons([[2, 4], [6, 4], [6, 8]]) == [[4, 2], [12, 2], [12, 4]]
    arrays = plan.map_polygons([np.array([[2, 4], [6, 4]]), torch.tensor([[2.0, 4.0]])])
    assert arrays[0].tolist() == [[4, 2], [12, 2]]
    assert isinstance(arrays[1], torch.Tensor)
    assert plan.map_polygons(tf.constant([2.0, 4.0, 6.0, 4.0])).numpy().tolist() == [4, 2, 12, 2]
    assert plan.unmap_polygons([4.0, 2.0, 99.0, -7.0], clip=True) == [2, 4, 8, 0]
    assert plan.map_polygons([]) == []
    with pytest.raises(ArgumentError, match="of 3 numbers"):
        plan.map_polygons([[1, 2, 3]])
    with pytest.raises(ArgumentTypeError, match="decode it, and map it with map_masks"):
        plan.map_polygons({"counts": b"", "size": [8, 8]})


@pytest.mark.parametrize("origin", ["center", "edge"])
def test_projection_and_resize_commute(origin: str) -> None:
    """A 3-D point projected by the mapped camera is the mapped projection."""
    K = np.array([[520.0, 1.5, 318.2], [0.0, 515.0, 243.9], [0.0, 0.0, 1.0]])
    rays = np.random.default_rng(0).uniform(-0.5, 0.5, (20, 3)) + np.array([0, 0, 2])
    project = lambda camera: (rays @ camera.T)[:, :2] / rays[:, 2:]  # noqa: E731
    expected = PLAN.map_points(project(K), origin=origin)
    assert project(PLAN.map_intrinsics(K, origin=origin)) == pytest.approx(expected, abs=1e-9)
    assert PLAN.map_intrinsics(np.stack([K, K]), origin=origin).shape == (2, 3, 3)


CONVERTERS: dict[str, Any] = {
    "numpy": np.asarray,
    "torch": torch.tensor,
    "jax": jax.numpy.asarray,
    "tensorflow": tf.constant,
    "dask": dask.array.asarray,
}


@pytest.mark.parametrize("library", CONVERTERS)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_arrays_of_every_library(library: str, dtype: str) -> None:
    convert = CONVERTERS[library]
    points, boxes = POINTS.astype(dtype), BOXES.astype(dtype)
    for plan in (PLAN, FLIP):
        for found, given, expected in (
            (plan.map_points(convert(points)), points, plan.map_points(points)),
            (plan.map_points(convert(points), clip=True), points, plan.map_points(points, clip=True)),
            (plan.map_boxes(convert(boxes)), boxes, plan.map_boxes(boxes)),
            (plan.map_boxes(convert(boxes), "xywh", clip=True), boxes, plan.map_boxes(boxes, "xywh", clip=True)),
        ):
            assert type(found) is type(convert(given.astype("float32")))
            kind = "float64" if library in ("numpy", "dask") and dtype == "int32" else "float32"
            assert kind in str(found.dtype)
            assert np.asarray(found) == pytest.approx(expected, rel=1e-5, abs=1e-4)
    mask = np.arange(480 * 640, dtype=np.int32).reshape(480, 640)
    assert (np.asarray(PLAN.map_masks(convert(mask))) == PLAN.map_masks(mask)).all()
    result = PLAN.map_masks(mask)
    assert (np.asarray(PLAN.unmap_masks(convert(result), fill=3)) == PLAN.unmap_masks(result, fill=3)).all()


def test_compiled() -> None:
    mask = np.arange(480 * 640, dtype=np.int32).reshape(480, 640)
    expected = PLAN.map_points(POINTS)
    assert np.asarray(jax.jit(PLAN.map_points)(POINTS)) == pytest.approx(expected, rel=1e-5)
    assert np.asarray(jax.vmap(PLAN.map_boxes)(BOXES)) == pytest.approx(PLAN.map_boxes(BOXES), rel=1e-5)
    assert (np.asarray(jax.jit(PLAN.map_masks)(mask)) == PLAN.map_masks(mask)).all()
    assert tf.function(PLAN.map_points)(tf.constant(POINTS)).numpy() == pytest.approx(expected)
    assert (tf.function(PLAN.map_masks)(tf.constant(mask)).numpy() == PLAN.map_masks(mask)).all()
    compiled = torch.compile(PLAN.map_points, fullgraph=True, backend="eager")
    assert compiled(torch.tensor(POINTS)).numpy() == pytest.approx(expected)
    assert torch.func.vmap(PLAN.map_boxes)(torch.tensor(BOXES)).numpy() == pytest.approx(PLAN.map_boxes(BOXES))


def test_tf_function_leaves_our_code_unconverted() -> None:
    """AutoGraph would rewrite each function, which takes seconds, and warn where it cannot."""
    letterbox = sw.Preprocessor.load({"ultralytics": {"imgsz": 64}})
    for owner in (PLAN, letterbox):
        for name in LABEL_METHODS:
            assert hasattr(getattr(owner, name), "autograph_info__"), name


def test_named_tuples_and_lists_of_tensors() -> None:
    point = namedtuple("Point", "x y")
    expected = PLAN.map_points([[1, 2], [3, 4]]).tolist()
    assert PLAN.map_polygons([point(1, 2), point(3, 4)]) == [point(*one) for one in expected]
    with pytest.raises(ArgumentError, match="points must be numbers"):
        PLAN.map_points([torch.ones(2, requires_grad=True)])


MAPS: dict[str, tuple[Any, np.ndarray]] = {
    "points": (PLAN.map_points, POINTS),
    "points back": (PLAN.unmap_points, POINTS),
    "boxes": (lambda x: PLAN.map_boxes(x, "cxcywh", normalized=True), BOXES / 640),
    "mirrored boxes": (lambda x: FLIP.map_boxes(x, "xywh"), BOXES),
    "clipped boxes": (lambda x: PLAN.map_boxes(x, "xywh", clip=True), BOXES),
    "intrinsics": (PLAN.map_intrinsics, np.eye(3) * 5),
    "flow": (lambda x: sw.make_plan((4, 4), (2, 3)).map_flow(x, layout="HWC"), np.ones((4, 4, 2))),
    "soft mask": (lambda x: sw.make_plan((4, 4), (2, 3)).unmap_masks(x, soft=True), np.ones((2, 3))),
}


@pytest.mark.parametrize("name", MAPS)
def test_derivatives(name: str) -> None:
    function, given = MAPS[name]
    assert torch.autograd.gradcheck(function, torch.tensor(given, requires_grad=True))
    with jax.enable_x64(True):
        check_grads(function, (jax.numpy.asarray(given),), order=1, modes=["fwd", "rev"], atol=1e-6, rtol=1e-6)
    expected = torch.func.grad(lambda x: function(x).sum())(torch.tensor(given)).numpy()
    assert autograd.grad(lambda x: anp.sum(function(x)))(given) == pytest.approx(expected)
    with tf.GradientTape() as tape:
        variable = tf.Variable(given)
        total = tf.reduce_sum(function(tf.convert_to_tensor(variable)))
    assert tf.convert_to_tensor(tape.gradient(total, variable)).numpy() == pytest.approx(expected)


def test_nan_empty_inverted_and_outside() -> None:
    """The rules: NaN stays NaN, empty stays empty, and nothing is turned round or clipped unless asked for."""
    points = np.array([[np.nan, 4.0]])
    for convert in CONVERTERS.values():
        found = np.asarray(PLAN.map_points(convert(points), clip=True))
        assert np.isnan(found[0, 0])
        assert np.isfinite(found[0, 1])
    boxes = np.array([[np.nan, 1.0, 2.0, 3.0]])
    for form in FORMATS:
        assert np.isfinite(PLAN.map_boxes(boxes, form)[0, 1:]).all()
    assert PLAN.map_boxes(np.zeros((0, 4))).shape == PLAN.map_boxes([]).shape == (0, 4)
    assert PLAN.map_points(np.zeros((3, 0, 2))).shape == (3, 0, 2)
    plan = sw.make_plan((8, 8), (4, 4))
    assert plan.map_boxes([6, 6, 2, 2]).tolist() == [3, 3, 1, 1]
    assert plan.map_boxes([6, 6, -4, -4], "xywh").tolist() == [3, 3, -2, -2]
    assert plan.map_boxes([-4, 20, 12, 24]).tolist() == [-2, 10, 6, 12]
    assert plan.map_boxes([-4, 20, 12, 24], clip=True).tolist() == [0, 4, 4, 4]


@pytest.mark.parametrize(
    ("points", "error", "message"),
    [
        ([1, 2, 3], ArgumentError, r"points have shape \(3,\); the last axis must be 2"),
        (3.0, ArgumentError, r"points have shape \(\)"),
        ([[1, 2], [3]], ArgumentError, "numbers in rows of one length"),
        ([["a", "b"]], ArgumentError, "must be numbers"),
        ("ab", ArgumentTypeError, "cannot map labels in a builtins.str"),
        (None, ArgumentTypeError, "cannot map labels"),
        (np.zeros(2, bool), DtypeError, "points have dtype bool"),
        (np.zeros(2, complex), DtypeError, "complex128"),
        (torch.zeros(4, 3), ArgumentError, r"shape \(4, 3\)"),
        (tf.zeros((4, 3)), ArgumentError, r"shape \(4, 3\)"),
    ],
)
def test_bad_points(points: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PLAN.map_points(points)


def test_bad_arguments() -> None:
    with pytest.raises(UnknownNameError, match="unknown format"):
        PLAN.map_boxes(BOXES, "xyhw")
    with pytest.raises(UnknownNameError, match="unknown origin"):
        PLAN.map_points(POINTS, origin="corner")
    with pytest.raises(UnknownNameError, match="unknown order"):
        PLAN.map_points(POINTS, order="yx")
    with pytest.raises(ArgumentError, match="clip must be True or False"):
        PLAN.map_points(POINTS, clip=1)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="leave out origin"):
        PLAN.map_boxes(BOXES, normalized=True, origin="center")
    with pytest.raises(ArgumentError, match="the last axes must be 3x3"):
        PLAN.map_intrinsics(np.eye(4))
    with pytest.raises(ArgumentError, match="custom taps have no grid"):
        sw.Plan(PLAN.request, PLAN.taps).map_points(POINTS)
