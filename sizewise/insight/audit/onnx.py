"""ONNX: Resize and Upsample of every opset, with the constants behind their scales and sizes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ... import dialects
from ...errors import ArgumentError, FileError, MissingExtraError, is_raised_by
from ...resize_spec import ResizeSpec
from ._onnx_inputs import inputs
from ._onnx_values import MAX_ENTRIES, Values, Vector
from .node import Model, Node, Size

_KNOWN = (("Upsample", 7), ("Upsample", 9), ("Upsample", 10), *(("Resize", since) for since in (10, 11, 13, 18, 19)))
_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}
_CROP = "tf_crop_and_resize"
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
        nodes = tuple(_nodes(model.graph, opset, None, "", file))
        return Model(f"ONNX, opset {opset}", nodes, inputs(model.graph))
    except _DAMAGE as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(f"{os.fspath(file)!r} has an invalid graph: {reason}") from None


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
        own = node.name or (node.output[0] if node.output else "") or f"{node.op_type} {number}"
        name = prefix + (own.decode("utf-8", "replace") if isinstance(own, bytes) else own)  # bytes: not UTF-8
        if node.domain in ("", "ai.onnx") and node.op_type in ("Resize", "Upsample"):
            yield _resize(node, name, opset, values, file)
        elif node.op_type in _NOTED:
            before, after = ((values.shape(one[0]) or ())[2:] if one else () for one in (node.input, node.output))
            yield Node(name, node.op_type, before, after, note=_NOTED[node.op_type])
        for attribute in node.attribute:
            for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                yield from _nodes(inner, opset, values, f"{name}/", file)


def _resize(node: Any, name: str, opset: int, values: Values, file: Path) -> Node:
    import onnx

    try:
        since = onnx.defs.get_schema(node.op_type, opset).since_version
    except onnx.defs.SchemaError:
        raise FileError(f"{os.fspath(file)!r}: opset {opset} has no {node.op_type}") from None
    if not (node.input and node.output):
        raise FileError(f"{os.fspath(file)!r}: {node.op_type} {name!r} has no input, or no output")
    if (node.op_type, since) not in _KNOWN:
        raise FileError(
            f"{os.fspath(file)!r}: {node.op_type} of opset {opset} (changed in {since}) is not supported; these are: "
            f"{', '.join(f'{op} {version}' for op, version in _KNOWN)}"
        )
    attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    scales, sizes, roi = _inputs(node, since, attributes, values)
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
        if roi is not None and len(roi) == 2 * len(shape):  # of all axes: all starts, then all ends
            roi = tuple(roi[first + axis] for first in (0, len(shape)) for axis in axes)
        spec = _spec(since, attributes, scale, roi)
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


def _inputs(
    node: Any, since: int, attributes: dict[str, Any], values: Values
) -> tuple[Vector | None, Vector | None, Vector | None]:
    """Return the scales, sizes and roi of a node, as far as they are constant; None for those it does not have."""
    if since == 7:
        return tuple(attributes.get("scales", ())), None, None
    given = [values.of(name) if name else () for name in node.input[1:]]  # (): no input; None: one that is computed
    if since < 11:
        return (given or [()])[0] or _unknown(node, values), None, None
    roi, scales, sizes = (*given, (), (), ())[:3]
    if sizes == ():
        return scales or _unknown(node, values), None, roi or None
    return None, sizes or _unknown(node, values), roi or None


def _unknown(node: Any, values: Values) -> Vector:
    return (None,) * len(values.shape(node.input[0]) or ())


def _spec(since: int, attributes: dict[str, Any], scale: tuple[float, ...] | None, roi: Vector | None) -> ResizeSpec:
    """Return the spec of a node, for any size."""
    text = {name: value.decode("utf-8", "replace") for name, value in attributes.items() if isinstance(value, bytes)}
    mode = text.get("mode", "nearest").lower()
    if mode not in _MODES:
        raise ArgumentError(f"Resize has no mode {mode!r}; it has {', '.join(_MODES)}")
    if since < 11:
        return _early(_MODES[mode], scale)
    options: dict[str, object] = {
        name: text.get(name) or attributes[name]
        for name in dialects.get("onnx").options
        if name in attributes and name != "roi"
    }
    if options.get("coordinate_transformation_mode") == _CROP and roi is not None:
        if None in roi:
            raise ArgumentError("its roi is computed when the model runs")
        options["roi"] = roi
    return _checked(_MODES[mode], bool(attributes.get("antialias", 0)), options)


def _early(method: str, scale: tuple[float, ...] | None) -> ResizeSpec:
    """Return the spec before opset 11, which had no coordinate modes: onnxruntime rounds up where it shrinks."""
    options: dict[str, object] = {"coordinate_transformation_mode": "asymmetric"}
    if method == "nearest":
        shrinks = {one < 1 for one in scale or () if one != 1}
        if len(shrinks) == 2:
            raise ArgumentError("before opset 11, nearest that shrinks one axis and enlarges another has two rules")
        options["nearest_mode"] = "ceil" if True in shrinks else "floor"
    return _checked(method, False, options)


def _checked(method: str, antialias: bool, options: dict[str, object]) -> ResizeSpec:
    """Return the spec of valid options, without those that the method ignores."""
    complete = dict(dialects.get("onnx").fill_options(options))
    crops = complete["coordinate_transformation_mode"] == _CROP
    read = {"nearest_mode": method == "nearest", "cubic_coeff_a": method == "cubic", "extrapolation_value": crops}
    relevant = {name: value for name, value in complete.items() if read.get(name, True)}
    return ResizeSpec.of("onnx", method, antialias, relevant)
