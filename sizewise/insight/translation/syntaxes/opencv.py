"""OpenCV: cv2.resize, whose size is (width, height)."""

from __future__ import annotations

import ast

from .... import dialects
from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Code, Syntax, call_text, code, lengths, plain

_NAMES = {f"INTER_{method.upper()}": method for method in dialects.get("opencv").methods}
_NUMBERS = ("nearest", "linear", "cubic", "area", "lanczos4", "linear_exact", "nearest_exact")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    given = call.bind(("src", "dsize", "dst", "fx", "fy", "interpolation"), "src")
    method = given.value("interpolation", "linear", _NAMES)
    if isinstance(method, int):
        if not 0 <= method < len(_NUMBERS):
            raise ArgumentError(f"interpolation is {method}; cv2.resize knows 0 to {len(_NUMBERS) - 1}")
        method = _NUMBERS[method]
    if "dsize" in given.nodes and ast.unparse(given.nodes["dsize"]) != "(0, 0)":
        return ResizeSpec.of("opencv", method, size=given.size("dsize", 0, swapped=True)), given.image
    if not {"fx", "fy"} <= set(given.nodes):
        raise ArgumentError("give dsize, (width, height), or fx and fy")
    scale = given.scale([given.nodes["fy"], given.nodes["fx"]], "fx and fy")
    return ResizeSpec.of("opencv", method, scale=scale), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    method = Code(f"cv2.INTER_{spec.method.upper()}")
    if spec.scale is not None:
        fy, fx = map(plain, spec.scale)
        return call_text("cv2.resize", image, "None", fx=fx, fy=fy, interpolation=method)
    return call_text("cv2.resize", image, code(lengths(spec, image, 0)[::-1]), interpolation=method)


_CALLS, _NOTE = ("cv2.resize", "cv.resize"), "cv2.resize takes (width, height)."
OPENCV = Syntax("cv2", "OpenCV", "opencv", _CALLS, _read, _write, "HWC", scaled=True, note=_NOTE)
