"""OpenCV: cv2.resize on one thread, without Intel's IPP, which changes the last bits."""

from __future__ import annotations

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
    arguments: dict[str, Any] = {"dsize": request.output_size[::-1]}
    if request.scale is not None:
        fy, fx = request.scale
        arguments = {"dsize": None, "fx": fx, "fy": fy}
    resized: Array = cv2.resize(x, interpolation=getattr(cv2, f"INTER_{request.method.upper()}"), **arguments)
    return resized.reshape(*request.output_size, x.shape[2])


REFERENCES = (
    Reference("opencv", "cv2", _resize, since=5),
    Reference("opencv@4", "cv2", _resize, since=4, before=5),
)
