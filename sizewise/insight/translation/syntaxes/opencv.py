"""OpenCV: cv2.resize, whose size is (width, height)."""

from __future__ import annotations

import ast

from .... import dialects
from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Code, Syntax, call_text, code, lengths, plain, read_lengths
from .torch import numbers

_PARAMETERS = ("src", "dsize", "dst", "fx", "fy", "interpolation")
_INTER = {f"INTER_{method.upper()}": method for method in dialects.get("opencv").methods}
_NUMBERS = ("nearest", "linear", "cubic", "area", "lanczos4", "linear_exact", "nearest_exact")


def _shape(image: str) -> list[str]:
    return [f"{image}.shape[0]", f"{image}.shape[1]"]


def _read(call: Call) -> tuple[ResizeSpec, str]:
    bound = call.bind(_PARAMETERS)
    if "src" not in bound:
        raise ArgumentError("cv2.resize needs an image: cv2.resize(x, (224, 224))")
    image = ast.unparse(bound["src"])
    given = literal(bound["interpolation"], "interpolation", _INTER) if "interpolation" in bound else "linear"
    method = given
    if isinstance(given, int):
        if not 0 <= given < len(_NUMBERS):
            raise ArgumentError(f"interpolation is {given}; cv2.resize knows 0 to {len(_NUMBERS) - 1}")
        method = _NUMBERS[given]
    dsize = bound.get("dsize")
    if dsize is not None and ast.unparse(dsize) not in ("None", "(0, 0)"):
        size = read_lengths(entries(dsize, "dsize", 2)[::-1], "dsize", _shape(image))
        return ResizeSpec.of("opencv", method, size=size), image
    if not {"fx", "fy"} <= set(bound):
        raise ArgumentError("give dsize, (width, height), or fx and fy")
    return ResizeSpec.of("opencv", method, scale=numbers([bound["fy"], bound["fx"]], "fx and fy")), image


def _write(spec: ResizeSpec, image: str) -> str:
    method = Code(f"cv2.INTER_{spec.method.upper()}")
    if spec.scale is not None:
        fy, fx = map(plain, spec.scale)
        return call_text("cv2.resize", image, "None", fx=fx, fy=fy, interpolation=method)
    size = code(lengths(spec, _shape(image))[::-1])
    return call_text("cv2.resize", image, size, interpolation=method)


SYNTAXES = (
    Syntax(
        name="cv2",
        title="OpenCV",
        dialect="opencv",
        names=("cv2.resize", "cv.resize"),
        read=_read,
        write=_write,
        layout="HWC",
        scaled=True,
        note="cv2.resize takes (width, height).",
    ),
)
