"""Pillow: Image.resize, whose size is (width, height)."""

from __future__ import annotations

from .... import dialects
from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import Syntax, call_text, code, lengths

_NAMES = {method.upper(): method for method in dialects.get("pillow").methods}
_NUMBERS = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")


def _lengths(image: str) -> tuple[str, str]:
    return f"{image}.height", f"{image}.width"


def _read(call: Call) -> tuple[ResizeSpec, str]:
    given = call.bind(("size", "resample", "box", "reducing_gap"), default=call.name.rpartition(".")[0])
    size = given.size("size", of=_lengths(given.image), swapped=True)
    method = given.value("resample", "bicubic", _NAMES)
    if isinstance(method, int) and 0 <= method < len(_NUMBERS):
        method = _NUMBERS[method]
    options = given.values("box", "reducing_gap")
    return ResizeSpec.of("pillow", method, options=options, size=size), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    if not image.replace(".", "").isidentifier():
        image = "image"
    size = code(lengths(spec, image, of=_lengths(image))[::-1])
    return call_text(f"{image}.resize", size, f"Image.Resampling.{spec.method.upper()}", **spec.unusual)


_NOTE = "Pillow takes (width, height), and an image: Image.fromarray(array)."
_LAYOUT = "an image of PIL"
PILLOW = Syntax("pillow", "Pillow", "pillow", ("Image.resize",), _read, _write, _LAYOUT, ("pil",), note=_NOTE)
