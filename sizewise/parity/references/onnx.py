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
    """What runs the node, for images and sizes of any length, and what it reads: `session.run(None, inputs)`."""
    inputs = {"x": np.ascontiguousarray(x.transpose(2, 0, 1))[None], **_inputs(request)}
    names = tuple(name if name in inputs else "" for name in ("x", "roi", "scales", "sizes"))
    attributes = {name: value for name, value in request.options if name != "roi"}
    attributes.update(mode=request.method, antialias=request.antialias)
    return _session(runtime, x.dtype, names, tuple(attributes.items())), inputs


def _inputs(request: Request) -> dict[str, Array]:
    """What the node reads besides the image."""
    size = request.output_size if request.scale is None else _asked(request, request.scale[0])
    inputs: dict[str, Array] = {}
    if size is None:
        inputs["scales"] = np.array(request.scale, np.float32)
    else:
        inputs["sizes"] = np.array(size, np.int64)
    roi = request.option("roi")
    if roi is not None and request.option("coordinate_transformation_mode") == _CROP:
        inputs["roi"] = np.array(roi, np.float32)
    return inputs


def _asked(request: Request, scale: float) -> tuple[int, ...] | None:
    """A size that keeping the aspect ratio turns into that of the request; None where its scale was given itself."""
    policy = request.option("keep_aspect_ratio_policy")
    pairs = list(zip(request.input_size, request.output_size, strict=True))
    decides = [scale in (n_out / n_in, float(np.float32(n_out) / np.float32(n_in))) for n_in, n_out in pairs]
    if policy == "stretch" or True not in decides:
        return None
    more = 1 if policy == "not_larger" else -1
    return tuple(n if axis == decides.index(True) else n + more for axis, n in enumerate(request.output_size))


@cache
def _session(runtime: str, dtype: np.dtype, names: tuple[str, ...], attributes: tuple[tuple[str, Any], ...]) -> Any:
    """What runs a node with inputs of these names ("" for one left out) and these attributes."""
    from onnx import TensorProto, helper

    words: Any = {name: int(value) if isinstance(value, bool) else value for name, value in attributes}
    node = helper.make_node("Resize", names, ["y"], axes=[2, 3], **words)
    kinds = {"roi": (TensorProto.FLOAT, 4), "scales": (TensorProto.FLOAT, 2), "sizes": (TensorProto.INT64, 2)}
    given = [helper.make_tensor_value_info(name, kinds[name][0], [kinds[name][1]]) for name in names[1:] if name]
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    x, y = (helper.make_tensor_value_info(name, kind, [None] * 4) for name in ("x", "y"))
    graph = helper.make_graph([node], "resize", [x, *given], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=9)
    return _evaluator(model) if runtime == "onnx" else _onnxruntime(model)


def _evaluator(model: Any) -> Any:
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(model)


def _onnxruntime(model: Any) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised: they need not be printed, too
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


REFERENCES = (
    Reference(
        dialect="onnx",
        module="onnxruntime",
        package="onnxruntime",
        resize=partial(_resize, runtime="onnxruntime"),
        # onnxruntime computes the weights in float32, too, and adds up products of them.
        ulp={"nearest": 0, "linear": 4, "cubic": 24},
    ),
    Reference(
        dialect="onnx-reference",
        module="onnx",
        package="onnx",
        resize=partial(_resize, runtime="onnx"),
        # All is in float64, but for the weights of cubic, which are in float32.
        ulp={"nearest": 0, "linear": 1, "cubic": 64},
    ),
)
