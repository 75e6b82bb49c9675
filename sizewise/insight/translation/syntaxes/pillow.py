"""Pillow: Image.resize, whose size is (width, height)."""

from __future__ import annotations

from .... import dialects
from ....errors import UnsupportedError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Syntax, call_text, code, lengths, read_lengths

_PARAMETERS = ("size", "resample", "box", "reducing_gap")
_NAMES = {method.upper(): method for method in dialects.get("pillow").methods}
_NUMBERS = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")


def _shape(image: str) -> list[str]:
    return [f"{image}.height", f"{image}.width"]


def _read(call: Call) -> tuple[ResizeSpec, str]:
    bound, image = call.bind(_PARAMETERS), call.name.rpartition(".")[0]
    if "size" not in bound:
        raise UnsupportedError(f"{call.name} needs a size, (width, height)")
    size = read_lengths(entries(bound["size"], "size", 2)[::-1], "size", _shape(image))
    method = literal(bound["resample"], "resample", _NAMES) if "resample" in bound else None
    if isinstance(method, int) and 0 <= method < len(_NUMBERS):
        method = _NUMBERS[method]
    options = {name: literal(bound[name], name) for name in _PARAMETERS[2:] if name in bound}
    return ResizeSpec.of("pillow", "bicubic" if method is None else method, options=options, size=size), image


def _write(spec: ResizeSpec, image: str) -> str:
    if not image.replace(".", "").isidentifier():
        image = "image"
    size = code(lengths(spec, _shape(image))[::-1])
    return call_text(f"{image}.resize", size, f"Image.Resampling.{spec.method.upper()}", **spec.unusual)


SYNTAXES = (
    Syntax(
        name="pillow",
        title="Pillow",
        dialect="pillow",
        aliases=("pil",),
        names=("Image.resize",),
        read=_read,
        write=_write,
        layout="an image of PIL",
        note="Pillow takes (width, height), and an image: Image.fromarray(array).",
    ),
)
