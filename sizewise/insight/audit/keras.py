"""Keras: the configuration in a .keras file, which is a zip. No layer is built, and no code is run."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

from ... import dialects
from ...errors import ArgumentError, FileError
from ...resize_spec import ResizeSpec
from ..translation.syntaxes.keras import METHODS
from . import _layer_inputs, _layers
from .node import Model

_MAX_BYTES = 64 << 20  # of a configuration: the largest models have some hundred thousand


def read(file: Path) -> Model:
    """Return the resizes of a .keras file, as Keras computes them on TensorFlow."""
    config = _json(file, "config.json")
    try:
        nodes = tuple(_layers.nodes(config, layer_spec))
        return Model("Keras, as computed on TensorFlow", nodes, tuple(_layer_inputs.inputs(config)))
    except (ValueError, TypeError, AttributeError, ArgumentError) as error:
        raise FileError(f"{os.fspath(file)!r} has an invalid configuration: {error}") from None


def layer_spec(kind: str, config: dict[str, Any]) -> tuple[ResizeSpec | None, str]:
    """Return the spec of a layer on TensorFlow, the default backend; a file does not name one."""
    for option in ("crop_to_aspect_ratio", "pad_to_aspect_ratio"):
        if config.get(option):
            return None, f"{option}: it also crops or pads; not a plain resize"
    method = config["interpolation"]
    if not isinstance(method, str) or method not in METHODS:
        return None, _layers.unknown(config)
    smooth = bool(config.get("antialias")) and True in dialects.get("tensorflow").methods[method]
    return ResizeSpec.of("tensorflow", method, smooth or None), ""


def _json(file: Path, name: str) -> Any:
    """Return one JSON file of a zip, of limited size whatever the zip declares."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if name not in names:
                raise FileError(f"{os.fspath(file)!r} is a zip file, but not a Keras model: {_guess(names)}")
            with archive.open(name) as opened:
                data = opened.read(_MAX_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileError(f"{os.fspath(file)!r} is a damaged zip file: {error}") from None
    if len(data) > _MAX_BYTES:
        raise FileError(f"{os.fspath(file)!r}: {name} is longer than {_MAX_BYTES:,} bytes, which no configuration is")
    return parse_json(data, file)


def _guess(names: list[str]) -> str:
    if any(name.endswith("data.pkl") for name in names):
        return (
            "it is a PyTorch file; a pickle is code, which audit never runs; export it to .onnx, or use sizewise.watch"
        )
    return "it has no config.json"


def parse_json(data: bytes, file: Path) -> Any:
    """Return the JSON object of a file."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        raise FileError(f"{os.fspath(file)!r} is truncated, or not JSON") from None
    if not isinstance(record, dict):
        raise FileError(f"{os.fspath(file)!r} is JSON, but not of a model")
    return record
