"""TensorFlow graphs, of any file format: which ops resize, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import dialects
from ...resize_spec import ResizeSpec
from ..translation.syntax import FLAGS
from ..translation.syntaxes.tensorflow import KERNELS
from ..translation.syntaxes.tensorflow1 import OPS
from .node import Node, Size

_ORIGINAL = {raw: method for method, (_, raw) in OPS.items()}
_NOTED = {
    "CropAndResize": "resizes computed regions; not a plain resize",
    "ImageProjectiveTransformV2": "a projective transform; not a plain resize",
    "ImageProjectiveTransformV3": "a projective transform; not a plain resize",
    "QuantizedResizeBilinear": "a resize of quantized values; not a plain resize",
}
# Ops whose first output has the size of their first input.
_SAME_SIZE = {
    *("Identity", "Cast", "Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Prelu", "Sigmoid", "Tanh", "Softplus"),
    *("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "StopGradient", "Snapshot", "Neg", "Abs"),
    *("BiasAdd", "Square"),
}
_POOLING = {"Conv2D", "_FusedConv2D", "DepthwiseConv2dNative", "FusedDepthwiseConv2dNative", "MaxPool", "AvgPool"}
_MAX_OPS = 1000  # to walk back


@dataclass(frozen=True)
class Op:
    """One op of a graph: plain attributes, the names of its inputs, and the shape or value of its first output."""

    name: str
    op: str
    inputs: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    shape: Size | None = None
    value: tuple[float, ...] | None = None


def nodes(graph: Mapping[str, Op], dialect: str, prefix: str = "") -> Iterator[Node]:
    """Yield the resizes of a graph; `dialect` is that of the original ops."""
    for op in graph.values():
        if op.op in _ORIGINAL:
            flags = {name: True for name in FLAGS if op.attributes.get(name)}
            yield _node(graph, op, prefix, ResizeSpec.of(dialect, _ORIGINAL[op.op], options=flags))
        elif op.op == "ScaleAndTranslate":
            yield _placed(graph, op, prefix)
        elif op.op in _NOTED:
            yield _node(graph, op, prefix, None, note=_NOTED[op.op])


def _node(graph: Mapping[str, Op], op: Op, prefix: str, spec: ResizeSpec | None, **more: Any) -> Node:
    asked = _value(graph, op, 1)
    return Node(
        name=prefix + op.name,
        op=op.op,
        input_size=_size(graph, op.inputs[0]) if op.inputs else (None, None),
        output_size=tuple(int(n) for n in asked) if asked and len(asked) == 2 and spec else _size(graph, op.name),
        layout="NHWC",
        spec=spec,
        **more,
    )


def _placed(graph: Mapping[str, Op], op: Op, prefix: str) -> Node:
    """Return the node of a ScaleAndTranslate: plain without translation, with the ratio of the sizes as its scale."""
    kernel = str(op.attributes.get("kernel_type", "lanczos3"))
    method, antialias = KERNELS.get(kernel, kernel), bool(op.attributes.get("antialias", True))
    if method not in dialects.get("tensorflow").methods:
        return _node(graph, op, prefix, None, note=f"tf.image.resize has no filter {kernel!r}")
    scale, moved = _value(graph, op, 2), _value(graph, op, 3)
    node = _node(graph, op, prefix, ResizeSpec.of("tensorflow", method, antialias))
    computed = _op(graph, op, 2)
    if scale is None and computed is not None and computed.op in ("RealDiv", "Div") and moved == (0.0, 0.0):
        return node  # as tf.image.resize writes it
    if scale is None or moved is None:
        return _node(graph, op, prefix, None, note="its scale and translation are computed; not a plain resize")
    if moved == (0.0, 0.0) and node.is_static:
        sizes = np.array([node.output_size, node.input_size], float)
        if np.allclose(scale, sizes[0] / sizes[1], rtol=1e-6):
            return node
    note = f"placed with scale {scale} and translation {moved}; not a plain resize"
    return _node(graph, op, prefix, None, note=note)


def _op(graph: Mapping[str, Op], op: Op, index: int) -> Op | None:
    return graph.get(op.inputs[index]) if len(op.inputs) > index else None


def _value(graph: Mapping[str, Op], op: Op, index: int) -> tuple[float, ...] | None:
    """Return the constant input of an op, if it is one."""
    given = _op(graph, op, index)
    for _ in range(_MAX_OPS):
        if given is None or given.op not in ("Identity", "Cast", "Snapshot"):
            break
        given = _op(graph, given, 0)
    return given.value if given is not None else None


def _size(graph: Mapping[str, Op], name: str) -> Size:
    """Return the height and width of an op's output, from the nearest op that states them."""
    strides: list[tuple[int, ...]] = []
    op = graph.get(name)
    size: Size = (None, None)
    for _ in range(_MAX_OPS):
        if op is None:
            break
        if op.shape is not None and len(op.shape) == 4:
            size = op.shape[1:3]
            break
        asked = _value(graph, op, 1) if op.op in _ORIGINAL else None
        if asked is not None and len(asked) == 2:
            size = tuple(int(n) for n in asked)
            break
        if op.op in _POOLING and op.attributes.get("padding") == "SAME" and len(op.attributes.get("strides", ())) == 4:
            strides.append(tuple(op.attributes["strides"][1:3]))
        elif op.op not in _SAME_SIZE:
            break
        op = _op(graph, op, 0)
    for by in reversed(strides):
        size = tuple(-(-n // step) if n is not None and step > 0 else None for n, step in zip(size, by, strict=True))
    return size
