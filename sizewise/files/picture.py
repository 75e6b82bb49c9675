"""Picture: pixels as an array, with their bands, palette and metadata."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError
from .draft import Draft


@dataclass(frozen=True)
class Metadata:
    """The data of a file besides its pixels; empty for what it lacks.

    `icc` is the color profile, which belongs to the pixels; `encoding` holds arguments of Pillow's `save` for encoding
    in the same way.
    """

    icc: bytes = b""
    exif: Any = None
    xmp: bytes = b""
    text: tuple[tuple[str, str], ...] = ()
    dpi: tuple[float, float] | None = None
    comment: bytes = b""
    encoding: dict[str, Any] = field(default_factory=dict)

    def strip(self) -> Metadata:
        """Return only the color profile and the encoding."""
        return Metadata(icc=self.icc, encoding=self.encoding)


@dataclass(frozen=True)
class Picture:
    """Upright pixels: (height, width) or (height, width, bands), in the dtype of the file.

    `bands` is L (gray), LA, RGB, RGBA, CMYK, or P (indices into `palette`, which has 3 or 4 bands). The dtype is bool
    for one bit, uint8, uint16, int32 or float32. `notes` describe data of the file that was not kept. `draft` is the
    scale that a JPEG was decoded at.
    """

    pixels: NDArray
    bands: str
    palette: NDArray[np.uint8] | None = None
    metadata: Metadata = Metadata()
    notes: tuple[str, ...] = ()
    draft: Draft | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Return (height, width)."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def has_alpha(self) -> bool:
        """Return whether the last band is alpha."""
        return self.bands in ("LA", "RGBA")

    @property
    def kind(self) -> tuple[str, str]:
        """Return bands and dtype, which a format can store or not; a palette with alpha is PA."""
        bands = "PA" if self.palette is not None and self.palette.shape[1] == 4 else self.bands
        return bands, self.pixels.dtype.name

    @property
    def description(self) -> str:
        """Return depth and bands for people."""
        if self.palette is not None:
            return "palette"
        depth = 1 if self.pixels.dtype == bool else 8 * self.pixels.dtype.itemsize
        return f"{depth}-bit {'gray' if self.bands == 'L' else self.bands}"

    @property
    def max_value(self) -> int:
        """Return the value of white, and of opaque alpha."""
        return 1 if self.pixels.dtype == bool else int(np.iinfo(self.pixels.dtype).max)

    def expand(self) -> Picture:
        """Return the picture with colors instead of palette indices, and 8 bits instead of one."""
        if self.palette is not None:
            colors = np.zeros((256, self.palette.shape[1]), np.uint8)
            colors[: len(self.palette)] = self.palette
            bands = "RGBA" if self.palette.shape[1] == 4 else "RGB"
            return replace(self, pixels=colors[self.pixels], bands=bands, palette=None)
        if self.pixels.dtype == bool:
            return replace(self, pixels=self.pixels.astype(np.uint8) * np.uint8(255))
        return self

    def to_rgb(self) -> Picture:
        """Return gray as RGB, with alpha if it has any."""
        if self.bands == "L":
            return replace(self, pixels=np.repeat(self.pixels[..., None], 3, axis=-1), bands="RGB")
        if self.bands == "LA":
            return replace(self, pixels=self.pixels[..., [0, 0, 0, 1]], bands="RGBA")
        return self

    def flatten(self, background: tuple[int, int, int]) -> Picture:
        """Return RGB without alpha, composited over a color of 0 to 255 per band."""
        front = self.to_rgb()
        alpha = front.pixels[..., 3:] / front.max_value
        behind = np.asarray(background) * (front.max_value / 255)
        blended = np.rint(front.pixels[..., :3] * alpha + behind * (1 - alpha)).astype(front.pixels.dtype)
        return replace(front, pixels=blended, bands="RGB")


def from_array(array: NDArray, name: str) -> Picture:
    """Return an array of shape (height, width), or with 1, 2 (LA), 3 or 4 bands, as a picture."""
    flat = array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array
    bands = "L" if flat.ndim == 2 else {2: "LA", 3: "RGB", 4: "RGBA"}.get(flat.shape[2] if flat.ndim == 3 else 0)
    if bands is None:
        raise FileError(
            f"{name!r} holds an array of shape {array.shape}; an image is (height, width) or (height, width, bands) "
            "with 1 to 4 bands: write .npy"
        )
    return Picture(np.ascontiguousarray(flat), bands)
