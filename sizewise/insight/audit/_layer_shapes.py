"""Shapes of Keras layers: stored with a layer, or inferred from the layers before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Record = dict[str, Any]
Shape = tuple[int | None, ...]  # of all axes; None: unknown

MAX_LENGTH = 1 << 31
_MAX_AXES = 8
_SAME_SHAPE = {
    *("Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "BatchNormalization", "LayerNormalization"),
    *("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise", "Rescaling"),
    *("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"),
}
_STRIDED = ("Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D", "DepthwiseConv1D", "DepthwiseConv2D")
_POOLING = tuple(f"{kind}Pooling{axes}D" for kind in ("Max", "Average") for axes in (1, 2, 3))


def shape_of(given: Any) -> Shape | None:
    """Return a shape as stored in a file, or None where it is invalid.

    >>> shape_of([None, 8, 8, 3]), shape_of("8x8")
    ((None, 8, 8, 3), None)
    """
    if not isinstance(given, list) or len(given) > _MAX_AXES:
        return None
    return tuple(n if type(n) is int and 0 < n < MAX_LENGTH else None for n in given) or None


def input_shape(layer: Record, known: Mapping[str, Shape | None], before: Shape | None) -> Shape | None:
    """Return the input shape of a layer: its own, or that of the layer it is called on.

    `known` are the outputs of the layers of its model, by name, and `before` that of the previous layer of a
    Sequential.

    >>> input_shape({"inbound_nodes": [[["x", 0, 0, {}]]]}, {"x": (None, 8, 8, 3)}, None)
    (None, 8, 8, 3)
    """
    build, config = layer.get("build_config"), layer.get("config")
    stored = [build.get("input_shape")] if isinstance(build, dict) else []
    if isinstance(config, dict):
        stored += [config.get(name) for name in ("batch_input_shape", "batch_shape", "build_input_shape")]
    own = next((shape for shape in map(shape_of, stored) if shape), None)
    return own or _called_with(layer.get("inbound_nodes"), known) or before


def _called_with(calls: Any, known: Mapping[str, Shape | None]) -> Shape | None:
    """Return the shape of the first tensor that a layer is called with, as Keras 3 or Keras 2 stores it."""
    try:
        first = calls[0]
        if isinstance(first, dict):
            tensor = first["args"][0]["config"]
            return shape_of(tensor.get("shape")) or known.get(str(tensor["keras_history"][0]))
        return next((shape for one in first if (shape := known.get(str(one[0])))), None)
    except (KeyError, IndexError, TypeError, AttributeError):
        return None


def output_shape(kind: str, config: Record, shape: Shape | None) -> Shape | None:
    """Return the output shape of a layer, where it follows from its class and configuration.

    >>> output_shape("Conv2D", {"kernel_size": [3, 3], "strides": [2, 2], "padding": "same"}, (None, 9, 9, 3))
    (None, 5, 5, None)
    """
    if shape is None or kind in ("InputLayer", *_SAME_SHAPE):
        return shape
    rank = len(shape) - 2
    if rank < 1:
        return None
    if kind == "Concatenate":
        return shape if config.get("axis", -1) in (-1, len(shape) - 1) else None
    size = _size_after(kind, config, shape[spatial(config)], rank)
    if size is None or len(size) != rank:
        return None
    return (None, None, *size) if spatial(config).start == 2 else (None, *size, None)


def _size_after(kind: str, config: Record, size: Shape, rank: int) -> Shape | None:
    if kind.startswith("UpSampling"):
        factors = per_axis(config.get("size", 2), rank)
        return tuple(n and factor and n * factor for n, factor in zip(size, factors, strict=True))
    if kind == "Resizing":
        return shape_of([config.get("height"), config.get("width")])
    padding, pool = config.get("padding", "valid"), config.get("pool_size")
    if kind not in (*_STRIDED, *_POOLING) or padding not in ("same", "valid"):
        return None
    window = per_axis(config.get("kernel_size") or pool, rank) if padding == "valid" else (1,) * rank
    steps, gaps = per_axis(config.get("strides") or pool or 1, rank), per_axis(config.get("dilation_rate", 1), rank)
    return tuple(map(_strided, size, window, steps, gaps))


def _strided(n: int | None, window: int | None, step: int | None, gap: int | None) -> int | None:
    """Return the output length of a strided, dilated window without padding."""
    if n is None or window is None or step is None or gap is None:
        return None
    return max(-(-(n - (window - 1) * gap) // step), 0) or None


def spatial(config: Record) -> slice:
    """Return the slice of a shape that a layer resizes.

    >>> spatial({"data_format": "channels_first"})
    slice(2, None, None)
    """
    return slice(2, None) if config.get("data_format") == "channels_first" else slice(1, -1)


def per_axis(given: Any, rank: int) -> Shape:
    """Return one length for each axis, of a number or a list; None for what is not a positive integer.

    >>> per_axis(2, 2), per_axis([3, "a"], 2)
    ((2, 2), (3, None))
    """
    numbers = shape_of(given if isinstance(given, list) else [given] * rank)
    return numbers if numbers and len(numbers) == rank else (None,) * rank
