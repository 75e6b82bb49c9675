"""TensorFlow Lite: its operators with their options, written and not read."""

from __future__ import annotations

from ....resize_spec import ResizeSpec
from ..syntax import FLAGS, Syntax

_OPS = {"bilinear": "RESIZE_BILINEAR", "nearest": "RESIZE_NEAREST_NEIGHBOR"}


def _write(spec: ResizeSpec, image: str) -> str:
    return " ".join([_OPS[spec.method], *(f"{name}={value}" for name, value in spec.unusual.items())])


TFLITE = Syntax("tflite", "LiteRT", "tflite", names=(), read=None, write=_write, layout="NHWC", choices={"": FLAGS})
