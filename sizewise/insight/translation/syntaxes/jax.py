"""JAX: jax.image.resize, whose shape has every axis, and jax.image.scale_and_translate."""

from __future__ import annotations

import ast

from .... import dialects
from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import Factor, ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Code, Syntax, call_text, code, lengths, read_lengths
from .torch import numbers

_RESIZE = ("image", "shape", "method", "antialias", "precision")
_PLACED = ("image", "shape", "spatial_dims", "scale", "translation", "method", "antialias", "precision")
_NAMES = {method.upper().replace("-", "_"): method for method in dialects.get("jax").methods}
_AXES = {2: (0, 1), 3: (0, 1), 4: (1, 2)}  # axes of height and width: channels last


def _shape(image: str, count: int) -> list[str]:
    return [f"{image}.shape[{axis}]" for axis in range(-1 - count, -1)]


def _read(call: Call) -> tuple[ResizeSpec, str]:
    placed = call.name.endswith("scale_and_translate")
    bound = call.bind(_PLACED if placed else _RESIZE)
    missing = {"image", "shape", "method", *(("spatial_dims", "scale", "translation") if placed else ())} - set(bound)
    if missing:
        raise ArgumentError(f"{call.name} needs {', '.join(sorted(missing))}")
    image, method = ast.unparse(bound["image"]), literal(bound["method"], "method", _NAMES)
    antialias = bool(literal(bound["antialias"], "antialias")) if "antialias" in bound else True
    flags = dialects.get("jax").methods[dialects.get("jax").resolve_method(method)]
    smooth = antialias if len(flags) == 2 else flags[0]
    size = _size(entries(bound["shape"], "shape"), image)
    if not placed:
        return ResizeSpec.of("jax", method, smooth, size=size), image
    scale = numbers(entries(bound["scale"], "scale", len(size)), "scale")
    options = {"translation": literal(bound["translation"], "translation")}
    return ResizeSpec.of("jax", method, smooth, options, size=size, scale=scale), image


def _size(nodes: list[ast.expr], image: str) -> tuple[int | Factor, ...]:
    """Return the resized lengths: all but those of batch and channels, which may be the image's own."""
    if nodes and isinstance(nodes[0], ast.Starred):
        inner = nodes[1:-1]
        return read_lengths(inner, "shape", _shape(image, len(inner)))
    if len(nodes) not in _AXES:
        raise ArgumentError(f"shape has {len(nodes)} entries; write that of an HWC or NHWC image, or of a 2-D array")
    axes = _AXES[len(nodes)]
    return read_lengths([nodes[axis] for axis in axes], "shape", _shape(image, 2))


def _write(spec: ResizeSpec, image: str) -> str:
    count = spec.axes
    inner = lengths(spec, _shape(image, count))
    shape = code([f"*{image}.shape[:{-1 - count}]", *inner, f"{image}.shape[-1]"])
    flags = {} if len(dialects.get("jax").methods[spec.method]) == 1 else {"antialias": spec.antialias}
    translation = spec.unusual.get("translation")
    if translation is None:
        if spec.scale is not None:
            raise UnsupportedError("jax.image.resize takes a shape, not a scale")
        return call_text("jax.image.resize", image, shape, method=spec.method, **flags)
    each = translation if isinstance(translation, tuple) else (translation,) * count
    if spec.scale is None:
        raise UnsupportedError("scale_and_translate needs a scale")
    where = code([f"{image}.ndim - {count + 1 - axis}" for axis in range(count)])
    return call_text(
        "jax.image.scale_and_translate",
        image,
        shape,
        where,
        scale=Code(f"jnp.array({list(spec.scale)})"),
        translation=Code(f"jnp.array({list(each)})"),
        method=spec.method,
        **flags,
    )


SYNTAXES = (
    Syntax(
        name="jax",
        title="JAX",
        dialect="jax",
        names=("jax.image.resize", "jax.image.scale_and_translate"),
        read=_read,
        write=_write,
        layout="NHWC",
        counts=(1, 2, 3),
    ),
)
