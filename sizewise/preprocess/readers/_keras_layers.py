"""Layers of Keras 3 as steps: the arguments of each, and the dtype and order of axes between them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...api import resize
from ...errors import ArgumentError, UnsupportedError, short_repr, unknown_name
from ..aspect_steps import CropOrResize, CropToAspect, PadToAspect
from ..pointwise_steps import Cast, Normalize, Rescale
from ..size_rules import Exact
from ..steps import DTYPES, FLOATS, Layout, Resize, Step
from ._common import look_up, require_keys

METHODS = ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5")
BACKENDS = ("tensorflow", "torch", "jax")  # each is the name of its dialect, too
EPSILON = 1e-7  # of Keras: the least standard deviation of Normalization
SIZEWISE = "sizewise.keras>Resizing"  # the registered name of sizewise.compat.keras.Resizing
COMMON = ("name", "trainable", "dtype")
# Arguments of each layer, with their defaults; one without a default is None.
LAYERS: dict[str, dict[str, Any]] = {
    "Resizing": {
        "height": None,
        "width": None,
        "interpolation": "bilinear",
        "crop_to_aspect_ratio": False,
        "pad_to_aspect_ratio": False,
        "fill_mode": "constant",
        "fill_value": 0.0,
        "antialias": False,
        "data_format": None,
        "bounding_box_format": None,
    },
    "CenterCrop": {"height": None, "width": None, "data_format": None, "bounding_box_format": None},
    "Rescaling": {"scale": None, "offset": 0.0},
    "Normalization": {"axis": -1, "mean": None, "variance": None, "invert": False},
    "Sequential": {"layers": (), "build_input_shape": None},
    "Pipeline": {"layers": ()},
}
_DIALECT = {"dialect": None}
_RANDOM = ("MixUp", "CutMix", "RandAugment", "AugMix")
_CONTENT = ("AutoContrast", "Equalization", "CLAHE", "Solarization")
REFUSED = {
    **dict.fromkeys(_RANDOM, "it is random"),
    **dict.fromkeys(_CONTENT, "it changes colors by the content of the image"),
    "MaxNumBoundingBoxes": "it changes labels, and recipes take images",
    "Functional": "its layers are a graph; give a Sequential or a Pipeline of the layers before the model",
    "InputLayer": "it can be the first layer of a Sequential only",
}


def require_layer(name: str, registered: object) -> None:
    """Raise for a layer that cannot be read, with the reason where it is known."""
    if name in REFUSED or name.startswith("Random"):
        raise UnsupportedError(f"{name} of Keras cannot be read: {REFUSED.get(name, 'it is random')}")
    if registered not in (None, SIZEWISE, name):
        raise UnsupportedError(f"{registered} cannot be read: it is a custom layer")
    if name not in LAYERS:
        raise unknown_name("layer of Keras", name, LAYERS)


class State:
    """The steps so far, the dtype if it is known, and the order of the axes if a layer says it."""

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.found: list[Step] = []
        self.dtype: str | None = None
        self.order: str | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, with the order of the axes that the layers take and return."""
        return (*self.found, *([Layout("CHW")] if self.order == "channels_first" else []))

    def add(self, name: str, given: Mapping[str, Any], registered: object = None) -> None:
        """Add the steps of a layer."""
        require_layer(name, registered)
        require_keys(name, given, (*LAYERS[name], *COMMON, *(_DIALECT if name == "Resizing" else ())))
        values = {**LAYERS[name], **given}
        if name in ("Sequential", "Pipeline"):
            self._add_layers(name, values["layers"])
            return
        dtype = dtype_of(name, values.get("dtype"))
        if self.dtype in FLOATS:  # layers cast floats, not integers
            self.cast(dtype)
        if name in ("Resizing", "CenterCrop"):
            self._set_order(name, values["data_format"] or "channels_last")
        if name == "Resizing":
            self._resize(values)
        elif name == "CenterCrop":
            self.cast("float32")
            self.found.append(CropOrResize(values["height"], values["width"], self.backend))
        elif name == "Rescaling":
            self._rescale(values, dtype)
        else:
            self._normalize(values, dtype)

    def cast(self, dtype: str) -> None:
        """Add a cast, unless images have that dtype already."""
        if dtype != self.dtype:
            self.found.append(Cast(dtype))
            self.dtype = dtype

    def _add_layers(self, name: str, layers: Any) -> None:
        if not isinstance(layers, (list, tuple)) or not all(isinstance(one, Mapping) for one in layers):
            raise ArgumentError(f"layers of {name} are {short_repr(layers)}; give a list of dictionaries")
        entries = [entry_of(one) for one in layers]
        if name == "Sequential" and entries:  # a model casts its input, bytes too
            first, config, _ = entries[0]
            dtype = config.get("dtype") or "float32"
            self.cast(str(dtype) if first == "InputLayer" and dtype in DTYPES else dtype_of(first, dtype))
            entries = entries[1:] if first == "InputLayer" else entries
        for entry in entries:
            self.add(*entry)

    def _set_order(self, name: str, order: Any) -> None:
        look_up(f"data_format of {name}", order, dict.fromkeys(("channels_last", "channels_first")))
        if self.order not in (None, order):
            raise UnsupportedError(f"{name} has data_format {order!r}, and a layer before it {self.order!r}")
        self.order = order

    def _resize(self, given: Mapping[str, Any]) -> None:
        height, width, dialect = given["height"], given["width"], given.get("dialect")
        self.found += self._fit(given, height, width)
        method, antialias = given["interpolation"], bool(given["antialias"])
        if dialect is None:
            look_up("interpolation of Keras", method, dict.fromkeys(METHODS))
            if self.backend == "torch" and method.startswith("lanczos"):
                raise UnsupportedError(f"Keras on PyTorch has no {method!r}; give backend='tensorflow' or 'jax'")
            is_exact = self.backend == "torch" and method == "nearest"
            method, antialias = ("nearest-exact" if is_exact else method), antialias and method != "nearest"
        options: dict[str, Any] = {"antialias": None if method.startswith("nearest") else antialias}
        name = dialect or self.backend
        is_rounded = self.dtype not in FLOATS and not method.startswith("nearest")
        is_cast = is_rounded and (dialect is None or not _keeps_bytes(method, dialect, options))
        self.found.append(Resize(Exact(height, width), method, name, compute="float32" if is_cast else None, **options))

    def _fit(self, given: Mapping[str, Any], height: int, width: int) -> list[Step]:
        """Return the crop or the padding to the aspect ratio."""
        compute = "float32" if self.backend == "tensorflow" else "float64"
        is_cropped, is_padded = given["crop_to_aspect_ratio"], given["pad_to_aspect_ratio"]
        if is_cropped and is_padded:
            raise ArgumentError("Resizing has crop_to_aspect_ratio and pad_to_aspect_ratio; give one")
        if is_cropped:
            return [CropToAspect(height, width, compute)]
        if not is_padded:
            return []
        look_up("fill_mode of Resizing", given["fill_mode"], {"constant": "constant"})
        fill = float(given["fill_value"])
        if self.dtype not in FLOATS and not fill.is_integer():
            raise UnsupportedError(f"Resizing pads bytes with {fill}; give an integer, or put Rescaling before it")
        return [PadToAspect(height, width, (fill,), compute)]

    def _rescale(self, given: Mapping[str, Any], dtype: str) -> None:
        scale, offset = (_numbers(f"{name} of Rescaling", given[name]) for name in ("scale", "offset"))
        if len(scale) == len(offset) == 1:
            if (scale[0], offset[0]) == (1.0, 0.0):
                self.cast(dtype)
            else:
                self.found.append(Rescale(scale[0], offset[0], compute=dtype, dtype=dtype))
            self.dtype = dtype
            return
        self._set_order("Rescaling with one value per channel", "channels_last")
        if len(scale) > 1:
            self.found.append(Normalize((0.0,), tuple(map(_reciprocal, scale)), reciprocal=True, compute=dtype))
        elif scale[0] != 1:
            self.found.append(Rescale(scale[0], compute=dtype, dtype=dtype))
        self.dtype = dtype
        if any(offset):
            self.found.append(Normalize(tuple(-x for x in offset), (1.0,), compute=dtype))

    def _normalize(self, given: Mapping[str, Any], dtype: str) -> None:
        if given["invert"]:
            raise UnsupportedError("Normalization with invert=True cannot be read: it takes features, not images")
        if given["mean"] is None or given["variance"] is None:
            raise UnsupportedError(
                "Normalization without mean and variance cannot be read: its configuration does not have those that "
                "adapt() found; give Normalization(mean=..., variance=...)"
            )
        mean, variance = (_numbers(f"{name} of Normalization", given[name]) for name in ("mean", "variance"))
        axis = given["axis"]
        axes = [axis] if isinstance(axis, int) else list(axis or ())
        if len(mean) > 1:
            known = {-1: "channels_last", 3: "channels_last", -3: "channels_first", 1: "channels_first"}
            self._set_order(
                "Normalization", look_up("axis of Normalization", axes[0] if len(axes) == 1 else axes, known)
            )
        self.found.append(Normalize(mean, tuple(deviation(x, dtype) for x in variance), compute=dtype))
        self.dtype = dtype


def entry_of(config: Any) -> tuple[str, Mapping[str, Any], object]:
    """Return the class, the arguments and the registered name of a serialized layer."""
    known = ("module", "class_name", "config", "registered_name", "build_config", "compile_config", "shared_object_id")
    require_keys("a layer of Keras", config, (*known, "name", "inbound_nodes"))
    given = config.get("config", {})
    if not isinstance(given, Mapping):
        raise ArgumentError(f"config of {config.get('class_name')} is {short_repr(given)}; it must be a dictionary")
    return str(config.get("class_name")), given, config.get("registered_name")


def dtype_of(layer: str, given: Any) -> str:
    """Return the name of a dtype policy that can be read: float32, and other floats where a layer has no pixels."""
    name = given.get("config", {}).get("name") if isinstance(given, Mapping) else given
    allowed: tuple[str, ...] = FLOATS if layer in ("Rescaling", "Normalization") else ("float32",)
    allowed = (*allowed, "uint8") if layer == "Resizing" else allowed
    if name is not None and name not in allowed:
        raise UnsupportedError(f"{layer} has the dtype {short_repr(name)}; read are {', '.join(allowed)}")
    return name or "float32"


def deviation(variance: float, dtype: str = "float32") -> float:
    """Return the standard deviation that Keras divides by: a square root in the dtype of the layer.

    >>> deviation(4.0), deviation(0.0)
    (2.0, 1e-07)
    """
    if variance < 0:
        raise ArgumentError(f"variance of Normalization is {variance}; it must be at least 0")
    real = np.dtype(dtype if dtype in ("float16", "float32") else "float64").type
    root = max(float(np.sqrt(real(variance))), EPSILON)
    exact = math.sqrt(variance)
    return exact if float(real(exact)) == root else root


def _numbers(kind: str, given: Any) -> tuple[float, ...]:
    """Return a number, or one per channel, of a list or of an array that Keras serialized."""
    if isinstance(given, Mapping) and isinstance(given.get("config"), Mapping):
        given = given["config"].get("value")
    values = [given] if isinstance(given, (int, float)) else given
    if not isinstance(values, (list, tuple)) or not values or not all(isinstance(x, (int, float)) for x in values):
        raise ArgumentError(f"{kind} is {short_repr(given)}; give a number, or one for each channel")
    return tuple(map(float, values))


def _reciprocal(scale: float) -> float:
    """Return a value whose reciprocal is the scale in float32."""
    if scale == 0:
        raise ArgumentError("scale of Rescaling is 0; it must be another number, such as 1/255")
    near = 1 / scale
    for value in (near, float(np.nextafter(near, np.inf)), float(np.nextafter(near, -np.inf))):
        if np.float32(1 / value) == np.float32(scale):
            return value
    raise UnsupportedError(f"scale {scale} of Rescaling cannot be read: no reciprocal in float32")


def _keeps_bytes(method: str, dialect: str, options: Mapping[str, Any]) -> bool:
    """Return whether a dialect resizes bytes to bytes."""
    return bool(resize(np.zeros((1, 1, 1), np.uint8), (1, 1), method, dialect=dialect, **options).dtype == np.uint8)
