"""OpenCV, image by image (plane by plane for NCHW): no gradients, at most four channels.

It antialiases only in its area mode, a box filter: the pixels are the same for the method "area" alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..contender import Contender, from_call

NAME, MODULE = "OpenCV", "cv2"


def version() -> str:
    """Return OpenCV's version."""
    import cv2

    return str(cv2.__version__)


def contenders(case: Case, source: Array, threads: int) -> list[Contender]:
    """Return OpenCV, if it has the interpolation."""
    import cv2

    mode = _mode(case)
    planes = case.layout == "NCHW"
    is_known = mode is not None and case.is_for_any_library and not case.gradient and case.dtype != "float16"
    if mode is None or not is_known or (case.shape[3] > 4 and not planes):
        return []
    cv2.setNumThreads(threads)
    flag = getattr(cv2, mode)
    images = source.reshape(-1, *source.shape[2:]) if planes else source
    size = case.size[::-1]

    def call() -> list[Any]:
        return [cv2.resize(image, size, interpolation=flag) for image in images]

    def to_array(results: list[Any]) -> Array:
        return np.stack(results).reshape(case.result_shape)  # a single channel is dropped

    name = "OpenCV area" if mode == "INTER_AREA" else NAME
    # Its coordinates are float32 even for float64 images.
    return [
        from_call(
            name,
            call,
            to_array,
            same_pixels=_has_same_pixels(case, mode),
            tolerance=0.0 if case.dtype == "uint8" else 1e-4,
        )
    ]


def _mode(case: Case) -> str | None:
    """Return the interpolation closest to the case; None if there is none."""
    if case.method == "area" or (case.method == "bilinear" and case.antialias):
        return None if case.grows else "INTER_AREA"
    if case.antialias:
        return None
    return {"nearest": "INTER_NEAREST_EXACT", "bilinear": "INTER_LINEAR", "bicubic": "INTER_CUBIC"}.get(case.method)


def _has_same_pixels(case: Case, mode: str) -> bool:
    """Return whether the pixels must be the same: its cubic has a = -0.75, its exact nearest breaks ties differently.

    IPP, which is enabled here, changes some pixels of its uint8 cubic by 1.
    """
    if case.dialect == "opencv":
        return case.dtype != "uint8" or case.method != "bicubic"
    if case.dialect != "standard" or case.dtype == "uint8":
        return False
    return mode == "INTER_LINEAR" or (mode == "INTER_AREA" and case.method == "area")
