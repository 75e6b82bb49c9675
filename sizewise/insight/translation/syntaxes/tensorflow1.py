"""TensorFlow 1: tf.compat.v1.image.resize_bilinear and the other three, also as raw ops and as tf.image.resize_*."""

from __future__ import annotations

from ....resize_spec import ResizeSpec
from ..parse_call import Call
from ..syntax import CORNERS, FLAGS, Choices, Syntax, call_text, code, lengths

OPS = {
    "bilinear": ("resize_bilinear", "ResizeBilinear"),
    "nearest": ("resize_nearest_neighbor", "ResizeNearestNeighbor"),
    "bicubic": ("resize_bicubic", "ResizeBicubic"),
    "area": ("resize_area", "ResizeArea"),
}
_PARAMETERS = ("images", "size", "align_corners", "name", "half_pixel_centers")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    op = call.name.rpartition(".")[2]
    method = next(method for method, names in OPS.items() if op in names)
    given = call.bind(_PARAMETERS if method != "area" else _PARAMETERS[:4], "images")
    return ResizeSpec.of("tensorflow1", method, options=given.flags(*FLAGS), size=given.size("size")), given.image


def _write(spec: ResizeSpec, image: str) -> str:
    return call_text(f"tf.compat.v1.image.{OPS[spec.method][0]}", image, code(lengths(spec, image)), **spec.unusual)


_CALLS = tuple(
    f"{module}{op}"
    for python, raw in OPS.values()
    for module, op in (("tf.compat.v1.image.", python), ("tf.image.", python), ("tf.raw_ops.", raw))
)
_CHOICES: Choices = {"": FLAGS, "area": CORNERS}
TENSORFLOW1 = Syntax("tf1", "TensorFlow 1", "tensorflow1", _CALLS, _read, _write, "NHWC", choices=_CHOICES)
