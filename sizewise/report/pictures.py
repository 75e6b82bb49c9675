"""Pictures inside a page, as `data:` URIs: images, and heat maps with their values."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .colormap import heat_colors

MAX_SIDE = 1024  # pixels of an image in a page
_MAX_CELLS = 160  # a side of a map


def png_uri(pixels: NDArray[np.uint8]) -> str:
    """Return pixels (rows, columns, perhaps 3 or 4 channels) as a `data:` URI."""
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def to_uint8(pixels: NDArray, low: float, value_range: float) -> NDArray[np.uint8]:
    """Return pixels of any dtype, channels last, for a screen: 8 bits, and 1, 3 or 4 channels."""
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


@dataclass(frozen=True)
class HeatPicture:
    """A heat map for a page, on a square-root scale from 0 to `peak`, and the values that the pointer shows.

    Entry (i, j) is the pixel at row i * step[0] and column j * step[1] of the image.
    """

    values: NDArray[np.floating]
    peak: float
    what: str
    description: str
    step: tuple[int, int] = (1, 1)
    row_name: str = "row"
    column_name: str = "column"

    @property
    def levels(self) -> NDArray[np.floating]:
        """The magnitudes on the scale, from 0 to 1."""
        levels: NDArray[np.floating] = np.sqrt(np.abs(self.values) / (self.peak or 1.0))
        return levels

    @property
    def is_flat(self) -> bool:
        """Whether all values are the same to rounding: a sentence says as much as the picture."""
        return float(np.ptp(self.values)) <= 1e-6 * self.peak

    @property
    def uri(self) -> str:
        """The picture, one pixel per entry."""
        return png_uri(heat_colors(self.levels))

    @property
    def data(self) -> dict[str, object]:
        """The values for the page's script."""
        return {
            "what": self.what,
            "rows": self.row_name,
            "columns": self.column_name,
            "step": self.step,
            "values": [[f"{value:.4g}" for value in row] for row in self.values.tolist()],
        }


def difference_map(apart: NDArray, peak: float, description: str) -> HeatPicture:
    """Return the map of the difference of each pixel, or of the largest of each block where there are many."""
    block = max(-(-n // _MAX_CELLS) for n in apart.shape)
    rows, columns = (np.arange(0, n, block) for n in apart.shape)
    largest = np.maximum.reduceat(np.maximum.reduceat(apart, rows, axis=0), columns, axis=1).astype(np.float64)
    what = "difference" if block == 1 else f"largest difference of {block}x{block} pixels"
    return HeatPicture(largest, peak, what, description, step=(block, block))
