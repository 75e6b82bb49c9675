"""TensorFlow 2: tf.image.resize, and tf.raw_ops.ScaleAndTranslate behind it."""

from __future__ import annotations

import ast

from .... import dialects
from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import Factor, ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Code, Syntax, call_text, code, lengths, read_lengths
from .torch import numbers

_PARAMETERS = ("images", "size", "method", "preserve_aspect_ratio", "antialias", "name")
_PLACED = ("images", "size", "scale", "translation", "kernel_type", "antialias", "name")
_KERNELS = {"triangle": "bilinear", "keyscubic": "bicubic"}  # ScaleAndTranslate's own names
_NAMES = {method.upper(): method for method in dialects.get("tensorflow").methods}


def shape(image: str) -> list[str]:
    """Return the code of height and width, for channels last."""
    return [f"{image}.shape[-3]", f"{image}.shape[-2]"]


def first_argument(bound: dict[str, ast.expr], name: str, call: Call) -> str:
    """Return the code of the images."""
    if name not in bound and not call.image:
        raise ArgumentError(f"{call.name} needs {name} as its first argument")
    return ast.unparse(bound[name]) if name in bound else call.image


def size_of(bound: dict[str, ast.expr], image: str, call: Call) -> tuple[int | Factor, ...]:
    """Return the argument `size`, (height, width)."""
    if "size" not in bound:
        raise ArgumentError(f"{call.name} needs a size, (height, width)")
    return read_lengths(entries(bound["size"], "size", 2), "size", shape(image))


def _read(call: Call) -> tuple[ResizeSpec, str]:
    if call.name.endswith("ScaleAndTranslate"):
        return _read_placed(call)
    bound = call.bind(_PARAMETERS)
    image = first_argument(bound, "images", call)
    size = size_of(bound, image, call)
    method = literal(bound["method"], "method", _NAMES) if "method" in bound else "bilinear"
    flags = {name: bool(literal(bound[name], name)) for name in _PARAMETERS[3:5] if name in bound}
    smooth = flags.pop("antialias", False) and method not in ("nearest", "area")
    return ResizeSpec.of("tensorflow", method, smooth, flags, size=size), image


def _read_placed(call: Call) -> tuple[ResizeSpec, str]:
    bound = call.bind(_PLACED)
    image = first_argument(bound, "images", call)
    size = size_of(bound, image, call)
    if not {"scale", "translation"} <= set(bound):
        raise ArgumentError(f"{call.name} needs a scale and a translation")
    kernel = literal(bound["kernel_type"], "kernel_type") if "kernel_type" in bound else "lanczos3"
    antialias = literal(bound["antialias"], "antialias") if "antialias" in bound else True
    translation = literal(bound["translation"], "translation")
    scale = numbers(entries(bound["scale"], "scale", 2), "scale")
    method, options = _KERNELS.get(str(kernel), kernel), {"translation": translation}
    return ResizeSpec.of("tensorflow", method, antialias, options, size=size, scale=scale), image


def _write(spec: ResizeSpec, image: str) -> str:
    size = code(lengths(spec, shape(image)))
    translation = spec.unusual.get("translation")
    if translation is not None:
        names = {method: kernel for kernel, method in _KERNELS.items()}
        each = translation if isinstance(translation, tuple) else (translation,) * 2
        scale = spec.scale
        if scale is None:
            raise UnsupportedError("ScaleAndTranslate needs a scale")
        return call_text(
            "tf.raw_ops.ScaleAndTranslate",
            images=Code(image),
            size=size,
            scale=scale,
            translation=tuple(each),
            kernel_type=names.get(spec.method, spec.method),
            antialias=spec.antialias,
        )
    if spec.scale is not None:
        raise UnsupportedError("tf.image.resize takes a size, not a scale")
    flags: dict[str, object] = {"antialias": True} if spec.antialias else {}
    if spec.unusual.get("preserve_aspect_ratio"):
        flags["preserve_aspect_ratio"] = True
    return call_text("tf.image.resize", image, size, method=spec.method, **flags)


SYNTAXES = (
    Syntax(
        name="tf",
        title="TensorFlow",
        dialect="tensorflow",
        aliases=("tf2",),
        names=("tf.image.resize", "tensorflow.image.resize", "tf.raw_ops.ScaleAndTranslate"),
        read=_read,
        write=_write,
        layout="NHWC",
    ),
)
