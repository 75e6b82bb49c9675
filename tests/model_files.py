"""Small model files of every format that `sizewise audit` reads, with as many kinds of resizes as fit in them."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from sizewise.insight.audit._saved_model_schema import message
from sizewise.parity.references.tflite import _model as lite_model


class Format(NamedTuple):
    """The name that a file of a format has, and functions that give the bytes of such files."""

    name: str
    files: tuple[Callable[[], bytes], ...]


@cache
def onnx_model(opset: int) -> bytes:
    """Resizes by constant and by computed sizes and scales, one of them in a branch."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 4, 6))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    scales = numpy_helper.from_array(np.array([1, 1, 2, 1.5], np.float32), "s")
    sizes = numpy_helper.from_array(np.array([1, 1, 8, 9], np.int64), "n")
    if opset < 11:
        op = "Upsample" if opset < 10 else "Resize"
        old = {"scales": [1.0, 1.0, 2.0, 1.5]} if opset < 9 else {}
        mode = "linear" if opset == 9 else "nearest"
        nodes, stored = [helper.make_node(op, ["x"] if old else ["x", "s"], ["y"], mode=mode, **old)], [scales]
    else:
        crop = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 0.5}
        half = numpy_helper.from_array(np.array([0, 0, 0.1, 0.2, 1, 1, 0.9, 0.8], np.float32), "roi")
        inner = helper.make_graph([helper.make_node("Resize", ["a", "", "s"], ["i"])], "branch", [], [y])
        nodes = [
            helper.make_node("Resize", ["x", "", "", "n"], ["a"], mode="linear", name="first"),
            helper.make_node("Shape", ["x"], ["m"]),
            helper.make_node("Cast", ["m"], ["f"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["f", "s"], ["g"]),
            helper.make_node("Floor", ["g"], ["h"]),
            helper.make_node("Cast", ["h"], ["k"], to=TensorProto.INT64),
            helper.make_node("Resize", ["a", "", "", "k"], ["b"], mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1),
            helper.make_node("Resize", ["b", "roi", "", "n"], ["c"], mode="linear", **crop),
            helper.make_node("If", ["t"], ["y"], then_branch=inner, else_branch=inner),
        ]
        stored = [scales, sizes, half]
    graph = helper.make_graph(nodes, "g", [x], [y], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return bytes(model.SerializeToString())


@cache
def saved_model() -> bytes:
    """Resizes of the main graph and of a function, after ops that keep or shrink the size."""
    saved = message("SavedModel")
    graph = saved.meta_graphs.add().graph_def
    shape = graph.node.add(name="x", op="Placeholder").attr.add(key="shape").value.shape
    for n in (1, 9, 8, 3):
        shape.dim.add(size=n)
    graph.node.add(name="r", op="Relu", input=["x"])
    size = graph.node.add(name="n", op="Const").attr.add(key="value").value.tensor
    size.dtype, size.tensor_content = 3, struct.pack("<2i", 8, 8)
    size.tensor_shape.dim.add(size=2)
    scale = graph.node.add(name="s", op="Const").attr.add(key="value").value.tensor
    scale.dtype, scale.float_val[:] = 1, [2.0]
    scale.tensor_shape.dim.add(size=2)
    graph.node.add(name="y", op="ResizeBilinear", input=["r", "n"]).attr.add(key="align_corners").value.b = True
    graph.node.add(name="z", op="ScaleAndTranslate", input=["y", "n", "s", "s"]).attr.add(
        key="kernel_type"
    ).value.s = b"triangle"
    graph.node.add(name="call", op="PartitionedCall", input=["z"]).attr.add(key="f").value.func.name = "inner_1"
    function = graph.library.function.add()
    function.signature.name = "inner_1"
    function.signature.input_arg.add(name="a")
    pool = function.node_def.add(name="p", op="MaxPool", input=["a"])
    pool.attr.add(key="padding").value.s = b"SAME"
    pool.attr.add(key="strides").value.list.i[:] = [1, 2, 2, 1]
    function.node_def.add(name="n", op="Const").attr.add(key="value").value.CopyFrom(graph.node[2].attr[0].value)
    function.node_def.add(name="u", op="ResizeNearestNeighbor", input=["p:output:0", "n:output:0"])
    return bytes(saved.SerializeToString())


def _layers() -> dict[str, object]:
    """A model of Keras: layers that resize, a model inside the model, and a wrapper."""
    up = {"name": "up", "size": [2, 3], "interpolation": "bilinear", "data_format": "channels_last"}
    small = {"name": "small", "height": 5, "width": 7, "interpolation": "nearest", "crop_to_aspect_ratio": False}
    image = {"batch_input_shape": [None, 12, 14, 3], "dtype": "float32", "name": "x"}
    convolution = {"name": "c", "kernel_size": [3, 3], "strides": [2, 2], "padding": "same"}
    called = [[["x", 0, 0, {}]]]
    built, resizing = {"input_shape": [None, 4, 4, 3]}, {"class_name": "Resizing", "config": small}
    inner = [
        {"class_name": "UpSampling2D", "config": {**up, "name": "in"}, "build_config": built},
        {"class_name": "TimeDistributed", "config": {"name": "t", "layer": resizing}},
    ]
    layers = [
        {"class_name": "InputLayer", "config": image, "name": "x", "inbound_nodes": []},
        {"class_name": "Conv2D", "config": convolution, "name": "c", "inbound_nodes": called},
        {"class_name": "UpSampling2D", "config": up, "name": "up", "inbound_nodes": [[["c", 0, 0, {}]]]},
        {"class_name": "Resizing", "config": small, "name": "small", "inbound_nodes": called},
        {"class_name": "Sequential", "config": {"name": "inner", "layers": inner}, "name": "inner"},
    ]
    return {"class_name": "Functional", "config": {"name": "model", "layers": layers}}


@cache
def keras_file() -> bytes:
    """A .keras file without weights."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("config.json", json.dumps(_layers()))
    return made.getvalue()


@cache
def tfjs_layers() -> bytes:
    """The model.json of a layers model."""
    topology = {"keras_version": "2.15.0", "backend": "tensorflow", "model_config": _layers()}
    return json.dumps({"format": "layers-model", "modelTopology": topology, "weightsManifest": []}).encode()


@cache
def tfjs_graph() -> bytes:
    """The model.json of a graph model, its weights missing."""
    image = {"shape": {"shape": {"dim": [{"size": "-1"}, {"size": "9"}, {"size": "8"}, {"size": "3"}]}}}
    strides = {"strides": {"list": {"i": ["1", "2", "2", "1"]}}, "padding": {"s": "U0FNRQ=="}}
    node = [
        {"name": "x", "op": "Placeholder", "attr": image},
        {"name": "n", "op": "Const", "attr": {"dtype": {"type": "DT_INT32"}}},
        {"name": "c", "op": "Conv2D", "input": ["x", "w"], "attr": strides},
        {"name": "y", "op": "ResizeBilinear", "input": ["c", "n"], "attr": {"half_pixel_centers": {"b": True}}},
        {"name": "z", "op": "ResizeNearestNeighbor", "input": ["y:0", "n"]},
    ]
    function = {"signature": {"name": "f"}, "nodeDef": node[-1:]}
    weights = [{"paths": ["a.bin"], "weights": [{"name": "n", "shape": [2], "dtype": "int32"}]}]
    topology = {"node": node, "library": {"function": [function]}}
    return json.dumps({"modelTopology": topology, "weightsManifest": weights}).encode()


@cache
def tflite(method: str, corners: bool, dtype: str) -> bytes:
    """A .tflite file of one resize."""
    return bytes(lite_model(method, {"align_corners": corners, "half_pixel_centers": not corners}, dtype))


MODELS = {
    "onnx": Format("m.onnx", tuple(partial(onnx_model, opset) for opset in (7, 9, 10, 11, 13, 18, 19))),
    "saved_model": Format("saved_model.pb", (saved_model,)),
    "tflite": Format(
        "m.tflite", (partial(tflite, "bilinear", False, "float32"), partial(tflite, "nearest", True, "int8"))
    ),
    "keras": Format("m.keras", (keras_file,)),
    "tfjs_layers": Format("model.json", (tfjs_layers,)),
    "tfjs_graph": Format("model.json", (tfjs_graph,)),
}
