"""Pillow: Image.resize of modes L, RGB and CMYK (uint8), I (int32) and F (float32)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference

_MODES = {3: "RGB", 4: "CMYK"}  # not RGBA, which Pillow would premultiply


def _images(x: Array) -> list[Any]:
    """All bands as one image where Pillow has a mode for them, else an image of each band."""
    from PIL import Image

    bands = x.shape[2]
    if x.dtype == np.uint8 and bands in _MODES:
        return [Image.fromarray(x, _MODES[bands])]
    return [Image.fromarray(np.ascontiguousarray(x[:, :, band])) for band in range(bands)]


def _resize(x: Array, request: Request) -> Array:
    from PIL import Image

    height, width = request.output_size
    words: dict[str, Any] = {"box": request.option("box"), "reducing_gap": request.option("reducing_gap")}
    method = getattr(Image.Resampling, request.method.upper())
    resized = [np.asarray(image.resize((width, height), method, **words)) for image in _images(x)]
    return np.concatenate([image.reshape(height, width, -1) for image in resized], axis=2)


_OLDER = ("box", "bilinear", "hamming", "bicubic", "lanczos")
_NEWER = ("mks2013", "mks2021")

REFERENCES = (
    Reference(
        dialect="pillow",
        module="PIL",
        package="pillow",
        resize=_resize,
        # One sum of mks2021 in thousands rounds to the other of two neighbours.
        ulp={"nearest": 0, **dict.fromkeys(_OLDER, 0), "mks2013": 0, "mks2021": 1},
        whole=(*_OLDER, *_NEWER),
        since=13,
    ),
    Reference(
        dialect="pillow@12",
        module="PIL",
        package="pillow",
        resize=_resize,
        ulp={"nearest": 0, **dict.fromkeys(_OLDER, 0)},
        whole=_OLDER,
        before=13,
    ),
)
