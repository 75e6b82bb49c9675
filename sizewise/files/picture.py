"""A picture: pixels as an array, and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError


@dataclass(frozen=True)
class About:
    """What a file says besides its pixels. Empty where it says nothing.

    `icc` is the colour profile, which belongs to the pixels; `exif`, `xmp`, `text`, `dpi` and `comment` are metadata;
    `coding` is how the file was encoded, in the words of Pillow's `save`.
    """

    icc: bytes = b""
    exif: Any = None
    xmp: bytes = b""
    text: tuple[tuple[str, str], ...] = ()
    dpi: tuple[float, float] | None = None
    comment: bytes = b""
    coding: dict[str, Any] = field(default_factory=dict)

    def stripped(self) -> About:
        """Without metadata: only the colour profile, and how the file was encoded.

        >>> About(icc=b"sRGB", comment=b"private").stripped()
        About(icc=b'sRGB', exif=None, xmp=b'', text=(), dpi=None, comment=b'', coding={})
        """
        return About(icc=self.icc, coding=self.coding)


@dataclass(frozen=True)
class Picture:
    """Pixels, upright: (height, width) or (height, width, bands), in the numbers that the file has.

    `bands` says what they are: L (grey), LA, RGB, RGBA, CMYK, or P (indices into `palette`, of 3 or 4 bands). The dtype
    says how deep they are: bool for one bit, uint8, uint16, int32 or float32. `notes` say what was not kept.

    >>> Picture(np.zeros((4, 6, 3), np.uint8), "RGB").size
    (4, 6)
    """

    pixels: NDArray
    bands: str
    palette: NDArray[np.uint8] | None = None
    about: About = About()
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """(height, width)."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def has_alpha(self) -> bool:
        """Whether the last band is how opaque each pixel is."""
        return self.bands in ("LA", "RGBA")

    @property
    def kind(self) -> tuple[str, str]:
        """What its bands are and how deep: what a format can hold, or cannot. A palette with alpha is PA.

        >>> Picture(np.zeros((4, 6, 3), np.uint8), "RGB").kind
        ('RGB', 'uint8')
        """
        bands = "PA" if self.palette is not None and self.palette.shape[1] == 4 else self.bands
        return bands, self.pixels.dtype.name

    @property
    def words(self) -> str:
        """What its bands are and how deep, for people.

        >>> Picture(np.zeros((4, 6), bool), "L").words
        '1-bit grey'
        """
        if self.palette is not None:
            return "palette"
        depth = 1 if self.pixels.dtype == bool else 8 * self.pixels.dtype.itemsize
        return f"{depth}-bit {'grey' if self.bands == 'L' else self.bands}"

    @property
    def most(self) -> int:
        """The number for white, and for opaque.

        >>> Picture(np.zeros((4, 6, 3), np.uint16), "RGB").most
        65535
        """
        return 1 if self.pixels.dtype == bool else int(np.iinfo(self.pixels.dtype).max)

    def expanded(self) -> Picture:
        """With colours instead of indices, and 8 bits instead of one: numbers that can be mixed.

        >>> palette = np.array([[255, 0, 0], [0, 0, 255]], np.uint8)
        >>> Picture(np.array([[0, 1]], np.uint8), "P", palette).expanded().pixels.tolist()
        [[[255, 0, 0], [0, 0, 255]]]
        """
        if self.palette is not None:
            colours = np.zeros((256, self.palette.shape[1]), np.uint8)
            colours[: len(self.palette)] = self.palette
            bands = "RGBA" if self.palette.shape[1] == 4 else "RGB"
            return replace(self, pixels=colours[self.pixels], bands=bands, palette=None)
        if self.pixels.dtype == bool:
            return replace(self, pixels=self.pixels.astype(np.uint8) * np.uint8(255))
        return self

    def coloured(self) -> Picture:
        """Grey as RGB of three equal bands, with or without alpha.

        >>> Picture(np.array([[7]], np.uint8), "L").coloured().pixels.tolist()
        [[[7, 7, 7]]]
        """
        if self.bands == "L":
            return replace(self, pixels=np.repeat(self.pixels[..., None], 3, axis=-1), bands="RGB")
        if self.bands == "LA":
            return replace(self, pixels=self.pixels[..., [0, 0, 0, 1]], bands="RGBA")
        return self

    def over(self, colour: tuple[int, int, int]) -> Picture:
        """Without alpha: in front of a colour, of 0 to 255 per band.

        >>> Picture(np.array([[[100, 51]]], np.uint8), "LA").over((0, 0, 0)).pixels.tolist()
        [[[20, 20, 20]]]
        """
        front = self.coloured()
        alpha = front.pixels[..., 3:] / front.most
        behind = np.asarray(colour) * (front.most / 255)
        mixed = np.rint(front.pixels[..., :3] * alpha + behind * (1 - alpha)).astype(front.pixels.dtype)
        return replace(front, pixels=mixed, bands="RGB")


def of_array(array: NDArray, name: str) -> Picture:
    """An array as a picture, if it can be one: (height, width) or with 1, 2 (LA), 3 or 4 bands.

    >>> of_array(np.zeros((4, 6, 3), np.uint8), "a.npy").bands
    'RGB'
    """
    flat = array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array
    bands = "L" if flat.ndim == 2 else {2: "LA", 3: "RGB", 4: "RGBA"}.get(flat.shape[2] if flat.ndim == 3 else 0)
    if bands is None:
        raise FileError(
            f"{name!r} holds an array of shape {array.shape}; an image is (height, width) or (height, width, bands) "
            "with 1 to 4 bands: write .npy"
        )
    return Picture(np.ascontiguousarray(flat), bands)
