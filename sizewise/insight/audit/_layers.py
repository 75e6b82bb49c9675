"""Layers of Keras, wherever their configuration is stored: which of them resize, and how. Code in it is never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import ArgumentError
from .node import Node, Size, Words

Record = dict[str, Any]

_SAMPLING = {"UpSampling1D": 1, "UpSampling2D": 2, "UpSampling3D": 3}
_RESIZING = ("Resizing", "Resize", "ResizeImages")
_NOTED = {
    **dict.fromkeys(("RandomZoom", "RandomCrop", "CenterCrop", "RandomResizedCrop"), "resizes a part of the image"),
    **dict.fromkeys(
        ("RandomRotation", "RandomTranslation", "RandomPerspective", "RandomShear", "AffineTransform"),
        "a transform of the image; not a plain resize",
    ),
}
_LAYOUTS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_MOST_LAYERS, _DEEPEST = 100_000, 32


def nodes(model: Mapping[str, Any], words: Mapping[str, Words]) -> Iterator[Node]:
    """The resizes of a model's configuration; `words` says how a method of Keras is computed.

    >>> up = {"class_name": "UpSampling2D", "config": {"name": "up", "size": [2, 2], "interpolation": "nearest"},
    ...       "build_config": {"input_shape": [None, 8, 8, 3]}}
    >>> model = {"class_name": "Sequential", "config": {"layers": [up]}}
    >>> [(one.name, one.output_size) for one in nodes(model, {"nearest": Words("tensorflow", "nearest")})]
    [('up', (16, 16))]
    """
    for count, (path, kind, config, layer) in enumerate(_layers(model)):
        if count > _MOST_LAYERS:
            raise ValueError(f"it has more than {_MOST_LAYERS:,} layers")
        if kind in _SAMPLING:
            yield _upsampling(path, kind, config, layer, words)
        elif kind in _RESIZING and ("size" in config or "height" in config):
            yield _resizing(path, kind, config, layer, words)
        elif kind in _NOTED:
            size = _input(layer, config, 2)
            yield Node(path, kind, size, (None,) * len(size), _layout(config, 2), note=_NOTED[kind])


def _layers(given: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, str, Record, Record]]:
    """Every layer, with those of models inside models and inside wrappers."""
    if depth > _DEEPEST:
        raise ValueError(f"its models lie more than {_DEEPEST} deep in each other")
    if not (isinstance(given, dict) and isinstance(given.get("config"), (dict, list))):
        return
    config = given["config"] if isinstance(given["config"], dict) else {"layers": given["config"]}
    kind, name = str(given.get("class_name", "")), str(given.get("name") or config.get("name") or "")
    here = "/".join(part for part in (path, name) if part)
    yield here, kind, config, given
    inner = config.get("layers")
    if isinstance(inner, dict):
        inner = list(inner.values())
    below = here if depth else ""  # the name of the model itself says nothing
    for layer in inner if isinstance(inner, list) else [config.get("layer")]:
        yield from _layers(layer, below, depth + 1)


def _upsampling(path: str, kind: str, config: Record, layer: Record, words: Mapping[str, Words]) -> Node:
    axes = _SAMPLING[kind]
    given = config.get("size", 2)
    factors = _integers(given if isinstance(given, list) else [given] * axes, axes)
    size = _input(layer, config, axes)
    output = tuple(n and factor and n * factor for n, factor in zip(size, factors, strict=True))
    how = words.get(str(config.get("interpolation", "nearest")))
    scale = tuple(float(factor or 1) for factor in factors) if None in size else None
    return Node(path, kind, size, output, _layout(config, axes), scale, how, "" if how else _no(config))


def _resizing(path: str, kind: str, config: Record, layer: Record, words: Mapping[str, Words]) -> Node:
    output = _integers(config.get("size") or [config.get("height"), config.get("width")], 2)
    how, size = words.get(str(config.get("interpolation", "bilinear"))), _input(layer, config, 2)
    note = "" if how else _no(config)
    for option in ("crop_to_aspect_ratio", "pad_to_aspect_ratio"):
        if config.get(option):
            how, note = None, f"{option}: it resizes a part of the image, or only a part of the result"
    if how and config.get("antialias"):
        how = Words(how.dialect, how.method, True, how.options)
    return Node(path, kind, size, output, _layout(config, 2), words=how, note=note)


def _no(config: Record) -> str:
    return f"its interpolation {config.get('interpolation')!r} is not known here"


def _input(layer: Record, config: Record, axes: int) -> Size:
    """The size of a layer's input, from where Keras wrote it down."""
    build = layer.get("build_config")
    shape = build.get("input_shape") if isinstance(build, dict) else None
    shape = shape or config.get("batch_input_shape") or _inbound(layer)
    if not isinstance(shape, list) or len(shape) != axes + 2:
        return (None,) * axes
    return _integers(shape[2:] if config.get("data_format") == "channels_first" else shape[1:-1], axes)


def _inbound(layer: Record) -> Any:
    """The shape of the tensor that a layer is called with, as Keras 3 keeps it."""
    try:
        return layer["inbound_nodes"][0]["args"][0]["config"]["shape"]
    except (KeyError, IndexError, TypeError):
        return None


def _integers(given: Any, count: int) -> Size:
    if not isinstance(given, list) or len(given) != count:
        raise ArgumentError(f"a size of {count} axes is written as {given!r}")
    return tuple(n if isinstance(n, int) and not isinstance(n, bool) and n > 0 else None for n in given)


def _layout(config: Record, axes: int) -> str:
    last = _LAYOUTS[axes]
    return f"NC{last[1:-1]}" if config.get("data_format") == "channels_first" else last
