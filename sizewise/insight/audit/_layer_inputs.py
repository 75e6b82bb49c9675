"""Inputs of a model of Keras layers, and the layers that follow them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ._layers import Record, is_layer, layer_name, stored_shape
from .inputs import Input, Scaling, with_layout

_OPERATIONS = {"Add": "add", "Subtract": "sub", "Multiply": "mul", "TrueDivide": "div", "Divide": "div"}
_SAME = ("InputLayer", "Dropout", "GaussianNoise", "RandomFlip")
_CONVOLUTIONS = ("Conv2D", "SeparableConv2D", "DepthwiseConv2D")
_LAYERS = (*_CONVOLUTIONS, "MaxPooling2D", "AveragePooling2D", "UpSampling2D", "ZeroPadding2D", "Resizing")
_EPSILON = 1e-7  # of Normalization: the least standard deviation
_MAX_LAYERS = 1000


def inputs(model: Mapping[str, Any]) -> Iterator[Input]:
    """Yield the inputs of a model: its input layers, or the shape that a Sequential stores with its first layer."""
    layers = _inside(model)
    stated = [one for one in layers if one.get("class_name") == "InputLayer"]
    for layer in stated or layers[:1]:
        config = layer["config"] if isinstance(layer["config"], dict) else {}
        shape = stored_shape(config.get("batch_shape")) or stored_shape(config.get("batch_input_shape"))
        if shape is None and not stated and isinstance(layer.get("build_config"), dict):
            shape = stored_shape(layer["build_config"].get("input_shape"))
        if stated or shape:
            known = Input(layer_name(layer), shape, _dtype(config.get("dtype")))
            yield with_layout(_trace(known, model, layer_name(layer), _MAX_LAYERS)[0])


def _inside(model: Any) -> list[Record]:
    """Return the layers of a model; of a layer that contains none, an empty list."""
    config = model.get("config") if isinstance(model, Mapping) else None
    layers = config.get("layers") if isinstance(config, dict) else config
    return [one for one in layers if is_layer(one)] if isinstance(layers, list) else []


def _dtype(given: Any) -> str:
    """Return a dtype, which Keras 3 stores as a policy."""
    if isinstance(given, dict):
        config = given.get("config")
        given = config.get("name") if isinstance(config, dict) else None
    return given if isinstance(given, str) and not given.startswith("mixed") else ""


def _trace(given: Input, model: Mapping[str, Any], name: str, left: int) -> tuple[Input, str | None]:
    """Return an input with what the first layers tell; and None, or the name of the last layer where all are read."""
    layers, users_of = _inside(model), _users(model)
    in_order = model.get("class_name") == "Sequential"
    position = next((number for number, one in enumerate(layers) if layer_name(one) == name), -1)
    if in_order and position >= 0 and layers[position].get("class_name") != "InputLayer":
        position -= 1  # a Sequential without an input layer
    for _ in range(left):
        position += 1
        users = layers[position : position + 1] if in_order else users_of.get(name, [])
        if not users:
            return given, name
        layer = users[0]
        if len(users) > 1:
            return _of_layer(given, users), None
        if inner := _inside(layer):
            first = next((one for one in inner if one.get("class_name") == "InputLayer"), inner[0])
            given, last = _trace(given, layer, layer_name(first), left // 2)
            if last is None:
                return given, None
        elif (scaling := _scaled(given.scaling, layer)) is not None:
            given = replace(given, scaling=scaling)
        elif layer.get("class_name") not in _SAME:
            return _of_layer(given, users), None
        name = layer_name(layer)
    return given, None


def _users(model: Mapping[str, Any]) -> dict[str, list[Record]]:
    """Return the layers that are called on each layer, by its name."""
    users: dict[str, list[Record]] = {}
    for layer in _inside(model):
        for source in {str(one[0]) for one in _histories(layer.get("inbound_nodes"), 0)}:
            users.setdefault(source, []).append(layer)
    return users


def _histories(given: Any, depth: int) -> Iterator[list[Any]]:
    """Yield [name, node, tensor] of each tensor in the calls of a layer, as Keras 3 or Keras 2 stores it."""
    if depth > 8:
        return
    if isinstance(given, dict):
        yield from _histories(
            [given[key] for key in ("keras_history", "config", "args", "kwargs") if key in given], depth
        )
    elif isinstance(given, list):
        if len(given) >= 3 and isinstance(given[0], str) and isinstance(given[1], int):
            yield given
        else:
            for one in given:
                yield from _histories(one, depth + 1)


def _scaled(scaling: Scaling, layer: Record) -> Scaling | None:
    """Return the scaling with one more layer; None where it is another kind of layer."""
    kind, config, name = layer.get("class_name"), layer["config"], layer_name(layer)
    if not isinstance(config, dict):
        return None
    if kind == "Rescaling":
        return _both(scaling, "mul", config.get("scale", 1.0), "add", config.get("offset", 0.0), name)
    if kind == "Normalization" and not config.get("invert"):
        variance = _numbers(config.get("variance"))
        if variance is None or min(variance) < 0:
            return None
        deviations = [max(math.sqrt(one), _EPSILON) for one in variance]
        return _both(scaling, "sub", config.get("mean"), "div", deviations, name)
    return _operated(scaling, layer, name) if kind in _OPERATIONS else None


def _both(scaling: Scaling, first: str, a: Any, second: str, b: Any, name: str) -> Scaling | None:
    one, other = _numbers(a), _numbers(b)
    if one is None or other is None or (half := scaling.then(first, one, name)) is None:
        return None
    whole = half.then(second, other, name)
    return whole and replace(whole, nodes=(*scaling.nodes, name))


def _operated(scaling: Scaling, layer: Record, name: str) -> Scaling | None:
    """Return the scaling with an operation of keras.ops, such as `x / 127.5`."""
    calls = layer.get("inbound_nodes")
    first = calls[0] if isinstance(calls, list) and calls else None
    arguments = first.get("args") if isinstance(first, dict) else None
    if not isinstance(arguments, list) or len(arguments) != 2:
        return None
    is_reversed = isinstance(arguments[1], dict)
    values = _numbers(arguments[0 if is_reversed else 1])
    operation = _OPERATIONS[layer["class_name"]]
    return None if values is None else scaling.then(operation, values, name, is_reversed)


def _numbers(given: Any) -> tuple[float, ...] | None:
    """Return a number, or a list of some, perhaps nested."""
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return (float(given),)
    while isinstance(given, list) and len(given) == 1 and isinstance(given[0], list):
        [given] = given
    if not isinstance(given, (list, tuple)) or not 0 < len(given) <= 64:
        return None
    return tuple(map(float, given)) if all(isinstance(one, (int, float)) for one in given) else None


def _of_layer(given: Input, users: list[Record]) -> Input:
    """Return an input with the layout of the layer that it goes into."""
    layer = next((one for one in users if one.get("class_name") in _LAYERS), None)
    if layer is None or not isinstance(layer["config"], dict) or (given.shape is not None and len(given.shape) != 4):
        return given
    order = layer["config"].get("data_format") or "channels_last"
    kind = str(layer["class_name"]) if layer["class_name"] in _CONVOLUTIONS else ""
    return replace(given, layout="NCHW" if order == "channels_first" else "NHWC", layer=kind)
