"""TFLite: .tflite files, read table by table with the field numbers in TensorFlow Lite's schema."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import FileError, MissingExtraError
from ...resize_spec import ResizeSpec
from ..translation.syntax import FLAGS
from ._first_ops import trace
from ._graph import Op
from .inputs import Input, Quantization, with_layout
from .node import Model, Node, Size

# Of tensorflow/lite/schema/schema.fbs: operators, and the fields of their options.
_RESIZES = {23: ("RESIZE_BILINEAR", "bilinear", (2, 3)), 97: ("RESIZE_NEAREST_NEIGHBOR", "nearest", (0, 1))}
_CUSTOM = 32
_TYPES = {0: "float32", 1: "float16", 2: "int32", 3: "uint8", 7: "int16", 9: "int8", 10: "float64"}
_NOTED = ("resize", "cropand", "scaleandtranslate", "upsampl", "gridsample")
_MAX_OPERATORS = 1_000_000
_FIRST_OPS = {
    0: "ADD",
    3: "CONV_2D",
    4: "DEPTHWISE_CONV_2D",
    6: "DEQUANTIZE",
    18: "MUL",
    39: "TRANSPOSE",
    41: "SUB",
    42: "DIV",
    53: "CAST",
    77: "SHAPE",
    114: "QUANTIZE",
}
_STORED = {"float32": "f", "int32": "i"}  # constants that are read, as in struct
_INTEGERS = ("uint8", "int8", "int16")
_MAX_ENTRIES = 64  # of a constant


def read(file: Path) -> Model:
    """Return the resizes of a .tflite file."""
    try:
        import flatbuffers.table  # noqa: F401
    except ImportError:
        raise MissingExtraError("reading .tflite", "audit") from None
    data = file.read_bytes()
    if data[4:8] != b"TFL3":
        raise FileError(f"{os.fspath(file)!r} is not a TFLite model: it has no TFL3 mark")
    try:
        model = _Table(data, struct.unpack_from("<I", data)[0])
        return Model("TFLite", tuple(_nodes(model)), tuple(_inputs(model)))
    except (struct.error, IndexError, ValueError, OverflowError, TypeError):
        raise FileError(f"{os.fspath(file)!r} is damaged: its tables point outside the file") from None


class _Table:
    """One table of a flatbuffer, with its fields by number."""

    def __init__(self, data: bytes, position: int) -> None:
        from flatbuffers.table import Table

        if not 0 <= position < len(data):
            raise IndexError(position)
        self._table = Table(data, position)

    def _offset(self, field: int) -> int:
        return int(self._table.Offset(4 + 2 * field))

    def number(self, field: int, kind: str, default: int = 0) -> int:
        """Return a scalar; `kind` as in struct."""
        offset = self._offset(field)
        return struct.unpack_from(f"<{kind}", self._table.Bytes, self._table.Pos + offset)[0] if offset else default

    def table(self, field: int) -> _Table | None:
        offset = self._offset(field)
        return _Table(self._table.Bytes, self._table.Indirect(self._table.Pos + offset)) if offset else None

    def text(self, field: int) -> str:
        return self.bytes(field).decode("utf-8", "replace")

    def bytes(self, field: int) -> bytes:
        start, length = self._vector(field)
        return bytes(self._table.Bytes[start : start + length])

    def length(self, field: int) -> int:
        return self._vector(field)[1]

    def integers(self, field: int) -> tuple[int, ...]:
        return self.numbers(field, "i")

    def numbers(self, field: int, kind: str) -> tuple[Any, ...]:
        """Return a vector of scalars; `kind` as in struct."""
        start, length = self._vector(field, struct.calcsize(f"<{kind}"))
        return struct.unpack_from(f"<{length}{kind}", self._table.Bytes, start)

    def tables(self, field: int) -> list[_Table]:
        start, length = self._vector(field, 4)
        return [_Table(self._table.Bytes, self._table.Indirect(start + 4 * i)) for i in range(length)]

    def _vector(self, field: int, width: int = 1) -> tuple[int, int]:
        """Return the start and length of a vector, which must lie inside the file."""
        offset = self._offset(field)
        if not offset:
            return 0, 0
        start, length = self._table.Vector(offset), self._table.VectorLen(offset)
        if not (start >= 0 and start + width * length <= len(self._table.Bytes)):
            raise IndexError(length)
        return start, length


def _nodes(model: _Table) -> Iterator[Node]:
    codes = [(max(one.number(0, "b"), one.number(3, "i")), one.text(1)) for one in model.tables(1)]
    buffers, graphs, seen = model.tables(4), model.tables(2), 0
    for number, graph in enumerate(graphs):
        tensors, operators = graph.tables(0), graph.tables(3)
        prefix = f"{graph.text(4) or f'subgraph {number}'}/" if len(graphs) > 1 else ""
        seen += len(operators) + len(tensors)
        if seen > _MAX_OPERATORS:
            raise ValueError(seen)
        for operator in operators:
            code, custom = codes[operator.number(0, "I")]
            if code in _RESIZES or (code == _CUSTOM and any(part in custom.lower() for part in _NOTED)):
                yield _node(operator, code, custom, tensors, buffers, prefix)


def _node(operator: _Table, code: int, custom: str, tensors: list[_Table], buffers: list[_Table], prefix: str) -> Node:
    inputs = [tensors[index] for index in operator.integers(1)[:2]]
    output, options = tensors[operator.integers(2)[0]], operator.table(4)
    sizes, name = (_size(inputs[0])[1:3], _size(output)[1:3]), prefix + output.text(3)
    if code == _CUSTOM:
        return Node(name, custom, *sizes, "NHWC", note="a custom op, whose code is not in the file")
    op, method, fields = _RESIZES[code]
    flags = [bool(options.number(field, "B")) if options else False for field in fields]
    kind = _TYPES.get(inputs[0].number(1, "b"), "another dtype")
    return Node(
        name=name,
        op=op,
        input_size=sizes[0],
        output_size=_constant(inputs[1], buffers) or sizes[1],
        layout="NHWC",
        spec=ResizeSpec.of("tflite", method, options=dict(zip(FLAGS, flags, strict=True))),
        note="" if kind.startswith("float") else f"computed in {kind}; the values here are those of float32",
    )


def _size(tensor: _Table) -> Size:
    """Return the shape of a tensor of four axes."""
    shape = _shape(tensor)
    return shape if len(shape) == 4 else (None,) * 4


def _shape(tensor: _Table) -> Size:
    """Return the shape of a tensor; None for lengths that its signature leaves open."""
    return tuple(n if n > 0 else None for n in tensor.integers(7) or tensor.integers(0))


def _dtype(tensor: _Table) -> str:
    return _TYPES.get(tensor.number(1, "b"), "")


def _inputs(model: _Table) -> Iterator[Input]:
    """Yield the inputs of the main graph."""
    for graph in model.tables(2)[:1]:
        tensors = graph.tables(0)
        ops = _ops(graph, tensors, model)
        for index in graph.integers(1):
            given = tensors[index]
            quantization = _quantization(given)
            known = Input(given.text(3), _shape(given), _dtype(given), quantization=quantization)
            yield with_layout(trace(known, ops, str(index)))


def _ops(graph: _Table, tensors: list[_Table], model: _Table) -> dict[str, Op]:
    """Return the operators and constants of a graph by the index of the tensor that each of them gives."""
    codes, buffers = [max(one.number(0, "b"), one.number(3, "i")) for one in model.tables(1)], model.tables(4)
    ops = {str(number): Op(str(number), "Const", value=_floats(one, buffers)) for number, one in enumerate(tensors)}
    for operator in graph.tables(3):
        for index in operator.integers(2)[:1]:
            quantization = _quantization(tensors[index])
            kind = _FIRST_OPS.get(codes[operator.number(0, "I")], "another op")
            given = tuple(map(str, operator.integers(1)))
            ops[str(index)] = Op(
                str(index), kind, given, {"quantization": quantization, "label": tensors[index].text(3)}
            )
    return ops


def _quantization(tensor: _Table) -> Quantization | None:
    """Return the quantization of a tensor of integers, if all channels have the same."""
    stored, dtype = tensor.table(4), _dtype(tensor)
    scales, zeros = (stored.numbers(2, "f"), stored.numbers(3, "q")) if stored is not None else ((), ())
    if len(scales) != 1 or len(zeros) > 1 or dtype not in _INTEGERS:
        return None
    return Quantization(scales[0], (*zeros, 0)[0], dtype)


def _floats(tensor: _Table, buffers: list[_Table]) -> tuple[float, ...] | None:
    """Return the entries of a small tensor that is stored in the file."""
    index, kind = tensor.number(2, "I"), _STORED.get(_dtype(tensor))
    length = buffers[index].length(0) if index < len(buffers) else 0
    if kind is None or not 0 < length <= 4 * _MAX_ENTRIES or length % 4:
        return None
    return struct.unpack(f"<{length // 4}{kind}", buffers[index].bytes(0))


def _constant(tensor: _Table, buffers: list[_Table]) -> Size | None:
    """Return the size that is stored in the file, if it is."""
    data = buffers[tensor.number(2, "I")].bytes(0)
    lengths = struct.unpack("<2i", data) if len(data) == 8 else (0,)
    return lengths if min(lengths) > 0 else None
