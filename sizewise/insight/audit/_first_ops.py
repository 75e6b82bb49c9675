"""The first ops of a graph: what it does to an input before its first layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ._graph import Op
from .inputs import Input, Quantization, Scaling

# The graph and the name of the input inside a function that an op calls, given the name of its argument.
Enter = Callable[[Mapping[str, Op], Op, str], "tuple[Mapping[str, Op], str] | None"]

_OPERATIONS = {
    "Sub": "sub",
    "Add": "add",
    "AddV2": "add",
    "BiasAdd": "add",
    "Mul": "mul",
    "Div": "div",
    "RealDiv": "div",
    "SUB": "sub",
    "ADD": "add",
    "MUL": "mul",
    "DIV": "div",
}
_SAME = ("Identity", "Cast", "CAST", "Snapshot", "StopGradient")
_QUANTIZING = ("QuantizeLinear", "DequantizeLinear", "QUANTIZE", "DEQUANTIZE")
_ASIDE = ("Shape", "ShapeN", "Size", "Rank", "SHAPE", "NoOp")  # read a shape, or nothing
_CONVOLUTIONS = (
    *("Conv", "ConvInteger", "QLinearConv", "Conv2D", "_FusedConv2D", "DepthwiseConv2dNative"),
    *("FusedDepthwiseConv2dNative", "CONV_2D", "DEPTHWISE_CONV_2D"),
)
_LAYERS = (*_CONVOLUTIONS, "MaxPool", "AvgPool", "AveragePool", "BatchNormalization", "FusedBatchNormV3")
_MAX_OPS = 1000


def trace(given: Input, graph: Mapping[str, Op], name: str, enter: Enter = lambda graph, op, name: None) -> Input:
    """Return an input with what the first ops on it tell: scaling, quantization, and the layout of the first layer.

    `name` is that of the input in the graph.
    """
    users, axes = _users(graph), [0, 1, 2, 3]
    for _ in range(_MAX_OPS):
        found = [op for op in users.get(name, ()) if op.op not in _ASIDE]
        if len(found) != 1:
            break
        [op] = found
        if (inner := enter(graph, op, name)) is not None:
            graph, name = inner
            users = _users(graph)
            continue
        if op.op in _OPERATIONS:
            scaling = _scaled(given.scaling, graph, op, name)
            if scaling is None:
                return given
            given = replace(given, scaling=scaling)
        elif op.op in _QUANTIZING:
            given = _quantized(given, op)
        elif op.op in ("Transpose", "TRANSPOSE"):
            order = op.attributes.get("perm") or constant(graph, op.inputs[1] if len(op.inputs) > 1 else "")
            if order is None or sorted(order) != [0, 1, 2, 3]:
                return given
            axes = [axes[int(axis)] for axis in order]
        elif op.op not in _SAME:
            break
        name = op.name
    return _of_layer(given, found, axes)


def _users(graph: Mapping[str, Op]) -> dict[str, list[Op]]:
    users: dict[str, list[Op]] = {}
    for op in graph.values():
        for name in dict.fromkeys(op.inputs):
            users.setdefault(name, []).append(op)
    return users


def _scaled(scaling: Scaling, graph: Mapping[str, Op], op: Op, name: str) -> Scaling | None:
    """Return the scaling with one more op; None where its other operand is not a constant of one entry a channel."""
    if len(op.inputs) != 2 or op.inputs[0] == op.inputs[1]:
        return None
    is_reversed = op.inputs[1] == name
    values = constant(graph, op.inputs[0 if is_reversed else 1])
    label = op.attributes.get("label", op.name)
    return None if values is None else scaling.then(_OPERATIONS[op.op], values, label, is_reversed)


def _quantized(given: Input, op: Op) -> Input:
    """Return an input with the quantization of an op, where pixels reach it as they are given."""
    quantization: Quantization | None = op.attributes.get("quantization")
    if given.quantization is not None or quantization is None or not given.scaling.is_identity:
        return given
    return replace(given, quantization=quantization)


def _of_layer(given: Input, found: list[Op], axes: list[int]) -> Input:
    layer = next((op for op in found if op.op in _LAYERS), None)
    order = layer.attributes.get("data_format", "NHWC") if layer is not None else ""
    if layer is None or order not in ("NHWC", "NCHW") or (given.shape is not None and len(given.shape) != 4):
        return given
    letters = dict(zip(axes, order, strict=True))
    layout = "".join(letters[axis] for axis in range(4))
    kind = layer.op if layer.op in _CONVOLUTIONS else ""
    return replace(given, layout=layout if layout in ("NHWC", "NCHW") else given.layout, layer=kind)


def constant(graph: Mapping[str, Op], name: str, depth: int = 0) -> tuple[float, ...] | None:
    """Return the value of an op that is constant: stored, or computed from constants as Keras's Normalization does."""
    op = graph.get(name)
    if op is None or depth > 16:
        return None
    if op.value is not None:
        return op.value
    rule = _RULES.get(op.op)
    given = [constant(graph, one, depth + 1) for one in op.inputs[:2]] if rule is not None else []
    if rule is None or not given or any(one is None for one in given):
        return None
    try:
        return tuple(rule(*given))
    except (ValueError, ZeroDivisionError, TypeError, IndexError):
        return None


def _largest(a: tuple[float, ...], b: tuple[float, ...]) -> list[float]:
    length = max(len(a), len(b))
    return [max(one) for one in zip(a * (length // len(a)), b * (length // len(b)), strict=True)]


_RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("Identity", "Cast", "Snapshot", "Reshape", "ReadVariableOp"), lambda a, b=(): a),
    "Sqrt": lambda a: map(math.sqrt, a),
    "Rsqrt": lambda a: (1 / math.sqrt(one) for one in a),
    "Maximum": _largest,
}
