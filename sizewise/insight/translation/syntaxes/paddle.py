"""Paddle: paddle.nn.functional.interpolate and paddle.nn.Upsample."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ....errors import ArgumentError, UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, literal
from ..syntax import Syntax, call_text, code, lengths
from .torch import shape, sizes

_LAYER = ("size", "scale_factor", "mode", "align_corners", "align_mode", "data_format", "name", "antialias")
_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}


def _read(call: Call) -> tuple[ResizeSpec, str]:
    bound = call.bind(_LAYER if call.name.endswith("Upsample") else ("x", *_LAYER))
    image = ast.unparse(bound.pop("x")) if "x" in bound else call.image or "x"
    given = {name: literal(node, name) for name, node in bound.items() if name not in ("size", "scale_factor")}
    if given.get("data_format", "NCHW") not in ("NCHW", "NCW", "NCDHW", ""):
        raise ArgumentError(f"data_format is {given['data_format']!r}; only channels first are supported: NCHW")
    mode = given.get("mode", "nearest")
    options = {"align_corners": bool(given.get("align_corners")), "align_mode": given.get("align_mode", 0)}
    return ResizeSpec.of("paddle", mode, given.get("antialias", False), options, **sizes(bound, image, mode)), image


def _write(spec: ResizeSpec, image: str) -> str:
    if spec.axes != 2 and (spec.antialias or spec.method == "bicubic"):
        raise UnsupportedError(f"{spec.method} is for two axes here, not {spec.axes}")
    if spec.method == "area" and spec.scale is not None:
        raise UnsupportedError("area takes a size here, not a scale")
    keywords: dict[str, object] = {}
    if spec.scale is None:
        keywords["size"] = code(lengths(spec, shape(image, spec.axes)), "[]")
    else:
        keywords["scale_factor"] = list(spec.scale)
    keywords["mode"] = _MODES.get((spec.method, spec.axes), spec.method)
    keywords |= spec.unusual
    if spec.antialias:
        keywords["antialias"] = True
    return call_text("paddle.nn.functional.interpolate", image, **keywords)


def _choices(method: str) -> Mapping[str, tuple[object, ...]]:
    if method == "bilinear":
        return {"align_corners": (False, True), "align_mode": (0, 1)}
    return {"align_corners": (False, True)} if method == "bicubic" else {}


SYNTAXES = (
    Syntax(
        name="paddle",
        title="Paddle",
        dialect="paddle",
        aliases=("paddlepaddle",),
        names=("paddle.nn.functional.interpolate", "paddle.nn.Upsample"),
        read=_read,
        write=_write,
        layout="NCHW",
        choices=_choices,
        counts=(1, 2, 3),
        scaled=True,
    ),
)
