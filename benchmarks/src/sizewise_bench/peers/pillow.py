"""Pillow, or pillow-simd if that is installed as PIL: one image at a time, on one thread, no gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "Pillow", "PIL"
SIMD = "pillow-simd"
_FILTERS = {"bilinear": "BILINEAR", "bicubic": "BICUBIC", "lanczos3": "LANCZOS"}


def version() -> str:
    """Return the version of PIL."""
    import PIL

    return str(PIL.__version__)


def name_of(version: str) -> str:
    """Return which of the two a version is of: pillow-simd's releases have Pillow's number and a suffix.

    >>> name_of("13.0.0"), name_of("12.1.1.post0")
    ('Pillow', 'pillow-simd')
    """
    return SIMD if ".post" in version else NAME


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return Pillow for uint8 of one or three channels, and float32 of one."""
    from PIL import Image

    is_uint8 = case.dtype == "uint8" and case.shape[3] in (1, 3)
    is_float32 = case.dtype == "float32" and case.shape[3] == 1
    is_supported = case.layout == "NHWC" and case.antialias and case.method in _FILTERS
    if case.gradient or not is_supported or not (is_uint8 or is_float32):
        return []
    flag = getattr(Image.Resampling, _FILTERS[case.method])
    images = [Image.fromarray(image[..., 0] if case.shape[3] == 1 else image) for image in source]
    size = case.size[::-1]

    def call() -> list[Any]:
        return [image.resize(size, flag) for image in images]

    def to_array(results: list[Any]) -> Array:
        return np.stack([np.asarray(result) for result in results]).reshape(case.result_shape)

    name = name_of(version())
    # pillow-simd has fewer bits in its weights, so other uint8 results.
    same = is_float32 or (case.dialect == "pillow" and name == NAME)
    return [from_call(name, call, to_array, same_pixels=same and case.dialect in ("standard", "pillow"))]
