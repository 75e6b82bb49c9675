"""Keras layers, of any file format: which of them resize, and how. Code in a configuration is never run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...errors import ArgumentError, short_repr
from ...resize_spec import ResizeSpec
from ._layer_shapes import Record, Shape, input_shape, output_shape, per_axis, spatial
from .node import Node, Size

# Returns how a layer of a class and configuration resizes; or None, and why that is unknown.
Reader = Callable[[str, Record], tuple[ResizeSpec | None, str]]

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
_MAX_LAYERS, _MAX_DEPTH = 100_000, 32


def nodes(model: Mapping[str, Any], reader: Reader) -> Iterator[Node]:
    """Yield the resizes of a model's configuration; `reader` says how a layer is computed.

    >>> up = {"class_name": "UpSampling2D", "config": {"name": "up", "size": [2, 2], "interpolation": "nearest"}}
    >>> model = {"class_name": "Sequential", "config": {"layers": [up], "build_input_shape": [None, 8, 8, 3]}}
    >>> spec = ResizeSpec.of("tensorflow", "nearest")
    >>> [(one.name, one.output_size) for one in nodes(model, lambda *layer: (spec, ""))]
    [('up', (16, 16))]
    """
    for count, (path, kind, config, shape) in enumerate(_layers(model)):
        if count > _MAX_LAYERS:
            raise ValueError(f"it has more than {_MAX_LAYERS:,} layers")
        if kind in _SAMPLING:
            yield _upsampling(path, kind, config, shape, reader)
        elif kind in _RESIZING and ("size" in config or "height" in config):
            yield _resizing(path, kind, config, shape, reader)
        elif kind in _NOTED:
            size = _size(shape, config, 2)
            yield Node(path, kind, size, (None,) * len(size), _layout(config, 2), note=_NOTED[kind])


Layer = tuple[str, str, Record, Shape | None]  # path, class, configuration and input shape


def _layers(given: Any, path: str = "", depth: int = 0, shape: Shape | None = None) -> Iterator[Layer]:
    """Yield every layer, including those of nested models and wrappers."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"its models are nested more than {_MAX_DEPTH} deep")
    if not _is_layer(given):
        return
    config = given["config"] if isinstance(given["config"], dict) else {"layers": given["config"]}
    here = "/".join(part for part in (path, _name(given)) if part)
    yield here, str(given.get("class_name", "")), config, shape
    inner = config.get("layers")
    if isinstance(inner, dict):
        inner = list(inner.values())
    below = here if depth else ""  # without the name of the model itself
    if isinstance(inner, list):
        yield from _of_model(given, inner, below, depth + 1, shape)
    else:
        yield from _layers(config.get("layer"), below, depth + 1)


def _of_model(model: Record, layers: list[Any], path: str, depth: int, shape: Shape | None) -> Iterator[Layer]:
    """Yield the layers of a model with their input shapes, inferred from the layers before them."""
    shapes: dict[str, Shape | None] = {}
    in_order = model.get("class_name") == "Sequential"
    before = input_shape(model, {}, shape) if in_order else None
    for layer in layers:
        called = input_shape(layer, shapes, before) if _is_layer(layer) else None
        yield from _layers(layer, path, depth, called)
        if _is_layer(layer) and isinstance(layer["config"], dict):
            shape_after = output_shape(str(layer.get("class_name", "")), layer["config"], called)
            shapes[_name(layer)], before = shape_after, shape_after if in_order else None


def _is_layer(given: Any) -> bool:
    return isinstance(given, dict) and isinstance(given.get("config"), (dict, list))


def _name(layer: Record) -> str:
    config = layer["config"]
    return str(layer.get("name") or (config.get("name") if isinstance(config, dict) else "") or "")


def _upsampling(path: str, kind: str, config: Record, shape: Shape | None, reader: Reader) -> Node:
    axes = _SAMPLING[kind]
    given = config.get("size", 2)
    factors = _integers(given if isinstance(given, list) else [given] * axes, axes)
    size = _size(shape, config, axes)
    output = tuple(n and factor and n * factor for n, factor in zip(size, factors, strict=True))
    how, note = reader(kind, {"interpolation": "nearest", **config})
    scale = tuple(float(factor or 1) for factor in factors) if None in size else None
    return Node(path, kind, size, output, _layout(config, axes), scale, how, note)


def _resizing(path: str, kind: str, config: Record, shape: Shape | None, reader: Reader) -> Node:
    output = _integers(config.get("size") or [config.get("height"), config.get("width")], 2)
    how, note = reader(kind, {"interpolation": "bilinear", **config})
    return Node(path, kind, _size(shape, config, 2), output, _layout(config, 2), spec=how, note=note)


def unknown(config: Record) -> str:
    """Return the note on a layer of unknown interpolation."""
    return f"its interpolation {short_repr(config.get('interpolation'))} is unknown"


def _size(shape: Shape | None, config: Record, axes: int) -> Size:
    """Return the lengths of the axes that a layer resizes."""
    return shape[spatial(config)] if shape and len(shape) == axes + 2 else (None,) * axes


def _integers(given: Any, count: int) -> Size:
    if not isinstance(given, list) or len(given) != count:
        raise ArgumentError(f"a size of {count} axes is written as {short_repr(given)}")
    return per_axis(given, count)


def _layout(config: Record, axes: int) -> str:
    last = _LAYOUTS[axes]
    return f"NC{last[1:-1]}" if config.get("data_format") == "channels_first" else last
