"""ONNX: Resize with its inputs and attributes as keywords, as sizewise.compat.onnx.resize takes them, too."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from .... import dialects
from ....errors import ArgumentError
from ..calls import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, read_lengths
from ..words import Words, made
from .torch import numbers, shape

_INPUTS = ("X", "roi", "scales", "sizes")
_OPTIONS = tuple(name for name in dialects.get("onnx").options if name != "roi")
_MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")


def _reader(dialect: str) -> Callable[[Call], Words]:
    def read(call: Call) -> Words:
        bound = call.bind((*_INPUTS, "mode", "antialias", "axes", *_OPTIONS))
        bound = {name: node for name, node in bound.items() if ast.unparse(node) not in ("None", "''")}
        image = ast.unparse(bound["X"]) if "X" in bound else "X"
        if ("sizes" in bound) == ("scales" in bound):
            raise ArgumentError("Resize needs sizes or scales, one of them")
        options = {name: literal(bound[name], name) for name in (*_OPTIONS, "roi") if name in bound}
        word = "sizes" if "sizes" in bound else "scales"
        nodes = entries(bound[word], word)
        if "axes" not in bound:
            nodes = nodes[2:]  # without those of batch and channels
            if "roi" in options:
                raise ArgumentError("roi of every axis is not read; give axes=(2, 3), and roi of these")
        if not nodes:
            raise ArgumentError(f"{word} has no entry for height and width; give four, or two with axes=(2, 3)")
        mode = literal(bound["mode"], "mode") if "mode" in bound else "nearest"
        smooth = bool(literal(bound["antialias"], "antialias")) if "antialias" in bound else False
        if word == "scales":
            return made(dialect, mode, smooth, options, image=image, scale=numbers(nodes, word))
        return made(
            dialect, mode, smooth, options, image=image, size=read_lengths(nodes, word, shape(image, len(nodes)))
        )

    return read


def _write(words: Words) -> str:
    keywords: dict[str, object] = {}
    if words.scale is None:
        keywords["sizes"] = code(lengths(words, shape(words.image, words.count)))
    else:
        keywords["scales"] = words.scale
    keywords |= {"axes": tuple(range(2, 2 + words.count)), "mode": words.method}
    keywords["coordinate_transformation_mode"] = dict(words.options)["coordinate_transformation_mode"]
    if words.antialias:
        keywords["antialias"] = 1
    if words.method == "nearest":
        keywords["nearest_mode"] = dict(words.options)["nearest_mode"]
    if words.method == "cubic":
        keywords["cubic_coeff_a"] = dict(words.options)["cubic_coeff_a"]
    said = {name: int(value) if isinstance(value, bool) else value for name, value in words.said.items()}
    others = {name: value for name, value in said.items() if name not in ("nearest_mode", "cubic_coeff_a")}
    return call_text("Resize", words.image, **{**keywords, **others})


def _choices(method: str) -> Mapping[str, tuple[object, ...]]:
    modes: dict[str, tuple[object, ...]] = {"coordinate_transformation_mode": _MODES}
    if method == "nearest":
        return {**modes, "nearest_mode": ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")}
    cut: dict[str, tuple[object, ...]] = {**modes, "exclude_outside": (False, True)}
    return {**cut, "cubic_coeff_a": (-0.75, -0.5)} if method == "cubic" else cut


def _syntax(name: str, title: str, names: tuple[str, ...]) -> Syntax:
    return Syntax(
        name=name,
        title=title,
        dialect=name,
        names=names,
        read=_reader(name),
        write=_write,
        layout="NCHW",
        choices=_choices,
        counts=(1, 2, 3),
        scaled=True,
        note="axes and antialias need opset 18, half_pixel_symmetric needs 19.",
    )


SYNTAXES = (
    _syntax("onnx", "ONNX (onnxruntime)", ("Resize", "op.Resize", "onnx.Resize", "onnx.resize")),
    _syntax("onnx-reference", "ONNX (reference)", ()),
)
