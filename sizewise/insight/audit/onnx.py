"""ONNX: Resize and Upsample of every opset, with the constants behind their scales and sizes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import ArgumentError, FileError, MissingExtraError, is_raised_by
from . import _onnx_rules as rules
from ._onnx_values import MAX_ENTRIES, Values, Vector
from .node import Model, Node, Size

_NOTED = {
    "GridSample": "samples at computed coordinates; not a plain resize",
    "AffineGrid": "computes the coordinates of a sampling; not a plain resize",
    "RoiAlign": "resizes computed regions; not a plain resize",
    "CropAndResize": "resizes computed regions; not a plain resize",
    "MaxUnpool": "undoes a max pooling; not a plain resize",
}
# Raised by missing or mistyped parts of a node, and by onnx's inliner.
_DAMAGE = (ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError, RuntimeError)


def read(file: Path) -> Model:
    """Return the resizes of an .onnx file."""
    try:
        import onnx
    except ImportError:
        raise MissingExtraError("reading .onnx", "audit") from None
    model = _parsed(file)
    try:
        opset = _opset(model, file)
        for tensor in model.graph.initializer:
            if math.prod(tensor.dims) > MAX_ENTRIES:  # weights, which would only be copied
                tensor.ClearField("raw_data")
        if model.functions:
            from onnx import inliner

            model = inliner.inline_local_functions(model)
        try:  # without data_prop, whose memory grows exponentially with shared values
            model = onnx.shape_inference.infer_shapes(model)
        except Exception as error:  # of inconsistent models: then sizes stay unknown
            if not is_raised_by(error, "onnx", "google"):
                raise
        return Model(f"ONNX, opset {opset}", tuple(_nodes(model.graph, opset, None, "", file)))
    except _DAMAGE as error:
        raise FileError(f"{os.fspath(file)!r} has an invalid graph: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _parsed(file: Path) -> Any:
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load_model_from_string(file.read_bytes())
    except (DecodeError, ValueError):
        model = onnx.ModelProto()
    if not (model.HasField("graph") and model.opset_import):
        raise FileError(f"{os.fspath(file)!r} is not an ONNX model, or is truncated: it cannot be parsed")
    return model


def _opset(model: Any, file: Path) -> int:
    import onnx

    opset = max((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), default=0)
    newest = onnx.defs.onnx_opset_version()
    if opset > newest:
        raise FileError(
            f"{os.fspath(file)!r} has opset {opset}, but the installed onnx {onnx.__version__} "
            f"supports only up to {newest}; pip install -U onnx"
        )
    return int(opset)


def _nodes(graph: Any, opset: int, above: Values | None, prefix: str, file: Path) -> Iterator[Node]:
    """Yield the nodes of a graph, and of its subgraphs, which see its values."""
    values = Values(graph, above)
    for number, node in enumerate(graph.node):
        name = prefix + _text(node.name or (node.output[0] if node.output else "") or f"{node.op_type} {number}")
        if node.domain in ("", "ai.onnx") and node.op_type in ("Resize", "Upsample"):
            yield _resize(node, name, opset, values, file)
        elif node.op_type in _NOTED:
            yield _noted(node, name, values)
        for attribute in node.attribute:
            for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                yield from _nodes(inner, opset, values, f"{name}/", file)


def _text(given: str | bytes) -> str:
    """Return a name, which protobuf gives as bytes where it is not UTF-8."""
    return given.decode("utf-8", "replace") if isinstance(given, bytes) else given


def _noted(node: Any, name: str, values: Values) -> Node:
    input_size, output_size = (
        (values.shape(names[0]) or ())[2:] if names else () for names in (node.input, node.output)
    )
    return Node(name, node.op_type, input_size, output_size, note=_NOTED[node.op_type])


def _resize(node: Any, name: str, opset: int, values: Values, file: Path) -> Node:
    import onnx

    try:
        since = onnx.defs.get_schema(node.op_type, opset).since_version
    except onnx.defs.SchemaError:
        raise FileError(f"{os.fspath(file)!r}: opset {opset} has no {node.op_type}") from None
    if not (node.input and node.output):
        raise FileError(f"{os.fspath(file)!r}: {node.op_type} {name!r} has no input, or no output")
    if (node.op_type, since) not in rules.KNOWN:
        raise FileError(
            f"{os.fspath(file)!r}: {node.op_type} of opset {opset} (changed in {since}) is not supported; these are: "
            f"{', '.join(f'{op} {version}' for op, version in rules.KNOWN)}"
        )
    attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    scales, sizes, roi = rules.inputs(node, since, attributes, values)
    shape = values.shape(node.input[0]) or (None,) * len(scales or sizes or ())
    axes = _axes(shape, scales, sizes, attributes.get("axes"))
    output = values.shape(node.output[0]) or (None,) * len(shape)
    facts: dict[str, Any] = {
        "name": name,
        "op": node.op_type,
        "input_size": tuple(shape[axis] for axis in axes),
        "output_size": _asked(axes, sizes, output),
        "layout": _layout(len(shape), axes),
        "since": since,
    }
    try:
        scale = None if scales is None else tuple(float(scales[axis]) for axis in axes)
        spec = rules.spec_of(since, attributes, scale, rules.select_roi(roi, axes, len(shape)))
    except (TypeError, ValueError, ArgumentError) as error:  # a computed scale, or contradictory attributes
        reason = str(error) if isinstance(error, ArgumentError) else "its scales are computed when the model runs"
        return Node(**facts, note=reason)
    return Node(**facts, scale=scale, spec=spec)


def _axes(shape: Size, scales: Vector | None, sizes: Vector | None, given: list[int] | None) -> tuple[int, ...]:
    """Return the axes that a node resizes: those it names, or those whose length changes."""
    rank = len(shape)
    if given:
        return tuple(axis % rank for axis in given) if rank else tuple(range(len(given)))
    if scales is not None and len(scales) == rank:
        moved = [axis for axis, scale in enumerate(scales) if scale != 1]
    elif sizes is not None and len(sizes) == rank:
        moved = [axis for axis, n in enumerate(sizes) if n != shape[axis] or (n is None and axis > 1)]
        moved = [axis for axis in moved if axis > 1 or None not in (shape[axis], sizes[axis])]
    else:
        moved = []
    return tuple(moved) or tuple(range(2, rank))


def _asked(axes: tuple[int, ...], sizes: Vector | None, output: Size) -> Size:
    known = sizes if sizes is not None and len(sizes) == len(output) else output
    chosen = [known[axis] if axis < len(known) else None for axis in axes]
    return tuple(int(n) if n is not None and n > 0 else None for n in chosen)


def _layout(rank: int, axes: tuple[int, ...]) -> str:
    """Return the names of the axes, where the resized ones are those of an image."""
    return {(3, (2,)): "NCW", (4, (2, 3)): "NCHW", (4, (1, 2)): "NHWC", (5, (2, 3, 4)): "NCDHW"}.get((rank, axes), "")
