"""PNG images inside a page, as `data:` URIs, and heat maps with their values."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .colormap import heat_colors


def png_uri(pixels: NDArray[np.uint8]) -> str:
    """Return pixels (rows, columns, perhaps 3 or 4 channels) as a `data:` URI.

    >>> png_uri(np.zeros((1, 1), np.uint8))[:26]
    'data:image/png;base64,iVBO'
    """
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


@dataclass(frozen=True)
class HeatPicture:
    """A heat map for a page, on a square-root scale from 0 to `peak`, and the values that the pointer shows.

    Entry (i, j) is the pixel at row i * step[0] and column j * step[1] of the image.

    >>> HeatPicture(np.eye(2), 1.0, "gradient", "gradient of each pixel").data["values"]
    [['1', '0'], ['0', '1']]
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
    def rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.values.shape[1])

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
