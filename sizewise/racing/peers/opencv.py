"""OpenCV, image by image (plane by plane for NCHW). No gradients, and at most four channels.

Its only antialiasing is its area mode, a box filter: other pixels than ours, but for our own method "area".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Array, Case
from ..entrant import Entrant, of_call

NAME, PACKAGE = "OpenCV", "cv2"


def version() -> str:
    """OpenCV's version."""
    import cv2

    return str(cv2.__version__)


def enter(case: Case, source: Array, threads: int) -> list[Entrant]:
    """OpenCV, where it has the mode."""
    import cv2

    mode = _mode(case)
    planes = case.layout == "NCHW"
    known = mode is not None and case.is_open and not case.gradient and case.dtype != "float16"
    if mode is None or not known or (case.shape[3] > 4 and not planes):
        return []
    cv2.setNumThreads(threads)
    flag = getattr(cv2, mode)
    images = source.reshape(-1, *source.shape[2:]) if planes else source
    size = case.size[::-1]

    def call() -> list[Any]:
        return [cv2.resize(image, size, interpolation=flag) for image in images]

    def see(results: list[Any]) -> Array:
        return np.stack(results).reshape(case.result_shape)  # it drops a single channel

    name = "OpenCV area" if mode == "INTER_AREA" else NAME
    # It forms coordinates in float32 even for float64 images.
    return [of_call(name, call, see, same=_same(case, mode), tolerance=0.0 if case.dtype == "uint8" else 1e-4)]


def _mode(case: Case) -> str | None:
    """The interpolation that comes nearest to the case; None where there is none."""
    if case.method == "area" or (case.method == "bilinear" and case.antialias):
        return None if case.grows else "INTER_AREA"
    if case.antialias:
        return None
    return {"nearest": "INTER_NEAREST_EXACT", "bilinear": "INTER_LINEAR", "bicubic": "INTER_CUBIC"}.get(case.method)


def _same(case: Case, mode: str) -> bool:
    """Whether its pixels must equal ours: its cubic has a = -0.75, and its exact nearest breaks ties its own way.

    IPP, which it is raced with, changes some pixels of its uint8 cubic by 1.
    """
    if case.dialect == "opencv":
        return case.dtype != "uint8" or case.method != "bicubic"
    if case.dialect != "standard" or case.dtype == "uint8":
        return False
    return mode == "INTER_LINEAR" or (mode == "INTER_AREA" and case.method == "area")
