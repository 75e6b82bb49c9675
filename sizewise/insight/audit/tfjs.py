"""TF.js: model.json, a graph model or a layers model. Of the weight files only the sizes of resizes are read."""

from __future__ import annotations

import base64
import binascii
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ArgumentError, FileError
from ...resize_spec import ResizeSpec
from . import _graph, _layer_inputs, _layers
from ._first_ops import trace
from ._graph import Op
from .inputs import Input, with_layout
from .keras import parse_json
from .node import Model, Size

_MAX_BYTES = 512 << 20  # of a model.json, which holds no weights
_MAX_ENTRIES = 64  # of a constant
_DTYPES = {"float32": "<f4", "int32": "<i4"}
_NAMES = {
    "DT_FLOAT": "float32",
    "DT_HALF": "float16",
    "DT_DOUBLE": "float64",
    "DT_INT32": "int32",
    "DT_INT64": "int64",
    "DT_UINT8": "uint8",
    "DT_INT8": "int8",
    "DT_BOOL": "bool",
    "DT_STRING": "string",
}
_WIDTHS = {"float32": 4, "int32": 4, "bool": 1, "complex64": 8, "uint8": 1, "uint16": 2, "float16": 2}


def read(file: Path) -> Model:
    """Return the resizes of a model.json."""
    if file.stat().st_size > _MAX_BYTES:
        raise FileError(f"{os.fspath(file)!r} is longer than {_MAX_BYTES:,} bytes, which no model.json is")
    record = parse_json(file.read_bytes(), file)
    topology = record.get("modelTopology", record)
    try:
        if isinstance(topology, dict) and isinstance(topology.get("node"), list):
            return _graph_model(record, topology, file.parent)
        if isinstance(topology, dict) and ("model_config" in topology or "class_name" in topology):
            config = topology.get("model_config", topology)
            found = tuple(_layers.nodes(config, layer_spec))
            return Model("TF.js layers model", found, tuple(_layer_inputs.inputs(config)))
    except (ValueError, TypeError, AttributeError, KeyError, ArgumentError) as error:
        raise FileError(f"{os.fspath(file)!r} has an invalid topology: {error}") from None
    raise FileError(f"{os.fspath(file)!r} is JSON, but not a TF.js model: it has no modelTopology")


def layer_spec(kind: str, config: dict[str, Any]) -> tuple[ResizeSpec | None, str]:
    """Return the spec of a TF.js layer, which differs from the same layer in Keras.

    UpSampling2D calls tf.image.resize* without flags: the asymmetric grid. Resizing passes alignCorners =
    !cropToAspectRatio, and crops nothing (convolutional.ts and image_resizing.ts of tfjs-layers 4.22).
    """
    method = config["interpolation"]
    if method not in ("nearest", "bilinear"):
        return None, _layers.unknown(config)
    corners = kind == "Resizing" and not config.get("crop_to_aspect_ratio")
    return ResizeSpec.of("tfjs", method, options={"align_corners": corners}), ""


def _graph_model(record: dict[str, Any], topology: dict[str, Any], folder: Path) -> Model:
    """Return the model of a graph and of the functions in its library."""
    manifest = record.get("weightsManifest")
    weights = dict(_weights(manifest, folder)) if isinstance(manifest, list) else {}
    main = _ops(topology["node"], weights)
    found = [*_graph.nodes(main, "tfjs")]
    for function in (topology.get("library") or {}).get("function", ()):
        name = str(function.get("signature", {}).get("name", "function"))
        found += _graph.nodes(_ops(function.get("nodeDef", ()), weights), "tfjs", f"{name}/")
    return Model("TF.js graph model", tuple(found), tuple(_inputs(record, main)))


def _ops(given: Any, weights: Mapping[str, tuple[float, ...]]) -> dict[str, Op]:
    return {str(node["name"]): _op(node, weights) for node in given}


def _inputs(record: dict[str, Any], ops: Mapping[str, Op]) -> Iterator[Input]:
    """Yield the inputs of the signature; in files without one, those of the placeholders."""
    signature = record.get("signature") or (record.get("userDefinedMetadata") or {}).get("signature") or {}
    stated: dict[str, Any] = signature.get("inputs") or {}
    for name, info in stated.items():
        shape, tensor = info.get("tensorShape"), str(info.get("name", name)).partition(":")[0]
        known = Input(str(name), None if shape is None else _shape(shape), _NAMES.get(str(info.get("dtype")), ""))
        yield with_layout(trace(known, ops, tensor))
    for op in () if stated else ops.values():
        if op.op == "Placeholder":
            yield with_layout(
                trace(Input(op.name, op.shape, _NAMES.get(str(op.attributes.get("dtype")), "")), ops, op.name)
            )


def _op(node: dict[str, Any], weights: Mapping[str, tuple[float, ...]]) -> Op:
    attributes = node.get("attr") or {}
    name = str(node["name"])
    shape = attributes.get("shape", {}).get("shape")
    return Op(
        name=name,
        op=str(node["op"]),
        inputs=tuple(str(one).lstrip("^").partition(":")[0] for one in node.get("input") or ()),
        attributes={key: plain for key, value in attributes.items() if (plain := _plain(value)) is not None},
        shape=_shape(shape) if node["op"] == "Placeholder" and shape is not None else None,
        value=weights.get(name),
    )


def _plain(value: dict[str, Any]) -> object:
    """Return an attribute that is a flag, a dtype, a (base64) string or a list of integers."""
    if "type" in value:
        return str(value["type"])
    if "b" in value:
        return bool(value["b"])
    if "s" in value:
        try:
            return base64.b64decode(value["s"]).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return None
    integers = (value.get("list") or {}).get("i")
    return tuple(map(int, integers)) if integers else None


def _shape(shape: dict[str, Any]) -> Size | None:
    if shape.get("unknownRank"):
        return None
    lengths = [int(one.get("size", 0)) for one in shape.get("dim") or ()]
    return tuple(n if n > 0 else None for n in lengths)


def _weights(manifest: list[Any], folder: Path) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield the small constants of all groups, whose weights are concatenated over the files of a group."""
    for group in manifest:
        offset = 0
        paths = [str(one) for one in group.get("paths", ())]
        for one in group.get("weights", ()):
            count = math.prod(int(n) for n in one["shape"])
            kind = (one.get("quantization") or {}).get("dtype", one["dtype"])
            if count < 0 or kind not in _WIDTHS:
                break  # a string, of unknown length: the weights after it cannot be located
            if count <= _MAX_ENTRIES and kind in _DTYPES and "quantization" not in one:
                data = _bytes(paths, folder, offset, count * _WIDTHS[kind])
                if len(data) == count * _WIDTHS[kind]:
                    yield str(one["name"]), tuple(np.frombuffer(data, _DTYPES[kind]).tolist())
            offset += count * _WIDTHS[kind]


def _bytes(paths: list[str], folder: Path, start: int, length: int) -> bytes:
    """Return bytes of concatenated files, which must lie beside the model."""
    data = b""
    for path in paths:
        file = folder / path
        if Path(path).name != path or not file.is_file():
            return b""
        size = file.stat().st_size
        if start < size and length:
            with open(file, "rb") as opened:
                opened.seek(start)
                part = opened.read(length)
            data, length, start = data + part, length - len(part), 0
        else:
            start -= size if length else 0
    return data
