"""Reader and writer of Keras 3: Resizing, CenterCrop, Rescaling, Normalization, and Sequential or Pipeline of them.

Read are layers, their serialized form (`keras.saving.serialize_keras_object`), and what `get_config()` returns. Keras
resizes differently on each of its backends, so `backend` says which one: "tensorflow" (the default of dictionaries),
"torch" or "jax"; the default of objects is the backend that runs.

- Layers and a Pipeline take bytes as bytes; a Sequential casts its input to the dtype of its InputLayer.
- Bytes are resized in float32, and rounded half to even.
- Layers with data_format "channels_first" take and return it, so that arrays need layout="CHW".
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ArgumentError, short_repr, unknown_name
from ...resize_spec import ResizeSpec
from ..aspect_steps import CropOrResize, CropToAspect, PadToAspect
from ..pointwise_steps import Cast, Normalize, Rescale
from ..size_rules import Exact
from ..steps import FLOATS, Decode, Layout, Resize, Step
from ._common import cannot_write, verified
from ._keras_layers import BACKENDS, METHODS, SIZEWISE, State, entry_of

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "Keras"
# Keys by which the dictionary of `get_config()`, which has no class, is recognized.
_SIGNATURES: dict[str, set[str]] = {
    "Resizing": {"height", "width", "interpolation"},
    "CenterCrop": {"height", "width", "data_format"},
    "Rescaling": {"scale", "offset"},
    "Normalization": {"axis", "mean", "variance"},
    "Functional": {"layers", "input_layers"},
    "Sequential": {"layers", "trainable"},
    "Pipeline": {"layers"},
}


def recognizes(config: Any) -> bool:
    """Return whether an object is a layer of Keras, or its dictionary."""
    if isinstance(config, Mapping):
        is_serialized = isinstance(config.get("class_name"), str) and isinstance(config.get("config"), Mapping)
        return is_serialized or ("name" in config and _class_of(config) is not None)
    return _is_layer(config)


def _is_layer(x: Any) -> bool:
    bases = (base.__module__.partition(".")[0] for base in type(x).__mro__)
    return "keras" in bases and hasattr(x, "get_config")


def _class_of(config: Mapping[str, Any]) -> str | None:
    """Return the class whose `get_config()` has these keys."""
    return next((name for name, keys in _SIGNATURES.items() if keys <= set(config)), None)


def read(config: Any, backend: str | None = None) -> tuple[Step, ...]:
    """Return the steps of a layer, or of a Sequential or Pipeline.

    >>> read({"class_name": "Rescaling", "config": {"scale": 0.5}})
    (Rescale(scale=0.5, offset=0.0, divide=False, compute='float32', dtype='float32'),)
    """
    if backend is None:
        backend = "tensorflow" if isinstance(config, Mapping) else sys.modules["keras"].backend.backend()
    if backend not in BACKENDS:
        raise unknown_name("backend of Keras", backend, BACKENDS)
    state = State(backend)
    state.add(*_entry(config))
    return state.steps


def _entry(config: Any) -> tuple[str, Mapping[str, Any], object]:
    """Return the class, the arguments and the registered name of a layer or its dictionary."""
    if isinstance(config, Mapping):
        return entry_of(config) if "class_name" in config else (str(_class_of(config)), config, None)
    kind = type(config)
    package = kind.__module__.partition(".")[0]
    is_ours = kind.__module__ == "sizewise.compat.keras"
    registered = SIZEWISE if is_ours else None if package == "keras" else f"{kind.__module__}.{kind.__qualname__}"
    return kind.__name__, config.get_config(), registered


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return a serialized `keras.layers.Pipeline` that says the same; raise UnsupportedError if none does.

    A resize of another dialect than TensorFlow's is a `sizewise.compat.keras.Resizing`: import that module before
    `keras.saving.deserialize_keras_object`. The layers compute in float32.

    >>> from sizewise.preprocess import Preprocessor, Rescale
    >>> write(Preprocessor([Rescale(0.5)]))["config"]["layers"][0]["class_name"]
    'Rescaling'
    """
    order = "channels_first" if preprocessor.layout == "CHW" else "channels_last"
    layers: list[dict[str, Any]] = []
    steps = [step for step in preprocessor.steps if not isinstance(step, (Decode, Layout))]
    for index, step in enumerate(steps):
        before = steps[index - 1] if index else None
        after = steps[index + 1] if index + 1 < len(steps) else None
        if isinstance(step, (CropToAspect, PadToAspect)):
            if not _fits(step, after):
                raise cannot_write(NAME, step)
        elif not (isinstance(step, Cast) and isinstance(after, CropOrResize)):  # which casts
            layers.append(_layer(step, before, order))
    config = {"name": "preprocessing", "layers": [_named(layer, index) for index, layer in enumerate(layers)]}
    whole = {"module": "keras.layers", "class_name": "Pipeline", "config": config, "registered_name": None}
    found: dict[str, Any] = verified(NAME, type(preprocessor)(_comparable(preprocessor.steps)), whole, _read_comparable)
    return found


def _named(layer: dict[str, Any], index: int) -> dict[str, Any]:
    """Return a serialized layer with a name that no other layer of the Pipeline has."""
    name = f"{layer['class_name'].lower()}_{index}"
    config = {"name": name, "trainable": True, "dtype": "float32", **layer["config"]}
    return {"module": "keras.layers", "registered_name": None, **layer, "config": config}


def _fits(step: CropToAspect | PadToAspect, after: Step | None) -> bool:
    """Return whether a resize after a step goes to the size whose aspect ratio the step makes."""
    return isinstance(after, Resize) and after.rule == Exact(step.height, step.width)


def _layer(step: Step, before: Step | None, order: str) -> dict[str, Any]:
    """Return the class and the arguments of the layer of a step."""
    if isinstance(step, Resize) and isinstance(step.rule, Exact) and _has_no_options(step):
        return _resizing(step, before, order)
    if isinstance(step, CropOrResize):
        config = {"height": step.height, "width": step.width, "data_format": order}
        return {"class_name": "CenterCrop", "config": config}
    if isinstance(step, Cast):
        return {"class_name": "Rescaling", "config": {"scale": 1.0, "offset": 0.0}}
    if isinstance(step, Rescale) and not step.divide:
        return {"class_name": "Rescaling", "config": {"scale": step.scale, "offset": step.offset}}
    if isinstance(step, Normalize) and step.reciprocal and not any(step.mean):
        return {"class_name": "Rescaling", "config": {"scale": [1 / x for x in step.std], "offset": 0.0}}
    if isinstance(step, Normalize) and not step.reciprocal:
        return _normalization(step, order)
    raise cannot_write(NAME, step)


def _resizing(step: Resize, before: Step | None, order: str) -> dict[str, Any]:
    rule = step.rule
    if not isinstance(rule, Exact):
        raise cannot_write(NAME, step)
    config = {"height": rule.height, "width": rule.width, "interpolation": step.spec.method, "data_format": order}
    config |= {"antialias": bool(step.spec.antialias)}
    if isinstance(before, CropToAspect):
        config |= {"crop_to_aspect_ratio": True}
    elif isinstance(before, PadToAspect):
        if len(set(before.fill)) > 1:
            raise cannot_write(NAME, before)
        # Keras on TensorFlow pads bytes with integers only.
        fill = before.fill[0]
        config |= {"pad_to_aspect_ratio": True, "fill_value": int(fill) if fill.is_integer() else fill}
    if step.dialect == "tensorflow" and step.spec.method in METHODS:
        return {"class_name": "Resizing", "config": config}
    ours = {"module": "sizewise.compat.keras", "registered_name": SIZEWISE}
    return {**ours, "class_name": "Resizing", "config": {**config, "dialect": step.dialect}}


def _has_no_options(step: Resize) -> bool:
    """Return whether a resize has the options that its dialect has by default."""
    return step.spec == ResizeSpec.of(step.dialect, step.method, step.antialias, {})


def _normalization(step: Normalize, order: str) -> dict[str, Any]:
    channels = max(len(step.mean), len(step.std))
    mean, std = (list(x) * (channels // len(x)) for x in (step.mean, step.std))
    variance = [_variance(x) for x in std]
    config: dict[str, Any] = {"axis": [-1 if order == "channels_last" else -3], "mean": mean, "variance": variance}
    if channels == 1:  # numbers, for any channels
        config = {"axis": None, "mean": mean[0], "variance": variance[0]}
    # Keras 3.15 cannot build this layer at the first call of a Pipeline: its constants get lost in a scratch graph.
    shape = [None, None, None, channels] if order == "channels_last" else [None, channels, None, None]
    return {"class_name": "Normalization", "config": config, "build_config": {"input_shape": shape}}


def _variance(std: float) -> float:
    """Return a value whose square root in float32 is the standard deviation in float32."""
    square = std * std
    near = np.float32(square)
    for value in (square, *(float(np.nextafter(near, np.float32(to))) for to in (0, np.inf))):
        if np.sqrt(np.float32(value)) == np.float32(std):
            return value
    raise ArgumentError(f"std {short_repr(std)} has no square in float32")


def _read_comparable(config: Any) -> tuple[Step, ...]:
    return _comparable(read(config))


def _comparable(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return steps with the values that float32 has, and without the casts to floats that floats do not need."""
    found: list[Step] = []
    is_float = False
    for step in steps:
        if isinstance(step, Normalize) and step.compute == "float32" and not step.reciprocal:
            mean, std = (tuple(float(np.float32(x)) for x in values) for values in (step.mean, step.std))
            step = replace(step, mean=mean, std=std)
        elif isinstance(step, Normalize) and step.compute == "float32":
            step = replace(step, std=tuple(1 / float(np.float32(1 / x)) for x in step.std))
        elif isinstance(step, Resize) and (is_float or step.spec.method.startswith("nearest")):
            step = replace(step, compute=None)
        is_float = (
            is_float or isinstance(step, (Rescale, Normalize)) or (isinstance(step, Cast) and step.dtype in FLOATS)
        )
        found.append(step)
    return tuple(found)
