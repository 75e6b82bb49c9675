"""TF.js: tf.image.resizeBilinear and tf.image.resizeNearestNeighbor, in JavaScript."""

from __future__ import annotations

from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import FLAGS, Syntax, code, lengths

_OPS = {"bilinear": "resizeBilinear", "nearest": "resizeNearestNeighbor"}


def _read(call: Call) -> tuple[ResizeSpec, str]:
    given = call.bind(("images", "size", "alignCorners", "halfPixelCenters"), "images")
    method = next(method for method, op in _OPS.items() if call.name.endswith(op))
    flags = bool(given.value("alignCorners")), bool(given.value("halfPixelCenters"))
    options = dict(zip(FLAGS, flags, strict=True))
    return ResizeSpec.of("tfjs", method, options=options, size=given.size("size", 1)), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    size = code(lengths(spec, image, 1, floor="Math.floor"), "[]")
    flags = [str(bool(value)).lower() for _, value in spec.options]
    return f"tf.image.{_OPS[spec.method]}({image}, {size}, {', '.join(flags)})"


_CALLS, _NOTE = tuple(f"tf.image.{op}" for op in _OPS.values()), "The flags are alignCorners and halfPixelCenters."
TFJS = Syntax("tfjs", "TF.js", "tfjs", _CALLS, _read, _write, "NHWC", ("tensorflow.js",), {"": FLAGS}, note=_NOTE)
