"""JAX: jax.image.resize, whose shape has every axis, and jax.image.scale_and_translate."""

from __future__ import annotations

import ast

from .... import dialects
from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Code, Syntax, call_text, code, lengths

_RESIZE = ("image", "shape", "method", "antialias", "precision")
_PLACED = ("image", "shape", "spatial_dims", "scale", "translation", "method", "antialias", "precision")
_NAMES = {method.upper().replace("-", "_"): method for method in dialects.get("jax").methods}
_AXES = {2: (0, 1), 3: (0, 1), 4: (1, 2)}  # axes of height and width: channels last


def _read(call: Call) -> tuple[ResizeSpec, str]:
    placed = call.name.endswith("scale_and_translate")
    given = call.bind(_PLACED if placed else _RESIZE, "image")
    given.require("shape", "method", *(_PLACED[2:5] if placed else ()))
    method = given.value("method", constants=_NAMES)
    flags = dialects.get("jax").methods[dialects.get("jax").resolve_method(method)]
    smooth = bool(given.value("antialias", True)) if len(flags) == 2 else flags[0]
    size = given.lengths(_resized(given.entries("shape")), "shape")
    if not placed:
        return ResizeSpec.of("jax", method, smooth, size=size), given.image
    scale = given.scale(given.entries("scale", len(size)), "scale")
    return ResizeSpec.of("jax", method, smooth, given.values("translation"), size, scale), given.image


def _resized(shape: list[ast.expr]) -> list[ast.expr]:
    """Return the entries of resized axes: all but batch and channels, which may be the image's own."""
    if shape and isinstance(shape[0], ast.Starred):
        return shape[1:-1]
    if len(shape) not in _AXES:
        raise ArgumentError(f"shape has {len(shape)} entries; write that of an HWC or NHWC image, or of a 2-D array")
    return [shape[axis] for axis in _AXES[len(shape)]]


def _write(spec: ResizeSpec, image: str) -> str:
    count, translation = spec.axes, spec.unusual.get("translation")
    shape = code([f"*{image}.shape[:{-1 - count}]", *lengths(spec, image), f"{image}.shape[-1]"])
    flags = {} if len(dialects.get("jax").methods[spec.method]) == 1 else {"antialias": spec.antialias}
    if (translation is None) != (spec.scale is None):
        raise UnsupportedError("jax.image.resize takes a shape, scale_and_translate a scale and a translation")
    if translation is None or spec.scale is None:
        return call_text("jax.image.resize", image, shape, method=spec.method, **flags)
    each = translation if isinstance(translation, tuple) else (translation,) * count
    arrays = {"scale": Code(f"jnp.array({list(spec.scale)})"), "translation": Code(f"jnp.array({list(each)})")}
    axes = code([f"{image}.ndim - {count + 1 - axis}" for axis in range(count)])
    return call_text("jax.image.scale_and_translate", image, shape, axes, **arrays, method=spec.method, **flags)


_CALLS = ("jax.image.resize", "jax.image.scale_and_translate")
JAX = Syntax("jax", "JAX", "jax", _CALLS, _read, _write, "NHWC", counts=(1, 2, 3))
