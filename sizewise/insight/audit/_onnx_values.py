"""Values of an ONNX graph that are known before it runs: constants, shapes, and vectors computed from them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ...errors import CONVERSION_ERRORS
from .node import Size

Vector = tuple[Any, ...]  # None for unknown entries
MAX_ENTRIES = 64  # a size has one entry per axis
_MAX_DEPTH = 64


class Values:
    """The small constant vectors and the shapes of one graph; `above` are those of the graph around it."""

    def __init__(self, graph: Any, above: Values | None = None) -> None:
        self._above = above
        self._made = {name: node for node in graph.node for name in node.output}
        self._stored = {one.name: one for one in graph.initializer}
        infos = (*graph.input, *graph.value_info, *graph.output)
        self._shapes = {one.name: _shape(one.type.tensor_type) for one in infos}
        self._shapes |= {name: tuple(one.dims) for name, one in self._stored.items()}
        self._found: dict[str, Vector | None] = {}  # computed once: shared values would take exponential time

    def shape(self, name: str) -> Size | None:
        """Return the shape of a value, or None where not even its rank is known."""
        if name in self._shapes:
            return self._shapes[name]
        return self._above.shape(name) if self._above and name not in self._made else None

    def of(self, name: str, depth: int = 0) -> Vector | None:
        """Return the entries of a value, or None where they are unknown."""
        if name in self._stored:
            return _numbers(self._stored[name])
        node = self._made.get(name)
        if node is None:
            return self._above.of(name, depth) if self._above else None
        if name not in self._found:
            self._found[name] = None  # for cyclic graphs
            self._found[name] = self._by_rule(node, depth + 1)
        return self._found[name]

    def _by_rule(self, node: Any, depth: int) -> Vector | None:
        rule = _RULES.get(node.op_type)
        if rule is None or depth > _MAX_DEPTH:
            return None
        try:
            found = rule(self, node, depth)
        except (TypeError, ValueError, IndexError):  # an input of the rule is unknown
            return None
        return found if found is not None and len(found) <= MAX_ENTRIES else None


def _shape(tensor: Any) -> Size | None:
    if not tensor.HasField("shape"):
        return None
    return tuple(one.dim_value if one.HasField("dim_value") and one.dim_value > 0 else None for one in tensor.shape.dim)


def _numbers(tensor: Any) -> Vector | None:
    """Return the entries of a small tensor, unless they are in another file."""
    import onnx

    if not 0 <= math.prod(tensor.dims) <= MAX_ENTRIES or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    try:
        return tuple(onnx.numpy_helper.to_array(tensor).ravel().tolist())
    except CONVERSION_ERRORS:  # dims that do not fit the data
        return None


def _constant(values: Values, node: Any, depth: int) -> Vector | None:
    for one in node.attribute:
        if one.name == "value":
            return _numbers(one.t)
        if one.name in ("value_floats", "value_ints"):
            return tuple(one.floats or one.ints)
        if one.name in ("value_float", "value_int"):
            return (one.f if one.name == "value_float" else one.i,)
    return None


def _concat(values: Values, node: Any, depth: int) -> Vector | None:
    joined: Vector = ()
    for name in node.input:
        part = values.of(name, depth) or _open(values, name)
        if part is None or len(joined) + len(part) > MAX_ENTRIES:
            return None
        joined += part
    return joined


def _open(values: Values, name: str) -> Vector | None:
    """Return a vector of unknown entries, if its length is known and small."""
    shape = values.shape(name) or ()
    return (None,) * shape[0] if len(shape) == 1 and shape[0] is not None and shape[0] <= MAX_ENTRIES else None


def _shape_of(values: Values, node: Any, depth: int) -> Vector | None:
    shape = values.shape(node.input[0])
    ends = {one.name: one.i for one in node.attribute}
    return None if shape is None else shape[ends.get("start", 0) : ends.get("end", len(shape))]


def _slice(values: Values, node: Any, depth: int) -> Vector | None:
    vector, start, end = (values.of(name, depth) for name in node.input[:3])
    step = values.of(node.input[4], depth) if len(node.input) > 4 else (1,)
    return None if None in (vector, start, end, step) else vector[start[0] : end[0] : step[0]]  # type: ignore[index]


def _gather(values: Values, node: Any, depth: int) -> Vector | None:
    vector, indices = (values.of(name, depth) for name in node.input)
    return None if vector is None or indices is None else tuple(vector[index] for index in indices)


def _each(rule: Callable[..., Any]) -> Callable[[Values, Any, int], Vector | None]:
    """Return a rule for each entry; a single entry is repeated."""

    def apply(values: Values, node: Any, depth: int) -> Vector | None:
        given = [values.of(name, depth) or () for name in node.input]
        longest = max(map(len, given))
        columns = zip(*(one * longest if len(one) == 1 else one for one in given), strict=True)
        return tuple(None if None in entries else rule(*entries) for entries in columns) or None

    return apply


_RULES: dict[str, Callable[[Values, Any, int], Vector | None]] = {
    "Constant": _constant,
    **dict.fromkeys(
        ("Identity", "Unsqueeze", "Squeeze", "Cast"), lambda values, node, depth: values.of(node.input[0], depth)
    ),
    "Mul": _each(operator.mul),
    "Add": _each(operator.add),
    "Sub": _each(operator.sub),
    "Floor": _each(math.floor),
    "Ceil": _each(math.ceil),
    "Concat": _concat,
    "Shape": _shape_of,
    "Slice": _slice,
    "Gather": _gather,
}
