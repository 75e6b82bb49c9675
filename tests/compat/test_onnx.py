"""compat.onnx beside the real onnxruntime and the real ReferenceEvaluator: one-node models of many attributes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from frameworks import assert_within
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import sizewise as sw
from sizewise.compat import onnx as ours
from sizewise.errors import ArgumentError, ArgumentTypeError, SizewiseError, UnknownNameError, UnsupportedError
from sizewise.parity import reference

sys.path.append(str(Path(__file__).parents[1] / "dialects"))

from onnx_resize import CROP, MODES, NEAREST_MODES, TF_NEAREST, Case, mixing, noise, picking, picking_both

DIALECTS = ("onnx", "onnx-reference")
KINDS = {"roi": TensorProto.FLOAT, "scales": TensorProto.FLOAT, "sizes": TensorProto.INT64}


def model(x: np.ndarray, inputs: dict[str, Any], attributes: dict[str, Any], opset: int = 19) -> Any:
    """A model of one Resize node, with inputs of these names."""
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    values = [helper.make_tensor_value_info("X", kind, x.shape)]
    values += [helper.make_tensor_value_info(name, KINDS[name], [len(given)]) for name, given in inputs.items()]
    names = ["X", *(name if name in inputs else "" for name in KINDS)]
    node = helper.make_node("Resize", names, ["Y"], **attributes)
    graph = helper.make_graph([node], "resize", values, [helper.make_tensor_value_info("Y", kind, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def feed(x: np.ndarray, inputs: dict[str, Any]) -> dict[str, np.ndarray]:
    return {"X": x} | {
        name: np.array(given, np.int64 if name == "sizes" else np.float32) for name, given in inputs.items()
    }


def evaluated(dialect: str, x: np.ndarray, inputs: dict[str, Any], attributes: dict[str, Any]) -> np.ndarray:
    """Return the result of the real evaluator."""
    made = model(x, inputs, attributes)
    if dialect == "onnx-reference":
        return ReferenceEvaluator(made).run(None, feed(x, inputs))[0]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feed(x, inputs))[0]


def assert_same(dialect: str, x: np.ndarray, inputs: dict[str, Any], attributes: dict[str, Any]) -> None:
    mine = ours.resize(x, **inputs, **attributes, dialect=dialect)
    theirs = evaluated(dialect, x, inputs, attributes)
    try:
        assert_within(mine, theirs, x, reference.of(dialect).ulp[attributes.get("mode", "nearest")])
    except AssertionError as difference:
        raise AssertionError(f"{x.shape}, {inputs}, {attributes}: {difference}") from None


@pytest.mark.parametrize("opset", [11, 12])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_half_pixels_of_older_opsets(mode: str, opset: int) -> None:
    """onnx's own evaluator does not have them, and so refuses them here."""
    x, inputs = noise((1, 2, 14, 9)), {"roi": (), "scales": (), "sizes": (1, 2, 5, 22)}
    for nearest_mode in NEAREST_MODES:
        attributes = {"mode": mode, "coordinate_transformation_mode": TF_NEAREST, "nearest_mode": nearest_mode}
        session = onnxruntime.InferenceSession(model(x, inputs, attributes, opset).SerializeToString())
        theirs = session.run(None, feed(x, inputs))[0]
        assert_within(ours.resize(x, **inputs, **attributes), theirs, x, reference.of("onnx").ulp[mode])
        with pytest.raises(ArgumentError, match="tf_half_pixel_for_nn"):
            ours.resize(x, **inputs, **attributes, dialect="onnx-reference")
        with pytest.raises(ValueError, match="tf_half_pixel_for_nn"):
            ReferenceEvaluator(model(x, inputs, attributes, opset)).run(None, feed(x, inputs))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_nothing_may_be_left(mode: str, dialect: str) -> None:
    """Of small scales; a size of 0 is refused by onnxruntime, and not by onnx's evaluator."""
    x = noise((2, 3, 8, 9))
    for scales in ((1, 1, 0.1, 0.5), (1, 1, 0.1, 0.1), (1, 1, 2, 0.1)):
        theirs = evaluated(dialect, x, {"scales": scales}, {"mode": mode})
        assert ours.resize(x, scales=scales, mode=mode, dialect=dialect).shape == theirs.shape
    for sizes in ((2, 3, 0, 5), (2, 3, 0, 0)):
        if dialect == "onnx-reference":
            theirs = evaluated(dialect, x, {"sizes": sizes}, {"mode": mode})
            assert ours.resize(x, sizes=sizes, mode=mode, dialect=dialect).shape == theirs.shape
            continue
        with pytest.raises(Exception, match="ONNXRuntimeError"):
            evaluated(dialect, x, {"sizes": sizes}, {"mode": mode})
        with pytest.raises(ArgumentError, match="at least 1"):
            ours.resize(x, sizes=sizes, mode=mode, dialect=dialect)
    empty = x[:0]
    assert ours.resize(empty, sizes=(0, 3, 4, 4), mode=mode, dialect=dialect).shape == (0, 3, 4, 4)


CASES = [*picking(), *picking_both(), *mixing({("linear", True), ("cubic", False), ("cubic", True)})]


def attributes_of(case: Case) -> dict[str, Any]:
    return {"mode": case.method, "antialias": int(case.antialias), **dict(case.options)}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_attributes(case: Case, dialect: str) -> None:
    """Sizes and scales, of all axes and of some; a crop has different parts per axis, some of them outside."""
    crop = dict(case.options).get("coordinate_transformation_mode") == CROP
    x, attributes = noise((2, 3, 7, 9)), attributes_of(case) | ({"extrapolation_value": -1.5} if crop else {})
    for last, some in [((5, 12), {"sizes": (12, 5)}), ((11, 4), {"scales": (0.47, 1.7)})]:
        inputs: dict[str, Any] = {"sizes": (2, 3, *last)}
        if crop:
            inputs |= {"roi": (0, 0, 0.1, -0.2, 1, 1, 0.7, 1.05)}
            some |= {"roi": (-0.2, 0.1, 1.05, 0.7)}
        assert_same(dialect, x, inputs, attributes)
        assert_same(dialect, x, some, attributes | {"axes": (3, 2)})
    if not crop:
        assert_same(dialect, x, {"scales": (1, 1, 1.3, 0.7)}, attributes)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_seeded_models(dialect: str) -> None:
    """Any rank, any axes in any order; not what the dialect says its framework does wrong."""
    random, compared = np.random.default_rng(0), 0
    for _ in range(400):
        x = noise(tuple(random.integers(1, 9, random.integers(2, 5)).tolist()))
        axes = random.permutation(x.ndim)[: random.integers(1, 3)].tolist()
        attributes = {
            "mode": str(random.choice(["nearest", "linear", "cubic"])),
            "coordinate_transformation_mode": str(random.choice([m for m in MODES if "symmetric" not in m])),
            "nearest_mode": str(random.choice(NEAREST_MODES)),
            "axes": axes,
        }
        if attributes["mode"] != "nearest":
            attributes["antialias"] = int(random.integers(0, 2))
        if attributes["mode"] == "cubic":
            attributes |= {"exclude_outside": int(random.integers(0, 2)), "cubic_coeff_a": -0.5}
        sizes = random.integers(1, 14, len(axes)).tolist()
        inputs: dict[str, Any] = {"sizes": sizes}
        if random.integers(0, 2):
            inputs = {
                "scales": [
                    float(np.float32(size / x.shape[axis] * 1.01)) for size, axis in zip(sizes, axes, strict=True)
                ]
            }
        if attributes["coordinate_transformation_mode"] == CROP:
            inputs["roi"] = random.uniform(-0.1, 0.3, len(axes)).tolist() + random.uniform(0.6, 1.2, len(axes)).tolist()
            attributes["extrapolation_value"] = 7.5
        if any(size == x.shape[axis] for size, axis in zip(sizes, axes, strict=True)):
            continue  # onnxruntime copies an axis that keeps its length, whatever was asked for
        if "roi" in inputs and attributes.get("antialias") and x.ndim - 1 not in axes:
            continue  # see below
        try:
            evaluated(dialect, x, inputs, attributes)
        except Exception:  # a layout that onnxruntime does not have
            continue
        assert_same(dialect, x, inputs, attributes)
        compared += 1
    assert compared > 150


def test_where_onnxruntime_mistakes_channels_for_pixels() -> None:
    """An antialiased crop of channels that lie last: values outside the image come to stand in other columns."""
    x, inputs = noise((1, 8, 7, 2)), {"roi": (0.02, 0.17, 0.72, 1.16), "sizes": (2, 9)}
    attributes = {"mode": "linear", "coordinate_transformation_mode": CROP, "antialias": 1, "extrapolation_value": 7.5}
    first = x.transpose(0, 3, 1, 2).copy()
    right = evaluated("onnx", first, inputs, attributes | {"axes": (2, 3)}).transpose(0, 2, 3, 1)
    assert_within(ours.resize(x, **inputs, **attributes, axes=(1, 2)), right, x, 4)
    assert np.abs(evaluated("onnx", x, inputs, attributes | {"axes": (1, 2)}) - right).max() > 1


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_axes_that_stay_are_no_axes(dialect: str, mode: str) -> None:
    x = noise((2, 6, 7, 3))
    assert_same(dialect, x.transpose(0, 3, 1, 2).copy(), {"scales": (1, 1, 2, 2)}, {"mode": mode})
    if mode != "cubic":  # in onnxruntime, of planes only
        assert_same(dialect, x, {"scales": (1, 2, 2, 1)}, {"mode": mode})
    for inputs in ({"sizes": x.shape}, {"scales": (1, 1, 1, 1)}):
        made = ours.resize(x, **inputs, mode=mode, dialect=dialect)
        assert np.array_equal(made, x) and not np.shares_memory(made, x)
    assert ours.resize(np.zeros((0, 3, 4), np.float32), scales=(1, 1, 2), mode=mode, dialect=dialect).shape == (0, 3, 8)


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_keeping_the_aspect_ratio(dialect: str, policy: str) -> None:
    x, attributes = noise((1, 3, 10, 15)), {"keep_aspect_ratio_policy": policy}
    for mode in ("nearest", "linear"):
        assert_same(dialect, x, {"sizes": (7, 8)}, attributes | {"axes": (2, 3), "mode": mode})
        assert_same(
            dialect, x, {"sizes": (1, 3, 7, 8)}, attributes | {"mode": mode}
        ) if policy != "not_larger" else None
        assert_same(
            dialect, x, {"sizes": (1, 3, 20, 40)}, attributes | {"mode": mode}
        ) if policy != "not_smaller" else None
    assert_same(dialect, x, {"sizes": (1, 3, 20, 40)}, attributes)  # with not_smaller, the batch grows, too


@pytest.mark.parametrize("dialect", DIALECTS)
def test_empty_inputs_count_as_none(dialect: str) -> None:
    x = noise((5, 6))
    expected = ours.resize(x, sizes=(4, 9), dialect=dialect)
    assert np.array_equal(ours.resize(x, [], [], (4, 9), dialect=dialect), expected)
    assert np.array_equal(ours.resize(x, np.array([]), None, np.array([4, 9]), dialect=dialect), expected)
    assert_same(dialect, x, {"roi": (), "sizes": (4, 9)}, {})


def test_the_evaluator_uses_ours() -> None:
    """Control: another class of that name is called, and ours is, with its own dialect."""
    x = noise((1, 1, 14, 14))
    attributes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    inputs = {"sizes": (1, 1, 2, 2)}
    made = model(x, inputs, attributes)

    class Resize(ours.Resize):
        dialect = "onnx"

    reference, runtime = (
        ReferenceEvaluator(made, new_ops=[operator]).run(None, feed(x, inputs))[0] for operator in (ours.Resize, Resize)
    )
    assert np.array_equal(reference, evaluated("onnx-reference", x, inputs, attributes))
    assert np.array_equal(runtime, evaluated("onnx", x, inputs, attributes))
    assert not np.array_equal(reference, runtime)  # 14 -> 2 reads pixel 7, and in float32 pixel 6


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_operator_in_a_model(case: Case) -> None:
    if dict(case.options).get("coordinate_transformation_mode") == CROP:
        inputs: dict[str, Any] = {"roi": (0, 0, 0.1, 0.2, 1, 1, 0.9, 1.1), "sizes": (1, 2, 5, 8)}
    else:
        inputs = {"sizes": (1, 2, 5, 8)}
    x, attributes = noise((1, 2, 7, 6)), attributes_of(case)
    for opset in (13, 18, 19, 23):
        known = onnx.defs.get_schema("Resize", opset, "").attributes
        if all(name in known or not value for name, value in attributes.items()):
            given = {name: value for name, value in attributes.items() if name in known}
            made = model(x, inputs, given, opset)
            (mine,) = ReferenceEvaluator(made, new_ops=[ours.Resize]).run(None, feed(x, inputs))
            (theirs,) = ReferenceEvaluator(made).run(None, feed(x, inputs))
            assert_within(mine, theirs, x, reference.of("onnx-reference").ulp[case.method])


def test_the_operator_of_opset_10_is_refused() -> None:
    x = helper.make_tensor_value_info("X", TensorProto.FLOAT, [2, 2])
    scales = helper.make_tensor_value_info("scales", TensorProto.FLOAT, [2])
    y = helper.make_tensor_value_info("Y", TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node("Resize", ["X", "scales"], ["Y"])], "resize", [x, scales], [y])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10)], ir_version=9)
    with pytest.raises(UnsupportedError, match=r"convert_version\(model, 19\)"):
        inputs = {"X": noise((2, 2)), "scales": np.float32([2, 2])}
        ReferenceEvaluator(made, new_ops=[ours.Resize]).run(None, inputs)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", [case for case in CASES if len(case.options) == 1], ids=str)
def test_exact_gradients_of_tensors(case: Case, dialect: str) -> None:
    crop = dict(case.options).get("coordinate_transformation_mode") == CROP
    attributes = attributes_of(case) | {"dialect": dialect}
    inputs = {"sizes": (2, 5, 3)} | ({"roi": (0, 0.1, 0.2, 1, 0.9, 1.1)} if crop else {})
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: ours.resize(x, **inputs, **attributes), (x,))
    assert torch.equal(
        ours.resize(x, **inputs, **attributes).detach(),
        torch.from_numpy(ours.resize(x.detach().numpy(), **inputs, **attributes)),
    )


def test_gradient_is_that_of_onnxruntimes_pixels() -> None:
    """The results of onnxruntime for unit images are the rows of the Jacobian."""
    inputs, attributes = {"sizes": (1, 1, 7, 3)}, {"mode": "cubic", "antialias": 1}
    dy = noise((1, 1, 7, 3))
    units = np.eye(20, dtype=np.float32).reshape(20, 1, 1, 4, 5)
    expected = [np.sum(evaluated("onnx", unit, inputs, attributes) * dy) for unit in units]
    x = torch.zeros(1, 1, 4, 5, requires_grad=True)
    (ours.resize(x, **inputs, **attributes) * torch.from_numpy(dy)).sum().backward()
    assert np.abs(x.grad.numpy().ravel() - expected).max() <= 1e-5


X = np.zeros((1, 3, 8, 10), np.float32)
BAD: list[tuple[dict[str, Any], dict[str, Any], type[Exception], str]] = [
    ({}, {}, ArgumentError, "neither was given"),
    ({"scales": (1, 1, 2, 2), "sizes": (1, 3, 4, 4)}, {}, ArgumentError, "both were given"),
    ({"sizes": (4, 4)}, {}, ArgumentError, "sizes has 2 numbers for axes"),
    ({"scales": (2, 2, 2)}, {"axes": (2, 3)}, ArgumentError, "scales has 3 numbers for axes"),
    ({"sizes": (4, 4), "roi": (0, 1)}, {"axes": (2, 3), "coordinate_transformation_mode": CROP}, ArgumentError, "roi"),
    ({"scales": (1, 1, -1, 1.5)}, {"mode": "linear"}, ArgumentError, "positive"),
    ({"sizes": (1, 3, 0, 2)}, {"mode": "linear"}, ArgumentError, "at least 1"),
    ({"sizes": (4, 4)}, {"axes": (2, 9)}, ArgumentError, "rank 4"),
    ({"sizes": (4, 4)}, {"axes": (2, 2)}, ArgumentError, "twice"),
    ({"sizes": (1, 3, 4, 4)}, {"mode": "lanczos"}, UnknownNameError, "known: .*linear"),
    ({"sizes": (1, 3, 4, 4)}, {"nearest_mode": "up"}, ArgumentError, "round_prefer_floor"),
    ({"sizes": (1, 3, 4, 4)}, {"coordinate_transformation_mode": "half"}, ArgumentError, "half_pixel"),
    ({"sizes": (1, 3, 4, 4)}, {"keep_aspect_ratio_policy": "no"}, ArgumentError, "not_larger"),
    ({"sizes": (1, 3, 4, 4)}, {"antialias": 1}, UnsupportedError, "nearest"),
    ({"sizes": (1, 3, 4, 4)}, {"mode": "linear", "exclude_outside": 1}, UnsupportedError, "onnx-reference"),
    ({"scales": (0.5, 0.4)}, {"axes": (2, 3), "keep_aspect_ratio_policy": "not_larger"}, UnsupportedError, "sizes"),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "attributes", "error", "says"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_what_onnxruntime_refuses(inputs: Any, attributes: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(Exception, match=r"ONNXRuntimeError"):
        evaluated("onnx", X, inputs, attributes)
    with pytest.raises(error, match=says):
        ours.resize(X, **inputs, **attributes)


def test_what_only_we_can_be_given() -> None:
    with pytest.raises(UnknownNameError, match="onnx-reference"):
        ours.resize(X, sizes=X.shape, dialect="onnxruntime")
    with pytest.raises(ArgumentTypeError, match="X must be an array, not list"):
        ours.resize([[1.0, 2.0]], sizes=(1, 3))
    with pytest.raises(ArgumentError, match="0-d"):
        ours.resize(np.float32(1), sizes=())
    with pytest.raises(ArgumentError, match="sizes must be a list of integers"):
        ours.resize(X, sizes=(1, 3, 4.0, 4))
    with pytest.raises(ArgumentError, match="scales must be a list of numbers"):
        ours.resize(X, scales=2.0)
    with pytest.raises(ArgumentError, match="antialias must be 0 or 1"):
        ours.resize(X, sizes=X.shape, antialias=2)
    with pytest.raises(TypeError, match="coordinate_mode"):
        ours.resize(X, sizes=X.shape, coordinate_mode="half_pixel")
    assert issubclass(UnsupportedError, SizewiseError)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_control_the_other_dialect_is_seen(dialect: str) -> None:
    x, attributes = noise((1, 1, 14, 30)), {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    inputs, other = {"sizes": (1, 1, 2, 22)}, DIALECTS[1 - DIALECTS.index(dialect)]
    assert not np.array_equal(
        ours.resize(x, **inputs, **attributes, dialect=other), evaluated(dialect, x, inputs, attributes)
    )
    assert sw.resize(x, (2, 22), "nearest", dialect=dialect, axes=(2, 3), **attributes).shape == (1, 1, 2, 22)
