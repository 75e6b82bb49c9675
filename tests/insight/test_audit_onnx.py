"""Audits of ONNX files: Resize and Upsample of every opset, built by hand, against real runtimes."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from audit_measurements import mistakes
from onnx import TensorProto, helper, numpy_helper

from sizewise.errors import FileError
from sizewise.insight.audit import audit, read

TARGETS = ("onnxruntime", "onnx-reference", "tflite", "torch", "opencv")


def build(
    path,
    op="Resize",
    opset=19,
    *,
    shape=(1, 1, 12, 14),
    inputs=(),
    nodes=(),
    initializers=(),
    output=None,
    **attributes,
):
    """Write a model of one node, which reads x and the named inputs."""
    node = helper.make_node(op, ["x", *inputs], ["y"], name="node", **attributes)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, output or [None] * len(shape))
    stored = [numpy_helper.from_array(array, name) for name, array in initializers]
    graph = helper.make_graph([*nodes, node], "graph", [x], [y], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    onnx.save(model, path)
    return path


def floats(*numbers):
    return np.array(numbers, np.float32)


def whole(*numbers):
    return np.array(numbers, np.int64)


def run(path):
    """Return the model in onnxruntime, as a function of an image."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda pixels: session.run(None, {"x": pixels[None, None]})[0][0, 0]


NONE = ("none", floats())  # opset 11 needs an empty input where later ones need none


def scaled(*scale, nothing="", **attributes):
    stored = [NONE, ("s", floats(1, 1, *scale))]
    return {"inputs": (nothing, "s"), "initializers": stored, **attributes}


def sized(*size, nothing="", **attributes):
    stored = [NONE, ("n", whole(1, 1, *size))]
    return {"inputs": (nothing, nothing, "n"), "initializers": stored, **attributes}


EARLY = {"inputs": ("s",), "initializers": [("s", floats(1, 1, 2, 1.5))]}
SHRUNK = {"inputs": ("s",), "initializers": [("s", floats(1, 1, 0.5, 0.7))]}
CASES = {
    "upsample-7-nearest": (7, {"op": "Upsample", "scales": [1.0, 1.0, 2.0, 3.0]}),
    "upsample-7-linear": (7, {"op": "Upsample", "scales": [1.0, 1.0, 2.0, 3.0], "mode": "linear"}),
    "upsample-9-nearest": (9, {"op": "Upsample", **EARLY}),
    "upsample-9-linear": (9, {"op": "Upsample", "mode": "linear", **EARLY}),
    "resize-10-nearest": (10, EARLY),
    "resize-10-linear": (10, {"mode": "linear", **EARLY}),
    "resize-10-nearest-shrinks": (10, SHRUNK),
    "resize-10-linear-shrinks": (10, {"mode": "linear", **SHRUNK}),
    "resize-11-default": (11, scaled(1.5, 0.6, nothing="none")),
    "resize-11-tf-nearest": (
        11,
        sized(7, 21, nothing="none", coordinate_transformation_mode="tf_half_pixel_for_nn", nearest_mode="floor"),
    ),
    "resize-11-tf-nearest-ceil": (
        11,
        sized(7, 21, nothing="none", coordinate_transformation_mode="tf_half_pixel_for_nn", nearest_mode="ceil"),
    ),
    "resize-13-linear": (13, sized(7, 21, mode="linear")),
    "resize-13-legacy": (13, sized(7, 21, mode="linear", coordinate_transformation_mode="asymmetric")),
    "resize-13-corners": (13, sized(7, 21, mode="linear", coordinate_transformation_mode="align_corners")),
    "resize-13-pytorch": (13, sized(1, 21, mode="linear", coordinate_transformation_mode="pytorch_half_pixel")),
    "resize-13-cubic": (13, sized(7, 21, mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1)),
    "resize-13-nearest-legacy": (
        13,
        sized(7, 21, coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    ),
    "resize-18-antialias": (18, sized(5, 6, mode="linear", antialias=1)),
    "resize-18-cubic-antialias": (18, sized(5, 6, mode="cubic", antialias=1)),
    "resize-19-symmetric": (
        19,
        scaled(0.71, 1.33, mode="linear", coordinate_transformation_mode="half_pixel_symmetric"),
    ),
    "resize-24": (24, scaled(1.3, 0.6, mode="linear")),
}


@pytest.mark.parametrize("name", CASES)
def test_every_opset_is_resolved_and_predicted(name, tmp_path):
    opset, arguments = CASES[name]
    path = build(tmp_path / "m.onnx", opset=opset, **arguments)
    [one] = audit(path, TARGETS).nodes
    own = run(path)
    assert one.node.input_size == (12, 14)
    assert one.plan.output_size == own(np.zeros((12, 14), np.float32)).shape
    assert one.node.output_size == one.plan.output_size
    assert len(one.predictions) == len(TARGETS)
    assert next(each for each in one.predictions if each.target == "onnxruntime").noise.largest == 0
    assert mistakes(one, own) == []


@pytest.mark.parametrize("mode", ["asymmetric", "half_pixel"])
def test_other_targets_are_predicted(mode, tmp_path):
    path = build(tmp_path / "m.onnx", **sized(7, 21, mode="linear", coordinate_transformation_mode=mode))
    [one] = audit(path, ["tensorflow", "tensorflow1", "jax", "pillow"]).nodes
    moved = mode == "asymmetric"
    assert mistakes(one, run(path)) == []
    assert [bool(each.port.notes) for each in one.predictions] == [moved, False, moved, True]
    assert [each.port.spec.dialect for each in one.predictions] == ["tensorflow", "tensorflow1", "jax", "pillow"]


def test_control_a_wrong_resolution_is_measured(tmp_path):
    right = build(tmp_path / "m.onnx", **sized(7, 21, mode="linear"))
    other = build(tmp_path / "n.onnx", **sized(7, 21, mode="linear", coordinate_transformation_mode="asymmetric"))
    [one] = audit(right, ("onnxruntime", "opencv")).nodes
    assert len(mistakes(one, run(other))) == 8  # two targets, on noise and on a picture, largest and mean


def test_axes_and_policy(tmp_path):
    stored = {"inputs": ("", "", "n"), "initializers": [("n", whole(24, 24))], "axes": [3, 2], "mode": "linear"}
    path = build(tmp_path / "m.onnx", keep_aspect_ratio_policy="not_larger", **stored)
    [one] = audit(path).nodes
    assert one.node.input_size == (14, 12)
    assert one.plan.output_size == (24, 21)
    assert run(path)(np.zeros((12, 14), np.float32)).shape == (21, 24)


def test_channels_last_and_other_ranks(tmp_path):
    last = {"inputs": ("", "s"), "initializers": [("s", floats(1, 2, 3, 1))], "shape": (1, 8, 9, 3)}
    [node] = read(build(tmp_path / "m.onnx", mode="linear", **last)).nodes
    assert (node.layout, node.input_size, node.output_size, node.scale) == ("NHWC", (8, 9), (16, 27), (2.0, 3.0))
    volume = {"inputs": ("", "s"), "initializers": [("s", floats(1, 1, 2, 2, 2))], "shape": (1, 1, 4, 5, 6)}
    [one] = audit(build(tmp_path / "n.onnx", mode="linear", **volume), ["torch", "tflite"]).nodes
    assert (one.node.layout, one.plan.output_size) == ("NCDHW", (8, 10, 12))
    assert one.predictions[0].noise.largest < 1e-6
    assert one.predictions[1].refusal == "tflite resizes two axes; this node resizes 3"


def test_sizes_computed_from_shapes(tmp_path):
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Constant", [], ["zero"], value=numpy_helper.from_array(whole(0))),
        helper.make_node("Constant", [], ["two"], value=numpy_helper.from_array(whole(2))),
        helper.make_node("Slice", ["shape", "zero", "two"], ["front"]),
        helper.make_node("Constant", [], ["wanted"], value_ints=[24, 7]),
        helper.make_node("Concat", ["front", "wanted"], ["n"], axis=0),
    ]
    path = build(tmp_path / "m.onnx", inputs=("", "", "n"), nodes=nodes, shape=("batch", 1, 12, 14), mode="linear")
    [node] = read(path).nodes
    assert (node.input_size, node.output_size) == ((12, 14), (24, 7))


def test_unknown_sizes(tmp_path):
    path = build(tmp_path / "m.onnx", shape=("n", "c", "h", "w"), **scaled(2, 2, mode="linear"))
    [one] = audit(path, example=(10, 20)).nodes
    assert (one.node.input_size, one.node.output_size, one.node.scale) == ((None, None), (None, None), (2.0, 2.0))
    assert one.is_example
    assert (one.plan.input_size, one.plan.output_size) == ((10, 20), (20, 40))


def test_computed_scales_are_noted(tmp_path):
    nodes = [helper.make_node("Exp", ["logarithms"], ["s"])]
    stored = [("logarithms", floats(0, 0, 0.5, 0.5))]
    [one] = audit(build(tmp_path / "m.onnx", inputs=("", "s"), nodes=nodes, initializers=stored)).nodes
    assert one.node.spec is None
    assert one.node.note == "its scales are computed when the model runs"


def test_subgraphs(tmp_path):
    branches = []
    for name, size in (("a", (24, 28)), ("b", (6, 7))):
        stored = numpy_helper.from_array(whole(1, 1, *size), f"{name}-n")
        node = helper.make_node("Resize", ["x", "", "", f"{name}-n"], [f"{name}-y"], name=name, mode="linear")
        y = helper.make_tensor_value_info(f"{name}-y", TensorProto.FLOAT, [None] * 4)
        branches.append(helper.make_graph([node], name, [], [y], [stored]))
    nodes = [helper.make_node("If", ["which"], ["z"], name="if", then_branch=branches[0], else_branch=branches[1])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 12, 14))
    which = helper.make_tensor_value_info("which", TensorProto.BOOL, [])
    z = helper.make_tensor_value_info("z", TensorProto.FLOAT, [None] * 4)
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", [x, which], [z])), tmp_path / "m.onnx")
    found = sorted((node.name, node.input_size, node.output_size) for node in read(tmp_path / "m.onnx").nodes)
    assert found == [
        ("if/a", (12, 14), (24, 28)),
        ("if/b", (12, 14), (6, 7)),
    ]


def test_crops_and_nodes_that_onnxruntime_refuses(tmp_path):
    crop = {"coordinate_transformation_mode": "tf_crop_and_resize", "mode": "linear", "extrapolation_value": 7.0}
    stored = [("roi", floats(0, 0, 0.1, 0.2, 1, 1, 0.8, 1.2)), ("n", whole(1, 1, 6, 7))]
    path = build(tmp_path / "m.onnx", inputs=("roi", "", "n"), initializers=stored, **crop)
    [one] = audit(path, ["torch", "onnx-reference"]).nodes
    assert one.predictions[0].refusal.startswith("torch cannot resize a region that extends beyond the image")
    assert mistakes(one, run(path)) == []
    refused = build(tmp_path / "n.onnx", **sized(5, 6, mode="linear", exclude_outside=1))
    with pytest.raises(Exception, match="exclude_outside"):
        run(refused)
    [one] = audit(refused).nodes
    assert one.node.spec.dialect == "onnx-reference"
    assert one.findings[0].severity == "high"
    assert one.findings[0].message.startswith("onnxruntime refuses this node: exclude_outside is for cubic")


def test_pytorch_half_pixel_to_one_pixel_is_found(tmp_path):
    path = build(tmp_path / "m.onnx", **sized(1, 6, mode="linear", coordinate_transformation_mode="pytorch_half_pixel"))
    assert any("reads the first pixel" in one.message for one in audit(path).findings)


@pytest.mark.parametrize("opset", [99, 10**6])
def test_an_unknown_opset_is_one_line(tmp_path, opset):
    path = build(tmp_path / "m.onnx", opset=opset, **sized(5, 6))
    with pytest.raises(
        FileError, match=f"has opset {opset}, but the installed onnx .* supports only up to .*; pip install -U onnx"
    ):
        read(path)


def test_sampling_is_noted(tmp_path):
    node = helper.make_node("GridSample", ["x", "grid"], ["y"], name="sample")
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 12, 14))
    grid = helper.make_tensor_value_info("grid", TensorProto.FLOAT, (1, 5, 6, 2))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 1, 5, 6))
    onnx.save(helper.make_model(helper.make_graph([node], "g", [x, grid], [y])), tmp_path / "m.onnx")
    [one] = audit(tmp_path / "m.onnx", ["torch"]).nodes
    assert (one.node.op, one.node.input_size, one.node.output_size) == ("GridSample", (12, 14), (5, 6))
    assert (one.plan, one.predictions, one.findings) == (None, (), ())
    assert "not a plain resize" in one.node.note
