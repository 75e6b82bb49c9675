"""Sizewise itself: sw.resize, in the words of any dialect."""

from __future__ import annotations

import ast

from .... import dialects
from ....errors import ArgumentError
from ..calls import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, plain, read_lengths
from ..words import Words, made
from .tensorflow import first
from .torch import numbers

_PARAMETERS = ("x", "size", "method")
_WORDS = ("scale", "antialias", "dialect", "axes", "out", "threads", "engine")


def _shape(image: str, count: int) -> list[str]:
    return [f"{image}.shape[{axis}]" for axis in range(-1 - count, -1)]


def _read(call: Call) -> Words:
    others = tuple(name for name, _ in call.keywords if name not in (*_PARAMETERS, *_WORDS))
    bound = call.bind((*_PARAMETERS, *_WORDS, *others))
    if len(call.arguments) > len(_PARAMETERS):
        raise ArgumentError("sw.resize takes three arguments without a name: x, size and method")
    image = first(bound, "x", call)
    bound = {name: node for name, node in bound.items() if ast.unparse(node) != "None"}
    given = {name: literal(bound[name], name) for name in ("method", "antialias", "dialect", *others) if name in bound}
    rest: dict[str, object] = {"image": image}
    count = len(entries(bound["axes"], "axes")) if "axes" in bound else 2
    if "size" in bound:
        nodes = entries(bound["size"], "size")
        rest["size"], count = read_lengths(nodes, "size", _shape(image, len(nodes))), len(nodes)
    if "scale" in bound:
        rest["scale"] = numbers(entries(bound["scale"], "scale", alone=count), "scale")
    if len(rest) == 1:
        raise ArgumentError("sw.resize needs a size or a scale")
    options = {name: given[name] for name in others if name in given}
    dialect = str(given.get("dialect", "standard"))
    return made(dialect, given.get("method", "bilinear"), given.get("antialias"), options, **rest)


def _write(words: Words) -> str:
    size = () if words.size is None else (code(lengths(words, _shape(words.image, words.count))),)
    keywords: dict[str, object] = {"method": words.method}
    if words.scale is not None:
        keywords["scale"] = plain(words.scale)
    if words.antialias != dialects.get(words.dialect).methods[words.method][0]:
        keywords["antialias"] = words.antialias
    return call_text("sw.resize", words.image, *size, **keywords, dialect=words.dialect, **words.said)


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
        note="axes are (-3, -2) by default, and (-2, -1) of PyTorch's tensors: channels as each has them.",
    ),
)
