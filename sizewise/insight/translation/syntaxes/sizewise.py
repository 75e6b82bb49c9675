"""Sizewise itself: sw.resize, with the options of any dialect."""

from __future__ import annotations

from typing import Any

from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Syntax, call_text, code, lengths, plain

_PARAMETERS = ("x", "size", "method")
_KEYWORDS = ("scale", "antialias", "dialect", "axes", "layout", "out", "threads", "engine")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    others = tuple(name for name, _ in call.keywords if name not in (*_PARAMETERS, *_KEYWORDS))
    given = call.bind((*_PARAMETERS, *_KEYWORDS, *others), "x")
    if len(call.arguments) > len(_PARAMETERS):
        raise ArgumentError("sw.resize takes three positional arguments: x, size and method")
    rest: dict[str, Any] = {}
    count = len(given.entries("axes")) if "axes" in given.nodes else len({*given.value("layout", "HW")} - {*"NC"})
    if "size" in given.nodes:
        rest["size"] = given.lengths(given.entries("size"), "size")
        count = len(rest["size"])
    if "scale" in given.nodes:
        rest["scale"] = given.scale(given.entries("scale", alone=count), "scale")
    if not rest:
        raise ArgumentError("sw.resize needs a size or a scale")
    dialect, method = str(given.value("dialect", "standard")), given.value("method", "bilinear")
    return ResizeSpec.of(dialect, method, given.value("antialias"), given.values(*others), **rest), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    size = () if spec.size is None else (code(lengths(spec, image)),)
    scale = {} if spec.scale is None else {"scale": plain(spec.scale)}
    keywords = {"method": spec.method, **scale, "dialect": spec.dialect, **spec.arguments}
    return call_text("sw.resize", image, *size, **keywords)


SIZEWISE = Syntax(
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
)
