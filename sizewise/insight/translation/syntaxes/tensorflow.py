"""TensorFlow 2: tf.image.resize, and tf.raw_ops.ScaleAndTranslate behind it."""

from __future__ import annotations

import ast

from .... import dialects
from ....errors import ArgumentError, UnsupportedError
from ..calls import Call, entries, literal
from ..syntax import Code, Syntax, call_text, code, lengths, read_lengths
from ..words import Words, made
from .torch import numbers

_PARAMETERS = ("images", "size", "method", "preserve_aspect_ratio", "antialias", "name")
_PLACED = ("images", "size", "scale", "translation", "kernel_type", "antialias", "name")
_KERNELS = {"triangle": "bilinear", "keyscubic": "bicubic"}  # ScaleAndTranslate's own names
_NAMES = {method.upper(): method for method in dialects.get("tensorflow").methods}


def shape(image: str) -> list[str]:
    """The height and width of images with channels last, in code."""
    return [f"{image}.shape[-3]", f"{image}.shape[-2]"]


def first(bound: dict[str, ast.expr], name: str, call: Call) -> str:
    """The code of the images."""
    if name not in bound and not call.image:
        raise ArgumentError(f"{call.name} needs {name}, the first of its arguments")
    return ast.unparse(bound[name]) if name in bound else call.image


def size_of(bound: dict[str, ast.expr], image: str, call: Call) -> tuple[object, ...]:
    """The argument `size`, (height, width)."""
    if "size" not in bound:
        raise ArgumentError(f"{call.name} needs a size, (height, width)")
    return read_lengths(entries(bound["size"], "size", 2), "size", shape(image))


def _read(call: Call) -> Words:
    if call.name.endswith("ScaleAndTranslate"):
        return _read_placed(call)
    bound = call.bind(_PARAMETERS)
    image = first(bound, "images", call)
    size = size_of(bound, image, call)
    method = literal(bound["method"], "method", _NAMES) if "method" in bound else "bilinear"
    flags = {name: bool(literal(bound[name], name)) for name in _PARAMETERS[3:5] if name in bound}
    smooth = flags.pop("antialias", False) and method not in ("nearest", "area")
    return made("tensorflow", method, smooth, flags, image=image, size=size)


def _read_placed(call: Call) -> Words:
    bound = call.bind(_PLACED)
    image = first(bound, "images", call)
    size = size_of(bound, image, call)
    if not {"scale", "translation"} <= set(bound):
        raise ArgumentError(f"{call.name} needs a scale and a translation")
    kernel = literal(bound["kernel_type"], "kernel_type") if "kernel_type" in bound else "lanczos3"
    antialias = literal(bound["antialias"], "antialias") if "antialias" in bound else True
    translation = literal(bound["translation"], "translation")
    scale = numbers(entries(bound["scale"], "scale", 2), "scale")
    method, options = _KERNELS.get(str(kernel), kernel), {"translation": translation}
    return made("tensorflow", method, antialias, options, image=image, size=size, scale=scale)


def _write(words: Words) -> str:
    size = code(lengths(words, shape(words.image)))
    translation = words.said.get("translation")
    if translation is not None:
        names = {method: kernel for kernel, method in _KERNELS.items()}
        each = translation if isinstance(translation, tuple) else (translation,) * 2
        scale = words.scale
        if scale is None:
            raise UnsupportedError("ScaleAndTranslate needs a scale")
        return call_text(
            "tf.raw_ops.ScaleAndTranslate",
            images=Code(words.image),
            size=size,
            scale=scale,
            translation=tuple(each),
            kernel_type=names.get(words.method, words.method),
            antialias=words.antialias,
        )
    if words.scale is not None:
        raise UnsupportedError("tf.image.resize takes a size, not a scale")
    flags: dict[str, object] = {"antialias": True} if words.antialias else {}
    if words.said.get("preserve_aspect_ratio"):
        flags["preserve_aspect_ratio"] = True
    return call_text("tf.image.resize", words.image, size, method=words.method, **flags)


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
