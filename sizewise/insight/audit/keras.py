"""Keras: the configuration in a .keras file, which is a zip. No layer is made, and no code in it is run."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

from ... import dialects
from ...errors import ArgumentError, FileError
from . import _layers
from .node import Model, Words

_LARGEST = 64 << 20  # bytes of a configuration: those of the largest models have some hundred thousand
_METHODS = ("bilinear", "nearest", "bicubic", "lanczos3", "lanczos5")


def read(file: Path) -> Model:
    """The resizes of a .keras file, as Keras computes them on TensorFlow."""
    config = _json(file, "config.json")
    try:
        return Model("Keras, as computed on TensorFlow", tuple(_layers.nodes(config, words)))
    except (ValueError, TypeError, AttributeError, ArgumentError) as error:
        raise FileError(f"{os.fspath(file)!r} has a configuration that makes no sense: {error}") from None


def words(kind: str, config: dict[str, Any]) -> tuple[Words | None, str]:
    """How a layer resizes: Keras computes with TensorFlow unless it is told otherwise; a file does not say.

    >>> words("Resizing", {"interpolation": "bicubic", "antialias": True})[0].antialias
    True
    """
    for option in ("crop_to_aspect_ratio", "pad_to_aspect_ratio"):
        if config.get(option):
            return None, f"{option}: it resizes a part of the image, or only a part of the result"
    method = config["interpolation"]
    if not isinstance(method, str) or method not in _METHODS:
        return None, _layers.unknown(config)
    smooth = bool(config.get("antialias")) and True in dialects.get("tensorflow").methods[method]
    return Words("tensorflow", method, smooth), ""


def _json(file: Path, name: str) -> Any:
    """One JSON file of a zip, which is never longer than it should be, whatever the zip says."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if name not in names:
                raise FileError(f"{os.fspath(file)!r} is a zip file, but not of a Keras model: {_guess(names)}")
            with archive.open(name) as opened:
                data = opened.read(_LARGEST + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileError(f"{os.fspath(file)!r} is a damaged zip file: {error}") from None
    if len(data) > _LARGEST:
        raise FileError(f"{os.fspath(file)!r}: {name} is longer than {_LARGEST:,} bytes; no configuration is")
    return parsed(data, file)


def _guess(names: list[str]) -> str:
    if any(name.endswith("data.pkl") for name in names):
        return (
            "it is a PyTorch file, whose pickle is code, and code of a model is never run; "
            "export it to .onnx, or use sizewise.insight.watch"
        )
    return "it has no config.json"


def parsed(data: bytes, file: Path) -> Any:
    """A JSON object from a file."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        raise FileError(f"{os.fspath(file)!r} is cut off, or not JSON") from None
    if not isinstance(record, dict):
        raise FileError(f"{os.fspath(file)!r} is JSON, but not that of a model")
    return record
