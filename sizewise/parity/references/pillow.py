"""Pillow: Image.resize of modes L, RGB and CMYK (uint8), I (int32) and F (float32)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialects import Request
from ..reference import Array, Reference

_MODES = {3: "RGB", 4: "CMYK"}  # not RGBA: Pillow would premultiply it


def _images(x: Array) -> list[Any]:
    """Return one image of all bands where Pillow has a mode for them, else one per band."""
    from PIL import Image

    bands = x.shape[2]
    if x.dtype == np.uint8 and bands in _MODES:
        return [Image.fromarray(x, _MODES[bands])]
    return [Image.fromarray(np.ascontiguousarray(x[:, :, band])) for band in range(bands)]


def _resize(x: Array, request: Request) -> Array:
    from PIL import Image

    height, width = request.output_size
    arguments: dict[str, Any] = {"box": request.option("box"), "reducing_gap": request.option("reducing_gap")}
    method = getattr(Image.Resampling, request.method.upper())
    resized = [np.asarray(image.resize((width, height), method, **arguments)) for image in _images(x)]
    return np.concatenate([image.reshape(height, width, -1) for image in resized], axis=2)


REFERENCES = (
    Reference("pillow", "PIL", _resize, since=13),
    Reference("pillow@12", "PIL", _resize, before=13),
)
