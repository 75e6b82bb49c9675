"""Inputs of an ONNX graph, and the ops that follow them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._first_ops import trace
from ._graph import Op
from ._onnx_values import Values
from .inputs import Input, Quantization, with_layout

# Of onnx.TensorProto.DataType.
_DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    16: "bfloat16",
}
_QUANTIZED = ("uint8", "int8", "uint16", "int16")


def inputs(graph: Any) -> tuple[Input, ...]:
    """Return the inputs of a graph; initializers are no inputs, although old files list them."""
    values = Values(graph)
    stored = {one.name for one in graph.initializer}
    ops = {op.name: op for op in _ops(graph, values)}
    ops |= {name: Op(name, "Const", value=_floats(values.of(name))) for name in stored - set(ops)}
    given = [one for one in graph.input if one.name not in stored and one.type.HasField("tensor_type")]
    return tuple(with_layout(trace(_input(one, values), ops, one.name)) for one in given)


def _input(given: Any, values: Values) -> Input:
    return Input(given.name, values.shape(given.name), _DTYPES.get(given.type.tensor_type.elem_type, ""))


def _ops(graph: Any, values: Values) -> Iterator[Op]:
    """Yield the nodes by the names of their first outputs, which others refer to."""
    for node in graph.node:
        if not node.output or node.domain not in ("", "ai.onnx"):
            continue
        attributes: dict[str, Any] = {"data_format": "NCHW", "label": node.name or node.output[0]}
        if node.op_type == "Transpose":
            attributes["perm"] = next((tuple(one.ints) for one in node.attribute if one.name == "perm"), (3, 2, 1, 0))
        elif node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            attributes["quantization"] = _quantization(node, values, graph)
        value = _floats(values.of(node.output[0])) if node.op_type == "Constant" else None
        yield Op(node.output[0], node.op_type, tuple(node.input), attributes, None, value)


def _floats(values: Any) -> tuple[float, ...] | None:
    known = values is not None and all(isinstance(one, (int, float)) for one in values)
    return tuple(map(float, values)) if known and values else None


def _quantization(node: Any, values: Values, graph: Any) -> Quantization | None:
    """Return the quantization of a node with constant parameters, one for all channels; without a zero point uint8."""
    scale = values.of(node.input[1]) if len(node.input) > 1 else None
    name = node.input[2] if len(node.input) > 2 else ""
    zero = values.of(name) if name else (0,)
    dtype = next((_DTYPES.get(one.data_type, "") for one in graph.initializer if one.name == name), "uint8")
    if name and dtype == "uint8":
        made = [one for node in graph.node if name in node.output for one in node.attribute if one.name == "value"]
        dtype = _DTYPES.get(made[0].t.data_type, "") if made else dtype
    if not scale or not zero or len(scale) != 1 or None in (*scale, *zero) or dtype not in _QUANTIZED:
        return None
    return Quantization(float(scale[0]), int(zero[0]), dtype)
