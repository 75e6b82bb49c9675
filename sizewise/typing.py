"""Types of the public functions, for annotations, editors and type checkers.

Names are literals beside `str`, so that editors complete them: "BILINEAR" is a name, too.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, TypeVar

__all__ = ["ArrayT", "DialectName", "Engine", "MethodName"]
__dir__ = __all__.copy

ArrayT = TypeVar("ArrayT")  # an array of any library, or a Pillow image: results are of the same kind
Engine: TypeAlias = Literal["kernel", "framework"]
DialectName: TypeAlias = Literal[
    "jax", "matlab", "onnx", "onnx-reference", "opencv", "opencv@4", "paddle", "pillow", "pillow@12", "skimage",
    "standard", "tensorflow", "tensorflow1", "tfjs", "tflite", "torch",
]  # fmt: skip
MethodName: TypeAlias = Literal[
    "area", "bicubic", "bicubic-pytorch", "bilinear", "box", "cubic", "cubic-pytorch", "gaussian", "hamming",
    "lanczos", "lanczos2", "lanczos3", "lanczos4", "lanczos5", "linear", "linear_exact", "mitchell", "mitchellcubic",
    "mks2013", "mks2021", "nearest", "nearest-exact", "nearest_exact", "triangle", "tricubic", "trilinear",
]  # fmt: skip
