"""LiteRT (TensorFlow Lite): models of one op, built here and run by its interpreter."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference

_OPS = {"bilinear": "RESIZE_BILINEAR", "nearest": "RESIZE_NEAREST_NEIGHBOR"}
_OPTIONS = {"bilinear": "ResizeBilinearOptions", "nearest": "ResizeNearestNeighborOptions"}
_VERSION = 3  # of the model's format, and of ops with half_pixel_centers


def _tensor(name: str, shape: list[int], dtype: str) -> Any:
    from ai_edge_litert import schema_py_generated as schema

    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.type = name, shape, getattr(schema.TensorType, dtype.upper())
    tensor.shapeSignature = [-1] * len(shape) if name != "size" else shape
    return tensor


def _operator(method: str, flags: dict[str, object]) -> Any:
    from ai_edge_litert import schema_py_generated as schema

    operator = schema.OperatorT()
    operator.inputs, operator.outputs = [0, 1], [2]
    operator.builtinOptionsType = getattr(schema.BuiltinOptions, _OPTIONS[method])
    operator.builtinOptions = getattr(schema, f"{_OPTIONS[method]}T")()
    operator.builtinOptions.alignCorners = flags["align_corners"]
    operator.builtinOptions.halfPixelCenters = flags["half_pixel_centers"]
    return operator


def _model(method: str, flags: dict[str, object], dtype: str) -> bytes:
    """Return the file of a model that resizes its first input to the size in its second."""
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    graph, code, model = schema.SubGraphT(), schema.OperatorCodeT(), schema.ModelT()
    shape = [1, 1, 1, 1]
    graph.tensors = [_tensor("image", shape, dtype), _tensor("size", [2], "int32"), _tensor("resized", shape, dtype)]
    graph.operators, graph.inputs, graph.outputs = [_operator(method, flags)], [0, 1], [2]
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, _OPS[method])
    code.version = _VERSION
    model.version, model.operatorCodes, model.subgraphs, model.buffers = _VERSION, [code], [graph], [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


@cache
def _interpreter(method: str, options: tuple[tuple[str, object], ...], dtype: str) -> Any:
    from ai_edge_litert.interpreter import Interpreter

    return Interpreter(model_content=_model(method, dict(options), dtype))


def _resize(x: Array, request: Request) -> Array:
    interpreter = _interpreter(request.method, request.options, x.dtype.name)
    image, size = (detail["index"] for detail in interpreter.get_input_details())
    interpreter.resize_tensor_input(image, (1, *x.shape))
    interpreter.allocate_tensors()
    interpreter.set_tensor(image, x[None])
    interpreter.set_tensor(size, np.array(request.output_size, np.int32))
    interpreter.invoke()
    resized: Array = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0]
    return resized


REFERENCES = (Reference("tflite", "ai_edge_litert", _resize),)  # LiteRT has no gradients
