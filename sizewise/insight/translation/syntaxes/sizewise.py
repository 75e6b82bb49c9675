"""Sizewise itself: sw.resize, with the options of any dialect."""

from __future__ import annotations

import ast
from typing import Any

from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, plain, read_lengths
from .tensorflow import first_argument
from .torch import numbers

_PARAMETERS = ("x", "size", "method")
_KEYWORDS = ("scale", "antialias", "dialect", "axes", "out", "threads", "engine")


def _shape(image: str, count: int) -> list[str]:
    return [f"{image}.shape[{axis}]" for axis in range(-1 - count, -1)]


def _read(call: Call) -> tuple[ResizeSpec, str]:
    others = tuple(name for name, _ in call.keywords if name not in (*_PARAMETERS, *_KEYWORDS))
    bound = call.bind((*_PARAMETERS, *_KEYWORDS, *others))
    if len(call.arguments) > len(_PARAMETERS):
        raise ArgumentError("sw.resize takes three positional arguments: x, size and method")
    image = first_argument(bound, "x", call)
    bound = {name: node for name, node in bound.items() if ast.unparse(node) != "None"}
    given = {name: literal(bound[name], name) for name in ("method", "antialias", "dialect", *others) if name in bound}
    rest: dict[str, Any] = {}
    count = len(entries(bound["axes"], "axes")) if "axes" in bound else 2
    if "size" in bound:
        nodes = entries(bound["size"], "size")
        rest["size"], count = read_lengths(nodes, "size", _shape(image, len(nodes))), len(nodes)
    if "scale" in bound:
        rest["scale"] = numbers(entries(bound["scale"], "scale", alone=count), "scale")
    if not rest:
        raise ArgumentError("sw.resize needs a size or a scale")
    options = {name: given[name] for name in others if name in given}
    dialect = str(given.get("dialect", "standard"))
    return ResizeSpec.of(dialect, given.get("method", "bilinear"), given.get("antialias"), options, **rest), image


def _write(spec: ResizeSpec, image: str) -> str:
    size = () if spec.size is None else (code(lengths(spec, _shape(image, spec.axes))),)
    keywords: dict[str, object] = {"method": spec.method}
    if spec.scale is not None:
        keywords["scale"] = plain(spec.scale)
    return call_text("sw.resize", image, *size, **keywords, dialect=spec.dialect, **spec.arguments)


SYNTAXES = (
    Syntax(
        name="sizewise",
        title="Sizewise",
        dialect="",
        aliases=("sw",),
        names=("sw.resize", "sizewise.resize"),
        read=_read,
        write=_write,
        layout="any, with axes=",
        counts=(1, 2, 3, 4, 5, 6),
        scaled=True,
        note="axes default to (-3, -2), and to (-2, -1) for PyTorch tensors, whose channels come first.",
    ),
)
