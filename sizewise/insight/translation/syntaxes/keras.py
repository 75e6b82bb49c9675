"""Keras 3 on TensorFlow: keras.ops.image.resize and keras.layers.Resizing."""

from __future__ import annotations

from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Syntax, antialias, call_text, code, lengths

_FRAME = ("crop_to_aspect_ratio", "pad_to_aspect_ratio", "fill_mode", "fill_value", "data_format")
_FUNCTION = ("images", "size", "interpolation", "antialias", *_FRAME)
_LAYER = ("height", "width", "interpolation", *_FRAME[:4], "antialias", "data_format")
METHODS = ("bilinear", "nearest", "bicubic", "lanczos3", "lanczos5")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    layer = call.name.endswith("Resizing")
    given = call.bind(_LAYER, default="x") if layer else call.bind(_FUNCTION, "images")
    for name in _FRAME[:2]:
        if given.value(name):
            raise ArgumentError(f"{name} also crops or pads; leave it out, and crop or pad separately")
    if given.value("data_format", "channels_last") != "channels_last":
        raise ArgumentError("data_format must be 'channels_last', which is what Keras reads on TensorFlow")
    method = given.value("interpolation", "bilinear")
    if method not in METHODS:
        raise ArgumentError(f"interpolation is {method!r}; Keras has {', '.join(METHODS)}")
    if layer:
        given.require("height", "width")
        size = given.lengths([given.nodes["height"], given.nodes["width"]], "height and width")
    else:
        size = given.size("size")
    smooth = bool(given.value("antialias")) and method != "nearest"
    return ResizeSpec.of("tensorflow", method, smooth, size=size), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    if spec.scale is not None or spec.unusual:
        raise UnsupportedError("keras.ops.image.resize takes a size alone")
    size = code(lengths(spec, image))
    return call_text("keras.ops.image.resize", image, size, interpolation=spec.method, **antialias(spec))


KERAS = Syntax(
    name="keras",
    title="Keras",
    dialect="tensorflow",
    names=(
        *("keras.ops.image.resize", "ops.image.resize"),
        *("keras.layers.Resizing", "tf.keras.layers.Resizing", "layers.Resizing"),
    ),
    read=_read,
    write=_write,
    layout="NHWC",
    methods=METHODS,
    note="This is Keras on TensorFlow; other backends compute other pixels.",
)
