"""Pillow, or pillow-simd where that is what is installed as PIL: one image at a time, on one thread, no gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..entrant import Entrant, of_call

NAME, PACKAGE = "Pillow", "PIL"
SIMD = "pillow-simd"
_FILTERS = {"bilinear": "BILINEAR", "bicubic": "BICUBIC", "lanczos3": "LANCZOS"}


def version() -> str:
    """The version of what is installed as PIL."""
    import PIL

    return str(PIL.__version__)


def named(version: str) -> str:
    """Which of the two it is: pillow-simd numbers its releases as those of Pillow, with a suffix.

    >>> named("13.0.0"), named("12.1.1.post0")
    ('Pillow', 'pillow-simd')
    """
    return SIMD if ".post" in version else NAME


def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
    """Pillow on bytes of one or three channels, and on float32 of one."""
    from PIL import Image

    bytes_ = case.dtype == "uint8" and case.shape[3] in (1, 3)
    single = case.dtype == "float32" and case.shape[3] == 1
    usual = case.layout == "NHWC" and case.antialias and case.method in _FILTERS
    if case.gradient or not usual or not (bytes_ or single):
        return []
    flag = getattr(Image.Resampling, _FILTERS[case.method])
    images = [Image.fromarray(image[..., 0] if case.shape[3] == 1 else image) for image in source]
    size = case.size[::-1]

    def call() -> list[Any]:
        return [image.resize(size, flag) for image in images]

    def see(results: list[Any]) -> Array:
        return np.stack([np.asarray(result) for result in results]).reshape(case.result_shape)

    name = named(version())
    # pillow-simd has fewer bits in its weights: its bytes are its own.
    same = single or (case.dialect == "pillow" and name == NAME)
    return [of_call(name, call, see, same=same and case.dialect in ("standard", "pillow"))]
