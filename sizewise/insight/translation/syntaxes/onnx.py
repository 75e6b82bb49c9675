"""ONNX: Resize with its inputs and attributes as keywords, as in sizewise.compat.onnx.resize."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial

from .... import dialects
from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Options, Syntax, call_text, code, lengths

_OPTIONS = tuple(name for name in dialects.get("onnx").options if name != "roi")
_MODES: Options = {
    "coordinate_transformation_mode": (
        *("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"),
    )
}
_ROUNDINGS: Options = {"nearest_mode": ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")}
# Options that are written even where they have their default, with their method.
_STATED = {"coordinate_transformation_mode": "all", "nearest_mode": "nearest", "cubic_coeff_a": "cubic"}
_FILTERED: Options = {**_MODES, "exclude_outside": (False, True)}


def _read(call: Call, dialect: str) -> tuple[ResizeSpec, str]:
    given = call.bind(("X", "roi", "scales", "sizes", "mode", "antialias", "axes", *_OPTIONS), "X", "X")
    given = replace(given, nodes={name: node for name, node in given.nodes.items() if ast.unparse(node) != "''"})
    if ("sizes" in given.nodes) == ("scales" in given.nodes):
        raise ArgumentError("Resize needs sizes or scales, not both")
    options = given.values(*_OPTIONS, "roi")
    name = "sizes" if "sizes" in given.nodes else "scales"
    nodes = given.entries(name)
    if "axes" not in given.nodes:
        nodes = nodes[2:]  # without those of batch and channels
        if "roi" in options:
            raise ArgumentError("roi for every axis is not supported; give axes=(2, 3), and roi for these")
    if not nodes:
        raise ArgumentError(f"{name} has no entry for height and width; give four, or two with axes=(2, 3)")
    mode, smooth = given.value("mode", "nearest"), bool(given.value("antialias"))
    if name == "scales":
        return ResizeSpec.of(dialect, mode, smooth, options, scale=given.scale(nodes, name)), given.image
    return ResizeSpec.of(dialect, mode, smooth, options, size=given.lengths(nodes, name, 2)), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    size = {"sizes": code(lengths(spec, image, 2))} if spec.scale is None else {"scales": spec.scale}
    keywords: dict[str, object] = {**size, "axes": tuple(range(2, 2 + spec.axes)), "mode": spec.method}
    keywords |= {"antialias": 1} if spec.antialias else {}
    for name, value in spec.options:
        if _STATED.get(name, spec.method if name in spec.unusual else "") in (spec.method, "all"):
            keywords[name] = int(value) if isinstance(value, bool) else value
    return call_text("Resize", image, **keywords)


def _syntax(name: str, title: str, names: tuple[str, ...]) -> Syntax:
    return Syntax(
        name=name,
        title=title,
        dialect=name,
        names=names,
        read=partial(_read, dialect=name),
        write=_write,
        layout="NCHW",
        choices={
            "nearest": {**_MODES, **_ROUNDINGS},
            "linear": _FILTERED,
            "cubic": {**_FILTERED, "cubic_coeff_a": (-0.75, -0.5)},
        },
        counts=(1, 2, 3),
        scaled=True,
        note="axes and antialias need opset 18, half_pixel_symmetric needs 19.",
    )


ONNX = _syntax("onnx", "ONNX (onnxruntime)", ("Resize", "op.Resize", "onnx.Resize", "onnx.resize"))
REFERENCE = _syntax("onnx-reference", "ONNX (reference)", ())
