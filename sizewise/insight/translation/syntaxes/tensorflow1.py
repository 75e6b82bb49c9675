"""TensorFlow 1: tf.compat.v1.image.resize_bilinear and the other three, also as raw ops and as tf.image.resize_*."""

from __future__ import annotations

from collections.abc import Mapping

from ....resize_spec import ResizeSpec
from ..parse_call import Call, literal
from ..syntax import Syntax, call_text, code, lengths
from .tensorflow import first_argument, shape, size_of

_OPS = {
    "bilinear": ("resize_bilinear", "ResizeBilinear"),
    "nearest": ("resize_nearest_neighbor", "ResizeNearestNeighbor"),
    "bicubic": ("resize_bicubic", "ResizeBicubic"),
    "area": ("resize_area", "ResizeArea"),
}
_PARAMETERS = ("images", "size", "align_corners", "name", "half_pixel_centers")
_FLAGS = ("align_corners", "half_pixel_centers")


def _read(call: Call) -> tuple[ResizeSpec, str]:
    op = call.name.rpartition(".")[2]
    method = next(method for method, names in _OPS.items() if op in names)
    bound = call.bind(_PARAMETERS if method != "area" else _PARAMETERS[:4])
    image = first_argument(bound, "images", call)
    options = {name: bool(literal(bound[name], name)) for name in _FLAGS if name in bound}
    return ResizeSpec.of("tensorflow1", method, options=options, size=size_of(bound, image, call)), image


def _write(spec: ResizeSpec, image: str) -> str:
    size = code(lengths(spec, shape(image)))
    return call_text(f"tf.compat.v1.image.{_OPS[spec.method][0]}", image, size, **spec.unusual)


def choices(method: str) -> Mapping[str, tuple[object, ...]]:
    """Return the flags of an op."""
    flags: dict[str, tuple[object, ...]] = dict.fromkeys(_FLAGS, (False, True))
    return flags if method != "area" else {"align_corners": (False, True)}


SYNTAXES = (
    Syntax(
        name="tf1",
        title="TensorFlow 1",
        dialect="tensorflow1",
        names=tuple(
            f"{module}{op}"
            for ops in _OPS.values()
            for module, op in (("tf.compat.v1.image.", ops[0]), ("tf.image.", ops[0]), ("tf.raw_ops.", ops[1]))
        ),
        read=_read,
        write=_write,
        layout="NHWC",
        choices=choices,
    ),
)
