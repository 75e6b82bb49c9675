"""TFLite: .tflite files, read table by table with the field numbers in TensorFlow Lite's schema."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

from ...errors import FileError, MissingExtraError
from ...resize_spec import ResizeSpec
from ..translation.syntax import FLAGS
from .node import Model, Node, Size

# Of tensorflow/lite/schema/schema.fbs: operators, and the fields of their options.
_RESIZES = {23: ("RESIZE_BILINEAR", "bilinear", (2, 3)), 97: ("RESIZE_NEAREST_NEIGHBOR", "nearest", (0, 1))}
_CUSTOM = 32
_TYPES = {0: "float32", 1: "float16", 2: "int32", 3: "uint8", 7: "int16", 9: "int8", 10: "float64"}
_NOTED = ("resize", "cropand", "scaleandtranslate", "upsampl", "gridsample")
_MAX_OPERATORS = 1_000_000


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
        return Model("TFLite", tuple(_nodes(_Table(data, struct.unpack_from("<I", data)[0]))))
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

    def integers(self, field: int) -> tuple[int, ...]:
        start, length = self._vector(field, 4)
        return struct.unpack_from(f"<{length}i", self._table.Bytes, start)

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
    """Return the shape of a tensor; None for lengths that its signature leaves open."""
    lengths = tensor.integers(7) or tensor.integers(0)
    shape = tuple(n if n > 0 else None for n in lengths)
    return shape if len(shape) == 4 else (None,) * 4


def _constant(tensor: _Table, buffers: list[_Table]) -> Size | None:
    """Return the size that is stored in the file, if it is."""
    data = buffers[tensor.number(2, "I")].bytes(0)
    lengths = struct.unpack("<2i", data) if len(data) == 8 else (0,)
    return lengths if min(lengths) > 0 else None
