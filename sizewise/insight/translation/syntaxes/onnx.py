"""ONNX: Resize with its inputs and attributes as keywords, as in sizewise.compat.onnx.resize."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from .... import dialects
from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, read_lengths
from .torch import numbers, shape

_INPUTS = ("X", "roi", "scales", "sizes")
_OPTIONS = tuple(name for name in dialects.get("onnx").options if name != "roi")
_MODES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")


def _reader(dialect: str) -> Callable[[Call], tuple[ResizeSpec, str]]:
    def read(call: Call) -> tuple[ResizeSpec, str]:
        bound = call.bind((*_INPUTS, "mode", "antialias", "axes", *_OPTIONS))
        bound = {name: node for name, node in bound.items() if ast.unparse(node) not in ("None", "''")}
        image = ast.unparse(bound["X"]) if "X" in bound else "X"
        if ("sizes" in bound) == ("scales" in bound):
            raise ArgumentError("Resize needs sizes or scales, not both")
        options = {name: literal(bound[name], name) for name in (*_OPTIONS, "roi") if name in bound}
        word = "sizes" if "sizes" in bound else "scales"
        nodes = entries(bound[word], word)
        if "axes" not in bound:
            nodes = nodes[2:]  # without those of batch and channels
            if "roi" in options:
                raise ArgumentError("roi for every axis is not supported; give axes=(2, 3), and roi for these")
        if not nodes:
            raise ArgumentError(f"{word} has no entry for height and width; give four, or two with axes=(2, 3)")
        mode = literal(bound["mode"], "mode") if "mode" in bound else "nearest"
        smooth = bool(literal(bound["antialias"], "antialias")) if "antialias" in bound else False
        if word == "scales":
            return ResizeSpec.of(dialect, mode, smooth, options, scale=numbers(nodes, word)), image
        size = read_lengths(nodes, word, shape(image, len(nodes)))
        return ResizeSpec.of(dialect, mode, smooth, options, size=size), image

    return read


def _write(spec: ResizeSpec, image: str) -> str:
    keywords: dict[str, object] = {}
    if spec.scale is None:
        keywords["sizes"] = code(lengths(spec, shape(image, spec.axes)))
    else:
        keywords["scales"] = spec.scale
    keywords |= {"axes": tuple(range(2, 2 + spec.axes)), "mode": spec.method}
    keywords["coordinate_transformation_mode"] = dict(spec.options)["coordinate_transformation_mode"]
    if spec.antialias:
        keywords["antialias"] = 1
    if spec.method == "nearest":
        keywords["nearest_mode"] = dict(spec.options)["nearest_mode"]
    if spec.method == "cubic":
        keywords["cubic_coeff_a"] = dict(spec.options)["cubic_coeff_a"]
    options = {name: int(value) if isinstance(value, bool) else value for name, value in spec.unusual.items()}
    others = {name: value for name, value in options.items() if name not in ("nearest_mode", "cubic_coeff_a")}
    return call_text("Resize", image, **{**keywords, **others})


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
