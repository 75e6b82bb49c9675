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
from . import _graph, _layers
from ._graph import Op
from .keras import parse_json
from .node import Model, Size

_MAX_BYTES = 512 << 20  # of a model.json, which holds no weights
_MAX_ENTRIES = 64  # of a constant
_DTYPES = {"float32": "<f4", "int32": "<i4"}
_WIDTHS = {"float32": 4, "int32": 4, "bool": 1, "complex64": 8, "uint8": 1, "uint16": 2, "float16": 2}


def read(file: Path) -> Model:
    """Return the resizes of a model.json."""
    if file.stat().st_size > _MAX_BYTES:
        raise FileError(f"{os.fspath(file)!r} is longer than {_MAX_BYTES:,} bytes, which no model.json is")
    record = parse_json(file.read_bytes(), file)
    topology = record.get("modelTopology", record)
    if isinstance(topology, dict) and isinstance(topology.get("node"), list):
        kind, found = "TF.js graph model", _from_graph(topology, record.get("weightsManifest"), file.parent)
    elif isinstance(topology, dict) and ("model_config" in topology or "class_name" in topology):
        kind, found = "TF.js layers model", _layers.nodes(topology.get("model_config", topology), layer_spec)
    else:
        raise FileError(f"{os.fspath(file)!r} is JSON, but not a TF.js model: it has no modelTopology")
    try:
        return Model(kind, tuple(found))
    except (ValueError, TypeError, AttributeError, KeyError, ArgumentError) as error:
        raise FileError(f"{os.fspath(file)!r} has an invalid topology: {error}") from None


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


def _from_graph(topology: dict[str, Any], manifest: Any, folder: Path) -> Iterator[Any]:
    weights = dict(_weights(manifest, folder)) if isinstance(manifest, list) else {}
    library = topology.get("library") or {}
    graphs = [("", topology["node"])]
    for function in library.get("function", ()):
        name = str(function.get("signature", {}).get("name", "function"))
        graphs.append((f"{name}/", function.get("nodeDef", ())))
    for prefix, given in graphs:
        yield from _graph.nodes({str(node["name"]): _op(node, weights) for node in given}, "tfjs", prefix)


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
    """Return an attribute that is a flag, a (base64) string or a list of integers."""
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
