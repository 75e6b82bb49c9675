"""TF.js: tf.image.resizeBilinear and tf.image.resizeNearestNeighbor, in JavaScript."""

from __future__ import annotations

from collections.abc import Mapping

from ....errors import ArgumentError
from ....resize_spec import ResizeSpec
from ..parse_call import Call, entries, literal
from ..syntax import Syntax, code, lengths, read_lengths
from .tensorflow import first_argument

_OPS = {"bilinear": "resizeBilinear", "nearest": "resizeNearestNeighbor"}
_PARAMETERS = ("images", "size", "alignCorners", "halfPixelCenters")


def _shape(image: str) -> list[str]:
    return [f"{image}.shape[1]", f"{image}.shape[2]"]


def _read(call: Call) -> tuple[ResizeSpec, str]:
    bound = call.bind(_PARAMETERS)
    image = first_argument(bound, "images", call)
    method = next(method for method, op in _OPS.items() if call.name.endswith(op))
    flags = [bool(literal(bound[name], name)) if name in bound else False for name in _PARAMETERS[2:]]
    options = dict(zip(("align_corners", "half_pixel_centers"), flags, strict=True))
    if "size" not in bound:
        raise ArgumentError(f"{call.name} needs a size, [height, width]")
    size = read_lengths(entries(bound["size"], "size", 2), "size", _shape(image))
    return ResizeSpec.of("tfjs", method, options=options, size=size), image


def _write(spec: ResizeSpec, image: str) -> str:
    size = code(lengths(spec, _shape(image), "Math.floor"), "[]")
    flags = [str(bool(value)).lower() for _, value in spec.options]
    return f"tf.image.{_OPS[spec.method]}({image}, {size}, {', '.join(flags)})"


def _choices(method: str) -> Mapping[str, tuple[object, ...]]:
    return {"align_corners": (False, True), "half_pixel_centers": (False, True)}


SYNTAXES = (
    Syntax(
        name="tfjs",
        title="TF.js",
        dialect="tfjs",
        aliases=("tensorflow.js",),
        names=tuple(f"tf.image.{op}" for op in _OPS.values()),
        read=_read,
        write=_write,
        layout="NHWC",
        choices=_choices,
        note="The flags are alignCorners and halfPixelCenters.",
    ),
)
