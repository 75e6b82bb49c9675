"""SavedModel: the graphs of saved_model.pb, read as data; nothing is loaded, traced or run."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, MissingExtraError
from ._first_ops import Enter, constant, trace
from ._graph import Op, nodes
from ._saved_model_schema import DTYPE_NAMES, DTYPES, message
from .inputs import Input, with_layout
from .node import Model, Node, Size

_MAX_ENTRIES = 64  # of a constant
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")


def read(file: Path) -> Model:
    """Return the resizes of a saved_model.pb."""
    try:
        from google.protobuf.message import DecodeError
    except ImportError:
        raise MissingExtraError("reading a SavedModel", "audit") from None
    saved = message("SavedModel")
    try:
        saved.ParseFromString(file.read_bytes())
    except DecodeError:
        saved.Clear()
    if not any(one.HasField("graph_def") for one in saved.meta_graphs):
        raise FileError(f"{os.fspath(file)!r} is not a SavedModel, or is truncated: it cannot be parsed")
    found = [node for one in saved.meta_graphs for node in _nodes(one.graph_def)]
    return Model("TensorFlow SavedModel", tuple(dict.fromkeys(found)), tuple(_inputs(saved.meta_graphs[0])))


def _inputs(graph: Any) -> Iterator[Input]:
    """Yield the inputs of the signature that servers call, or else of the first one."""
    signatures = {one.key: one.value for one in graph.signature_def if one.value.inputs}
    chosen = next((name for name in ("serving_default", "serve") if name in signatures), next(iter(signatures), ""))
    ops = _ops(graph.graph_def.node, {})
    for one in signatures[chosen].inputs if chosen else ():
        info = one.value
        known = Input(one.key, _shape(info.tensor_shape), DTYPE_NAMES.get(info.dtype, ""))
        yield with_layout(trace(known, ops, info.name.partition(":")[0], _enter(graph.graph_def)))


def _enter(graph: Any) -> Enter:
    """Return the function that follows calls into the functions of a graph, each of them once."""
    functions = {one.signature.name: one for one in graph.library.function}

    def enter(outer: Mapping[str, Op], op: Op, name: str) -> tuple[Mapping[str, Op], str] | None:
        function = functions.pop(op.attributes.get("f"), None) if op.op in _CALLS else None
        index = op.inputs.index(name)
        names = [one.name for one in function.signature.input_arg] if function is not None else []
        if function is None or index >= len(names):
            return None
        given = zip(names, op.inputs, strict=False)  # the inputs end with those that only order the ops
        bound = {inner: Op(inner, "Arg", value=constant(outer, source)) for inner, source in given}
        return _ops(function.node_def, bound), names[index]

    return enter


def _nodes(graph: Any) -> Iterator[Node]:
    """Yield the nodes of the main graph and of the functions it calls; of all functions where it calls none."""
    yield from nodes(_ops(graph.node, {}), "tensorflow1")
    functions = {one.signature.name: one for one in graph.library.function}
    called = [node for name in _called(graph, functions) for node in _of(functions[name])]
    yield from called or [node for one in functions.values() for node in _of(one)]


def _called(graph: Any, functions: dict[str, Any]) -> list[str]:
    """Return the functions that a graph calls, directly or not, in the order of the calls."""
    met: dict[str, None] = {}
    waiting = [name for node in graph.node for name in _calls(node)]
    while waiting:
        name = waiting.pop(0)
        if name in functions and name not in met:
            met[name] = None
            waiting += [other for node in functions[name].node_def for other in _calls(node)]
    return list(met)


def _calls(node: Any) -> list[str]:
    return [
        name
        for one in node.attr
        for name in (one.value.func.name, *(each.name for each in one.value.list.func))
        if name
    ]


def _of(function: Any) -> Iterator[Node]:
    attributes = {one.key: {each.key: each.value for each in one.value.attr} for one in function.arg_attr}
    arguments = {
        one.name: Op(one.name, "Arg", shape=_shapes(attributes.get(number, {})))
        for number, one in enumerate(function.signature.input_arg)
    }
    short = re.sub(r"^__inference_|_\d+$", "", function.signature.name)
    return nodes(_ops(function.node_def, arguments), "tensorflow1", f"{short}/")


def _ops(given: Any, known: dict[str, Op]) -> dict[str, Op]:
    return known | {node.name: _op(node) for node in given}


def _op(node: Any) -> Op:
    values = {one.key: one.value for one in node.attr}
    return Op(
        name=node.name,
        op=node.op,
        inputs=tuple(name.lstrip("^").partition(":")[0] for name in node.input),
        attributes={name: plain for name, value in values.items() if (plain := _plain(value)) is not None},
        shape=_shapes(values)
        or (_shape(values["shape"].shape) if node.op == "Placeholder" and "shape" in values else None),
        value=_constant(values["value"].tensor) if node.op == "Const" and "value" in values else None,
    )


def _plain(value: Any) -> object:
    """Return an attribute that is a flag, a string, the name of a function or a list of integers."""
    kind = value.WhichOneof("value")
    if kind == "func":
        return str(value.func.name)
    if kind == "b":
        return bool(value.b)
    if kind == "s":
        return value.s.decode("utf-8", "replace")
    return tuple(value.list.i) if kind == "list" and value.list.i else None


def _shapes(values: dict[str, Any]) -> Size | None:
    """Return the shape of the first output, if stored."""
    stored = values.get("_output_shapes")
    return _shape(stored.list.shape[0]) if stored is not None and stored.list.shape else None


def _shape(shape: Any) -> Size | None:
    return None if shape.unknown_rank else tuple(one.size if one.size > 0 else None for one in shape.dim)


def _constant(tensor: Any) -> tuple[float, ...] | None:
    """Return the values of a small tensor, stored as bytes or as a list whose last value repeats."""
    count = math.prod(one.size for one in tensor.tensor_shape.dim)
    kind = DTYPES.get(tensor.dtype)
    if kind is None or not 0 < count <= _MAX_ENTRIES:
        return None
    if tensor.tensor_content:
        numbers = np.frombuffer(tensor.tensor_content[: count * np.dtype(kind).itemsize], kind).tolist()
    else:
        numbers = list(tensor.int_val or tensor.int64_val or tensor.float_val or tensor.double_val or [0])[:count]
        numbers += numbers[-1:] * (count - len(numbers))
    return tuple(numbers) if len(numbers) == count else None
