"""ONNX: a model of one Resize node, run by onnxruntime and by onnx's own evaluator."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference

_CROP = "tf_crop_and_resize"
_OPSET = 19


def _resize(x: Array, request: Request, runtime: str) -> Array:
    session, inputs = node(x, request, runtime)
    result: Array = session.run(None, inputs)[0]
    return np.ascontiguousarray(result[0].transpose(1, 2, 0))


def node(x: Array, request: Request, runtime: str) -> tuple[Any, dict[str, Array]]:
    """Return the session of one node, for images of any size, and its inputs: `session.run(None, inputs)`."""
    inputs = {"x": np.ascontiguousarray(x.transpose(2, 0, 1))[None], **_inputs(request)}
    names = tuple(name if name in inputs else "" for name in ("x", "roi", "scales", "sizes"))
    attributes = {name: value for name, value in request.options if name != "roi"}
    attributes.update(mode=request.method, antialias=request.antialias)
    return _session(runtime, x.dtype, names, tuple(attributes.items())), inputs


def _inputs(request: Request) -> dict[str, Array]:
    """Return the inputs of the node besides the image."""
    size = request.output_size if request.scale is None else _given_size(request, request.scale[0])
    inputs: dict[str, Array] = {}
    if size is None:
        inputs["scales"] = np.array(request.scale, np.float32)
    else:
        inputs["sizes"] = np.array(size, np.int64)
    roi = request.option("roi")
    if roi is not None and request.option("coordinate_transformation_mode") == _CROP:
        inputs["roi"] = np.array(roi, np.float32)
    return inputs


def _given_size(request: Request, scale: float) -> tuple[int, ...] | None:
    """Return a size that keeping the aspect ratio turns into the request's; None where the scale itself was given."""
    policy = request.option("keep_aspect_ratio_policy")
    pairs = list(zip(request.input_size, request.output_size, strict=True))
    sets_scale = [scale in (n_out / n_in, float(np.float32(n_out) / np.float32(n_in))) for n_in, n_out in pairs]
    if policy == "stretch" or True not in sets_scale:
        return None
    more = 1 if policy == "not_larger" else -1
    return tuple(n if axis == sets_scale.index(True) else n + more for axis, n in enumerate(request.output_size))


@cache
def _session(runtime: str, dtype: np.dtype, names: tuple[str, ...], attributes: tuple[tuple[str, Any], ...]) -> Any:
    """Return the session of a node with these inputs ("" for one left out) and attributes."""
    from onnx import TensorProto, helper

    integers: Any = {name: int(value) if isinstance(value, bool) else value for name, value in attributes}
    node = helper.make_node("Resize", names, ["y"], axes=[2, 3], **integers)
    kinds = {"roi": (TensorProto.FLOAT, 4), "scales": (TensorProto.FLOAT, 2), "sizes": (TensorProto.INT64, 2)}
    given = [helper.make_tensor_value_info(name, kinds[name][0], [kinds[name][1]]) for name in names[1:] if name]
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    x, y = (helper.make_tensor_value_info(name, kind, [None] * 4) for name in ("x", "y"))
    graph = helper.make_graph([node], "resize", [x, *given], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=9)
    if runtime == "onnx":
        from onnx.reference import ReferenceEvaluator

        return ReferenceEvaluator(model)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised: no need to print them
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


REFERENCES = (
    Reference("onnx", "onnxruntime", partial(_resize, runtime="onnxruntime")),
    Reference("onnx-reference", "onnx", partial(_resize, runtime="onnx")),
)
