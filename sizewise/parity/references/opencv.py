"""OpenCV: cv2.resize on one thread, without Intel's IPP, which changes its last bits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from ...dialects import Request
from ..reference import Array, Reference


@cache
def _opencv() -> Any:
    import cv2

    cv2.ipp.setUseIPP(False)
    cv2.setNumThreads(1)
    return cv2


def _resize(x: Array, request: Request) -> Array:
    cv2 = _opencv()
    words: dict[str, Any] = {"dsize": request.output_size[::-1]}
    if request.scale is not None:
        fy, fx = request.scale
        words = {"dsize": None, "fx": fx, "fy": fy}
    resized: Array = cv2.resize(x, interpolation=getattr(cv2, f"INTER_{request.method.upper()}"), **words)
    return resized.reshape(*request.output_size, x.shape[2])


_NEWER = Reference(
    dialect="opencv",
    module="cv2",
    package="opencv-python",
    resize=_resize,
    # OpenCV's weights are float32 for images of float64, too, and its cubic is good to some 1e-6.
    ulp={"nearest": 0, "nearest_exact": 0, "linear": 4, "linear_exact": 4, "cubic": 24, "area": 2, "lanczos4": 12},
    whole=("linear", "linear_exact", "cubic", "area", "lanczos4"),
    since=5,
)

REFERENCES = (_NEWER, replace(_NEWER, dialect="opencv@4", since=4, before=5))
