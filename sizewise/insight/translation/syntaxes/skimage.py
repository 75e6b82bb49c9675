"""scikit-image: skimage.transform.resize."""

from __future__ import annotations

from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Syntax, call_text, code, lengths

_OPTIONS = ("order", "mode", "cval", "clip", "preserve_range", "anti_aliasing", "anti_aliasing_sigma")
_METHODS = {0: "nearest", 1: "linear"}


def _read(call: Call) -> tuple[ResizeSpec, str]:
    given = call.bind(("image", "output_shape", *_OPTIONS), "image")
    values, order = given.values(*_OPTIONS), given.value("order", 1)
    if values.get("mode", "reflect") != "reflect" or "anti_aliasing_sigma" in values:
        raise ArgumentError("only mode='reflect' is supported, without anti_aliasing_sigma")
    if order not in _METHODS:
        raise ArgumentError(f"order is {order!r}; only 0 and 1 are supported: splines of higher order read every pixel")
    size = given.lengths(given.entries("output_shape")[:2], "output_shape", 0)
    return ResizeSpec.of("skimage", _METHODS[order], values.get("anti_aliasing", True), size=size), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    order = {method: order for order, method in _METHODS.items()}[spec.method]
    keywords = {"order": order, "mode": "reflect", "anti_aliasing": spec.antialias, "preserve_range": True}
    return call_text("skimage.transform.resize", image, code(lengths(spec, image, 0)), **keywords)


_CALLS = ("skimage.transform.resize", "transform.resize")
SKIMAGE = Syntax("skimage", "scikit-image", "skimage", _CALLS, _read, _write, "HWC", aliases=("scikit-image",))
