"""Pictures of images for a page, and where two images differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .png import HeatPicture, png_uri

MAX_SIDE = 1024  # pixels of an image in a page
_MAX_CELLS = 160  # a side of a map


def to_uint8(pixels: NDArray, low: float, value_range: float) -> NDArray[np.uint8]:
    """Return pixels of any dtype, channels last, for a screen: 8 bits, and 1, 3 or 4 channels.

    >>> to_uint8(np.array([[[0.0], [0.5]]]), 0.0, 1.0).tolist()
    [[0, 128]]
    """
    if pixels.dtype != np.uint8:
        pixels = np.rint(np.clip((pixels.astype(np.float64) - low) / value_range, 0, 1) * 255).astype(np.uint8)
    channels = pixels.shape[-1]
    if channels == 2:  # gray and alpha
        return np.concatenate([np.repeat(pixels[..., :1], 3, axis=-1), pixels[..., 1:]], axis=-1)
    return pixels if channels in (3, 4) else pixels[..., 0]


def image_uri(pixels: NDArray[np.uint8]) -> str:
    """Return an image as a `data:` URI; one with a side above `MAX_SIDE` is averaged down."""
    factor = -(-max(pixels.shape[:2]) // MAX_SIDE)
    return png_uri(np.asarray(Image.fromarray(np.ascontiguousarray(pixels)).reduce(factor)))


def difference_map(apart: NDArray, peak: float, description: str) -> HeatPicture:
    """Return the map of the difference of each pixel, or of the largest of each block where there are many.

    >>> difference_map(np.eye(320), 1.0, "where they differ").what
    'largest difference of 2x2 pixels'
    """
    block = max(-(-n // _MAX_CELLS) for n in apart.shape)
    rows, columns = (np.arange(0, n, block) for n in apart.shape)
    largest = np.maximum.reduceat(np.maximum.reduceat(apart, rows, axis=0), columns, axis=1).astype(np.float64)
    what = "difference" if block == 1 else f"largest difference of {block}x{block} pixels"
    return HeatPicture(largest, peak, what, description, step=(block, block))
