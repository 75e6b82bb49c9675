"""Keras layers, of any file format: which of them resize, and how. Code in a configuration is never run.

Input shapes are stored with a layer, or inferred from the layers before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...errors import ArgumentError, short_repr
from ...resize_spec import ResizeSpec
from .node import Node, Size

Record = dict[str, Any]
Shape = tuple[int | None, ...]  # of all axes; None: unknown
Layer = tuple[str, str, Record, Shape | None]  # path, class, configuration and input shape
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
_SAME_SHAPE = {
    *("InputLayer", "Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "BatchNormalization"),
    *("LayerNormalization", "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise"),
    *("Rescaling", "Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"),
}
_STRIDED = (
    *("Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D", "DepthwiseConv1D", "DepthwiseConv2D"),
    *(f"{kind}Pooling{axes}D" for kind in ("Max", "Average") for axes in (1, 2, 3)),
)
_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
_MAX_LENGTH, _MAX_AXES, _MAX_LAYERS, _MAX_DEPTH = 1 << 31, 8, 100_000, 32


def nodes(model: Mapping[str, Any], reader: Reader) -> Iterator[Node]:
    """Yield the resizes of a model's configuration; `reader` says how a layer is computed."""
    for count, (path, kind, config, shape) in enumerate(_layers(model)):
        if count > _MAX_LAYERS:
            raise ValueError(f"it has more than {_MAX_LAYERS:,} layers")
        axes = _SAMPLING.get(kind, 2)
        size = shape[_spatial(config)] if shape and len(shape) == axes + 2 else (None,) * axes
        first = config.get("data_format") == "channels_first"
        layout = f"NC{_SPATIAL[axes]}" if first else f"N{_SPATIAL[axes]}C"
        if kind in _SAMPLING:
            given = config.get("size", 2)
            factors = _integers(given if isinstance(given, list) else [given] * axes, axes)
            output = tuple(n and factor and n * factor for n, factor in zip(size, factors, strict=True))
            scale = tuple(float(factor or 1) for factor in factors) if None in size else None
            yield Node(path, kind, size, output, layout, scale, *reader(kind, {"interpolation": "nearest", **config}))
        elif kind in _RESIZING and ("size" in config or "height" in config):
            output = _integers(config.get("size") or [config.get("height"), config.get("width")], 2)
            yield Node(path, kind, size, output, layout, None, *reader(kind, {"interpolation": "bilinear", **config}))
        elif kind in _NOTED:
            yield Node(path, kind, size, (None,) * axes, layout, note=_NOTED[kind])


def unknown(config: Record) -> str:
    """Return the note on a layer of unknown interpolation."""
    return f"its interpolation {short_repr(config.get('interpolation'))} is unknown"


def _integers(given: Any, count: int) -> Size:
    if not isinstance(given, list) or len(given) != count:
        raise ArgumentError(f"a size of {count} axes is written as {short_repr(given)}")
    return _per_axis(given, count)


def _layers(given: Any, path: str = "", depth: int = 0, shape: Shape | None = None) -> Iterator[Layer]:
    """Yield every layer, including those of nested models and wrappers."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"its models are nested more than {_MAX_DEPTH} deep")
    if not is_layer(given):
        return
    config = given["config"] if isinstance(given["config"], dict) else {"layers": given["config"]}
    here = "/".join(part for part in (path, layer_name(given)) if part)
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
    before = _input_shape(model, {}, shape) if in_order else None
    for layer in layers:
        called = _input_shape(layer, shapes, before) if is_layer(layer) else None
        yield from _layers(layer, path, depth, called)
        if is_layer(layer) and isinstance(layer["config"], dict):
            shape_after = _output_shape(str(layer.get("class_name", "")), layer["config"], called)
            shapes[layer_name(layer)], before = shape_after, shape_after if in_order else None


def is_layer(given: Any) -> bool:
    return isinstance(given, dict) and isinstance(given.get("config"), (dict, list))


def layer_name(layer: Record) -> str:
    config = layer["config"]
    return str(layer.get("name") or (config.get("name") if isinstance(config, dict) else "") or "")


def stored_shape(given: Any) -> Shape | None:
    """Return a shape as stored in a file, or None where it is invalid."""
    if not isinstance(given, list) or len(given) > _MAX_AXES:
        return None
    return tuple(n if type(n) is int and 0 < n < _MAX_LENGTH else None for n in given) or None


def _input_shape(layer: Record, known: Mapping[str, Shape | None], before: Shape | None) -> Shape | None:
    """Return the input shape of a layer: its own, or that of the layer it is called on.

    `known` are the outputs of the layers of its model, by name, and `before` that of the previous layer of a
    Sequential.
    """
    build, config = layer.get("build_config"), layer.get("config")
    stored = [build.get("input_shape")] if isinstance(build, dict) else []
    if isinstance(config, dict):
        stored += [config.get(name) for name in ("batch_input_shape", "batch_shape", "build_input_shape")]
    own = next((shape for shape in map(stored_shape, stored) if shape), None)
    return own or _called_with(layer.get("inbound_nodes"), known) or before


def _called_with(calls: Any, known: Mapping[str, Shape | None]) -> Shape | None:
    """Return the shape of the first tensor that a layer is called with, as Keras 3 or Keras 2 stores it."""
    try:
        first = calls[0]
        if isinstance(first, dict):
            tensor = first["args"][0]["config"]
            return stored_shape(tensor.get("shape")) or known.get(str(tensor["keras_history"][0]))
        return next((shape for one in first if (shape := known.get(str(one[0])))), None)
    except (KeyError, IndexError, TypeError, AttributeError):
        return None


def _output_shape(kind: str, config: Record, shape: Shape | None) -> Shape | None:
    """Return the output shape of a layer, where it follows from its class and configuration."""
    if shape is None or kind in _SAME_SHAPE:
        return shape
    rank = len(shape) - 2
    if rank < 1:
        return None
    if kind == "Concatenate":
        return shape if config.get("axis", -1) in (-1, len(shape) - 1) else None
    size = _size_after(kind, config, shape[_spatial(config)], rank)
    if size is None or len(size) != rank:
        return None
    return (None, None, *size) if _spatial(config).start == 2 else (None, *size, None)


def _size_after(kind: str, config: Record, size: Shape, rank: int) -> Shape | None:
    if kind.startswith("UpSampling"):
        factors = _per_axis(config.get("size", 2), rank)
        return tuple(n and factor and n * factor for n, factor in zip(size, factors, strict=True))
    if kind == "Resizing":
        return stored_shape([config.get("height"), config.get("width")])
    padding, pool = config.get("padding", "valid"), config.get("pool_size")
    if kind not in _STRIDED or padding not in ("same", "valid"):
        return None
    window = _per_axis(config.get("kernel_size") or pool, rank) if padding == "valid" else (1,) * rank
    steps, gaps = _per_axis(config.get("strides") or pool or 1, rank), _per_axis(config.get("dilation_rate", 1), rank)
    return tuple(map(_strided, size, window, steps, gaps))


def _strided(n: int | None, window: int | None, step: int | None, gap: int | None) -> int | None:
    """Return the output length of a strided, dilated window without padding."""
    if n is None or window is None or step is None or gap is None:
        return None
    return max(-(-(n - (window - 1) * gap) // step), 0) or None


def _spatial(config: Record) -> slice:
    """Return the slice of a shape that a layer resizes."""
    return slice(2, None) if config.get("data_format") == "channels_first" else slice(1, -1)


def _per_axis(given: Any, rank: int) -> Shape:
    """Return one length for each axis, of a number or a list; None for what is not a positive integer."""
    lengths = stored_shape(given if isinstance(given, list) else [given] * rank)
    return lengths if lengths and len(lengths) == rank else (None,) * rank
