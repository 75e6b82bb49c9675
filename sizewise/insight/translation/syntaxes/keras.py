"""Keras 3 on TensorFlow: keras.ops.image.resize and keras.layers.Resizing."""

from __future__ import annotations

import ast

from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import Factor, ResizeSpec
from ..parse_call import Call, literal
from ..syntax import Syntax, call_text, code, lengths, read_lengths
from .tensorflow import first_argument, shape, size_of

_FRAME = ("crop_to_aspect_ratio", "pad_to_aspect_ratio", "fill_mode", "fill_value", "data_format")
_FUNCTION = ("images", "size", "interpolation", "antialias", *_FRAME)
_LAYER = ("height", "width", "interpolation", *_FRAME[:4], "antialias", "data_format")
_METHODS = ("bilinear", "nearest", "bicubic", "lanczos3", "lanczos5")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    layer = call.name.endswith("Resizing")
    bound = call.bind(_LAYER if layer else _FUNCTION)
    for name in ("crop_to_aspect_ratio", "pad_to_aspect_ratio"):
        if name in bound and literal(bound[name], name):
            raise ArgumentError(f"{name} also crops or pads; leave it out, and crop or pad separately")
    if "data_format" in bound and literal(bound["data_format"], "data_format") not in (None, "channels_last"):
        raise ArgumentError("data_format must be 'channels_last', which is what Keras reads on TensorFlow")
    method = literal(bound["interpolation"], "interpolation") if "interpolation" in bound else "bilinear"
    if method not in _METHODS:
        raise ArgumentError(f"interpolation is {method!r}; Keras has {', '.join(_METHODS)}")
    smooth = bool(literal(bound["antialias"], "antialias")) if "antialias" in bound else False
    image = call.image or "x" if layer else first_argument(bound, "images", call)
    size = _layer_size(bound, image) if layer else size_of(bound, image, call)
    return ResizeSpec.of("tensorflow", method, smooth and method != "nearest", size=size), image


def _layer_size(bound: dict[str, ast.expr], image: str) -> tuple[int | Factor, ...]:
    if not {"height", "width"} <= set(bound):
        raise ArgumentError("Resizing needs a height and a width")
    return read_lengths([bound["height"], bound["width"]], "height and width", shape(image))


def _write(spec: ResizeSpec, image: str) -> str:
    if spec.scale is not None or spec.unusual:
        raise UnsupportedError("keras.ops.image.resize takes a size alone")
    flags = {"antialias": True} if spec.antialias else {}
    size = code(lengths(spec, shape(image)))
    return call_text("keras.ops.image.resize", image, size, interpolation=spec.method, **flags)


SYNTAXES = (
    Syntax(
        name="keras",
        title="Keras",
        dialect="tensorflow",
        names=(
            "keras.ops.image.resize",
            "ops.image.resize",
            *(f"{module}layers.Resizing" for module in ("keras.", "tf.keras.", "")),
        ),
        read=_read,
        write=_write,
        layout="NHWC",
        methods=_METHODS,
        note="This is Keras on TensorFlow; other backends compute other pixels.",
    ),
)
