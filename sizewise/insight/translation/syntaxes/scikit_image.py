"""scikit-image: skimage.transform.resize."""

from __future__ import annotations

import ast

from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, read_lengths

_PARAMETERS = (
    *("image", "output_shape", "order", "mode", "cval", "clip", "preserve_range"),
    *("anti_aliasing", "anti_aliasing_sigma"),
)
_METHODS = {0: "nearest", 1: "linear"}


def _shape(image: str, count: int) -> list[str]:
    return [f"{image}.shape[{axis}]" for axis in range(count)]


def _read(call: Call) -> tuple[ResizeSpec, str]:
    bound = call.bind(_PARAMETERS)
    if not {"image", "output_shape"} <= set(bound):
        raise ArgumentError(f"{call.name} needs an image and an output_shape")
    image = ast.unparse(bound["image"])
    given = {name: literal(node, name) for name, node in bound.items() if name not in ("image", "output_shape")}
    order = given.get("order", 1)
    if given.get("mode", "reflect") != "reflect" or given.get("anti_aliasing_sigma") is not None:
        raise ArgumentError("only mode='reflect' is supported, without anti_aliasing_sigma")
    if order not in _METHODS:
        raise ArgumentError(f"order is {order!r}; only 0 and 1 are supported: splines of higher order read every pixel")
    method, smooth = _METHODS[order], given.get("anti_aliasing")
    nodes = entries(bound["output_shape"], "output_shape")[:2]
    size = read_lengths(nodes, "output_shape", _shape(image, len(nodes)))
    return ResizeSpec.of("skimage", method, True if smooth is None else smooth, size=size), image


def _write(spec: ResizeSpec, image: str) -> str:
    size = code(lengths(spec, _shape(image, spec.axes)))
    order = {method: order for order, method in _METHODS.items()}[spec.method]
    keywords = {"order": order, "mode": "reflect", "anti_aliasing": spec.antialias, "preserve_range": True}
    return call_text("skimage.transform.resize", image, size, **keywords)


SYNTAXES = (
    Syntax(
        name="skimage",
        title="scikit-image",
        dialect="skimage",
        aliases=("scikit-image",),
        names=("skimage.transform.resize", "transform.resize"),
        read=_read,
        write=_write,
        layout="HWC",
    ),
)
