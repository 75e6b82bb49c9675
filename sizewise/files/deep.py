"""Colours of 16 bits per band, which Pillow decodes but cannot hold: its images have 8.

Pillow takes one byte of each 16-bit number, and which one follows from the byte order it is told. Told both, it gives
both bytes. PNG is written here from Pillow's own file of one pixel, whose header and pixels are replaced.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What Pillow calls the 16-bit layouts it can take either byte of, without their byte order, and the bands they have.
_LAYOUTS = {"RGB;16": "RGB", "RGBA;16": "RGBA"}
_ORDERS = {"L": "little", "B": "big", "N": sys.byteorder}


def layout(image: Any) -> str | None:
    """What Pillow calls the layout of an image's pixels in its file, if it has more bits than Pillow can hold."""
    name = _name(image.tile[0].args) if image.tile else ""
    bits = getattr(image, "tag_v2", {}).get(258, (8,))  # of each sample, in a TIFF
    if ";16" in name and image.mode in ("RGB", "RGBA", "CMYK"):
        return name
    return f"{max(bits)} bits" if max(bits) > 8 and image.mode in ("RGB", "RGBA", "CMYK", "L", "LA") else None


def read(opened: Callable[[], Any], name: str) -> tuple[NDArray[np.uint16], str] | None:
    """The pixels of a file of that layout, and their bands; None if it is not known. `opened` opens the file anew."""
    if name == "LA;16B":  # four bytes of a pixel, as they are
        both = np.asarray(_told(opened(), "RGBA"))
        return _joined(both[..., ::2], both[..., 1::2]), "LA"
    if name[:-1] not in _LAYOUTS or name[-1] not in _ORDERS:
        return None
    high, low = ("B", "L") if _ORDERS[name[-1]] == "big" else ("L", "B")
    parts = [np.asarray(_told(opened(), name[:-1] + order)) for order in (high, low)]
    return _joined(*parts), _LAYOUTS[name[:-1]]


def _joined(high: NDArray[np.uint8], low: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Numbers of 16 bits, of their bytes."""
    return np.stack([low, high], axis=-1).view("<u2")[..., 0].astype(np.uint16)


def _name(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else str((arguments or ("",))[0])


def _told(image: Any, name: str) -> Any:
    """The image, to be decoded as if its pixels had that layout."""
    image.tile = [
        tile._replace(args=name if isinstance(tile.args, str) else (name, *tile.args[1:])) for tile in image.tile
    ]
    return image


def png(pixels: NDArray[np.uint16], like: bytes) -> bytes:
    """A PNG file of these pixels, with all else that `like` has: an 8-bit PNG file of the same bands."""
    height, width = pixels.shape[:2]
    rows = pixels.astype(">u2").reshape(height, -1).view(np.uint8)
    filtered = np.empty((height, rows.shape[1] + 1), np.uint8)
    filtered[:, 0] = 2  # each row as its difference from the one above it
    filtered[:, 1:] = rows
    filtered[1:, 1:] -= rows[:-1]
    made = io.BytesIO()
    made.write(like[:8])
    for kind, data in _chunks(like):
        if kind == b"IHDR":
            data = width.to_bytes(4) + height.to_bytes(4) + b"\x10" + data[9:]
        if kind == b"IDAT":
            data = zlib.compress(filtered.tobytes(), 6)
        made.write(len(data).to_bytes(4) + kind + data + zlib.crc32(data, zlib.crc32(kind)).to_bytes(4))
    return made.getvalue()


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG file: what each is, and what it holds."""
    here = 8
    while here < len(data):
        length = int.from_bytes(data[here : here + 4])
        yield data[here + 4 : here + 8], data[here + 8 : here + 8 + length]
        here += length + 12
