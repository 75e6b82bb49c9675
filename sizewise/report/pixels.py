"""Pixels as pictures in a page: arrays as PNG inside a `data:` address, and heat maps that tell their numbers."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

NOTHING = (62, 62, 70)  # outside the ramp: a pixel that gets nothing is not one that gets little


def png_uri(pixels: NDArray[np.uint8]) -> str:
    """Pixels (rows, columns, or with 3 or 4 channels last) as an address that holds them.

    >>> png_uri(np.zeros((1, 1), np.uint8))[:26]
    'data:image/png;base64,iVBO'
    """
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def colours(levels: NDArray[np.floating], ramp: str = "viridis") -> NDArray[np.uint8]:
    """Levels from 0 to 1 as red, green and blue; exactly 0 is grey, and so apart from little.

    >>> colours(np.array([0.0, 1.0])).tolist()
    [[62, 62, 70], [253, 231, 36]]
    """
    steps = (np.clip(levels, 0.0, 1.0) * 255).astype(np.uint8)
    painted: NDArray[np.uint8] = _ramp(ramp)[steps]
    painted[np.asarray(levels) == 0] = NOTHING
    return painted


@cache
def _ramp(name: str) -> NDArray[np.uint8]:
    from matplotlib import colormaps  # here: it takes a third of a second, which pages without maps need not wait for

    ramp: NDArray[np.uint8] = (colormaps[name](np.arange(256))[:, :3] * 255).astype(np.uint8)
    return ramp


@dataclass(frozen=True)
class HeatPicture:
    """A heat map for a page: the picture, and the numbers that the pointer brings up.

    `values` are what is told, `levels` (from 0 to 1) what is painted. Entry (i, j) is the pixel at row first[0] +
    i * step[0] and column first[1] + j * step[1] of the image.

    >>> HeatPicture(np.eye(2), np.eye(2), "gradient", "which pixels count").data["values"]
    [['1', '0'], ['0', '1']]
    """

    values: NDArray[np.floating]
    levels: NDArray[np.floating]
    what: str
    description: str
    first: tuple[int, int] = (0, 0)
    step: tuple[int, int] = (1, 1)
    row_name: str = "row"
    column_name: str = "column"
    ramp: str = "viridis"

    @property
    def rows(self) -> int:
        """How many rows are shown."""
        return int(self.levels.shape[0])

    @property
    def columns(self) -> int:
        """How many columns are shown."""
        return int(self.levels.shape[1])

    @property
    def uri(self) -> str:
        """The picture, a pixel for each entry."""
        return png_uri(colours(self.levels, self.ramp))

    @property
    def data(self) -> dict[str, object]:
        """What the page's script reads."""
        return {
            "what": self.what,
            "rows": self.row_name,
            "columns": self.column_name,
            "first": self.first,
            "step": self.step,
            "values": [[f"{value:.4g}" for value in row] for row in self.values.tolist()],
        }


def scale_uri(ramp: str = "viridis") -> str:
    """The ramp itself, from least to most, as a picture for the legend.

    >>> scale_uri().startswith("data:image/png;base64,")
    True
    """
    return png_uri(_ramp(ramp)[None, :, :])
