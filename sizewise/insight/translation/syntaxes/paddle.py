"""Paddle: paddle.nn.functional.interpolate and paddle.nn.Upsample."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ....errors import ArgumentError, UnsupportedError
from ..calls import Call, literal
from ..syntax import Syntax, call_text, code, lengths
from ..words import Words, made
from .torch import shape, sizes

_LAYER = ("size", "scale_factor", "mode", "align_corners", "align_mode", "data_format", "name", "antialias")
_MODES = {("bilinear", 1): "linear", ("bilinear", 3): "trilinear"}


def _read(call: Call) -> Words:
    bound = call.bind(_LAYER if call.name.endswith("Upsample") else ("x", *_LAYER))
    image = ast.unparse(bound.pop("x")) if "x" in bound else call.image or "x"
    words = {name: literal(node, name) for name, node in bound.items() if name not in ("size", "scale_factor")}
    if words.get("data_format", "NCHW") not in ("NCHW", "NCW", "NCDHW", ""):
        raise ArgumentError(f"data_format is {words['data_format']!r}; only channels first are read: NCHW")
    mode = words.get("mode", "nearest")
    options = {"align_corners": bool(words.get("align_corners")), "align_mode": words.get("align_mode", 0)}
    return made("paddle", mode, words.get("antialias", False), options, image=image, **sizes(bound, image, mode))


def _write(words: Words) -> str:
    if words.count != 2 and (words.antialias or words.method == "bicubic"):
        raise UnsupportedError(f"{words.method} is for two axes here, not {words.count}")
    if words.method == "area" and words.scale is not None:
        raise UnsupportedError("area takes a size here, not a scale")
    keywords: dict[str, object] = {}
    if words.scale is None:
        keywords["size"] = code(lengths(words, shape(words.image, words.count)), "[]")
    else:
        keywords["scale_factor"] = list(words.scale)
    keywords["mode"] = _MODES.get((words.method, words.count), words.method)
    keywords |= words.said
    if words.antialias:
        keywords["antialias"] = True
    return call_text("paddle.nn.functional.interpolate", words.image, **keywords)


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
