"""TensorFlow 2: tf.image.resize, and tf.raw_ops.ScaleAndTranslate behind it."""

from __future__ import annotations

from .... import dialects
from ....errors import UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Code, Syntax, antialias, call_text, code, lengths

KERNELS = {"triangle": "bilinear", "keyscubic": "bicubic"}  # names of ScaleAndTranslate
_PARAMETERS = ("images", "size", "method", "preserve_aspect_ratio", "antialias", "name")
_PLACED = ("images", "size", "scale", "translation", "kernel_type", "antialias", "name")
_NAMES = {method.upper(): method for method in dialects.get("tensorflow").methods}


def _read(call: Call) -> tuple[ResizeSpec, str]:
    if call.name.endswith("ScaleAndTranslate"):
        return _read_placed(call)
    given = call.bind(_PARAMETERS, "images")
    method, flags = given.value("method", "bilinear", _NAMES), given.flags(*_PARAMETERS[3:5])
    smooth = flags.pop("antialias", False) and method not in ("nearest", "area")
    return ResizeSpec.of("tensorflow", method, smooth, flags, size=given.size("size")), given.image


def _read_placed(call: Call) -> tuple[ResizeSpec, str]:
    given = call.bind(_PLACED, "images")
    given.require("size", "scale", "translation")
    kernel, scale = given.value("kernel_type", "lanczos3"), given.scale(given.entries("scale", 2), "scale")
    arguments = KERNELS.get(str(kernel), kernel), given.value("antialias", True), given.values("translation")
    return ResizeSpec.of("tensorflow", *arguments, given.size("size"), scale), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    size, translation = code(lengths(spec, image)), spec.unusual.get("translation")
    if (translation is None) != (spec.scale is None):
        raise UnsupportedError("tf.image.resize takes a size, ScaleAndTranslate a scale and a translation")
    if translation is None:
        flags = {"preserve_aspect_ratio": True} if spec.unusual.get("preserve_aspect_ratio") else {}
        return call_text("tf.image.resize", image, size, method=spec.method, **antialias(spec), **flags)
    return call_text(
        "tf.raw_ops.ScaleAndTranslate",
        images=Code(image),
        size=size,
        scale=spec.scale,
        translation=translation if isinstance(translation, tuple) else (translation,) * 2,
        kernel_type={method: kernel for kernel, method in KERNELS.items()}.get(spec.method, spec.method),
        antialias=spec.antialias,
    )


_CALLS = ("tf.image.resize", "tensorflow.image.resize", "tf.raw_ops.ScaleAndTranslate")
TENSORFLOW = Syntax("tf", "TensorFlow", "tensorflow", _CALLS, _read, _write, "NHWC", aliases=("tf2",))
