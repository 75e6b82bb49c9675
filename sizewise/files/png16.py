"""Color of 16 bits per band, which Pillow decodes but cannot store: its images have 8.

Pillow keeps one byte of each 16-bit sample, the upper one of the byte order that it expects. Decoding twice, with both
byte orders, gives both bytes. A 16-bit PNG is an 8-bit PNG of one pixel, written by Pillow, with header and pixels
replaced.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BANDS = {"RGB;16": "RGB", "RGBA;16": "RGBA"}  # Pillow's raw modes without their byte order
_BYTE_ORDERS = {"L": "little", "B": "big", "N": sys.byteorder}


def wide_layout(image: Any) -> str | None:
    """Return Pillow's name of the pixel layout in the file if it has more bits than Pillow's images, else None."""
    name = _raw_mode(image.tile[0].args) if image.tile else ""
    bits = getattr(image, "tag_v2", {}).get(258, (8,))  # BitsPerSample of a TIFF
    if ";16" in name and image.mode in ("RGB", "RGBA", "CMYK"):
        return name
    return f"{max(bits)} bits" if max(bits) > 8 and image.mode in ("RGB", "RGBA", "CMYK", "L", "LA") else None


def read(reopen: Callable[[], Any], name: str) -> tuple[NDArray[np.uint16], str] | None:
    """Return pixels and bands of a file with that layout, or None for unknown layouts; `reopen` opens the file."""
    if name == "LA;16B":  # decoded as RGBA: the four bytes of a pixel
        both = np.asarray(_with_raw_mode(reopen(), "RGBA"))
        return _join_bytes(both[..., ::2], both[..., 1::2]), "LA"
    if name[:-1] not in _BANDS or name[-1] not in _BYTE_ORDERS:
        return None
    high, low = ("B", "L") if _BYTE_ORDERS[name[-1]] == "big" else ("L", "B")
    parts = [np.asarray(_with_raw_mode(reopen(), name[:-1] + order)) for order in (high, low)]
    return _join_bytes(*parts), _BANDS[name[:-1]]


def _join_bytes(high: NDArray[np.uint8], low: NDArray[np.uint8]) -> NDArray[np.uint16]:
    return np.stack([low, high], axis=-1).view("<u2")[..., 0].astype(np.uint16)


def _raw_mode(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else str((arguments or ("",))[0])


def _with_raw_mode(image: Any, name: str) -> Any:
    """Return the image, to be decoded as if its pixels had that layout."""
    image.tile = [
        tile._replace(args=name if isinstance(tile.args, str) else (name, *tile.args[1:])) for tile in image.tile
    ]
    return image


def encode(pixels: NDArray[np.uint16], template: bytes) -> bytes:
    """Return a PNG file of these pixels, with the metadata of `template`, an 8-bit PNG file of the same bands."""
    height, width = pixels.shape[:2]
    rows = pixels.astype(">u2").reshape(height, -1).view(np.uint8)
    filtered = np.empty((height, rows.shape[1] + 1), np.uint8)
    filtered[:, 0] = 2  # filter type "up": differences from the row above
    filtered[:, 1:] = rows
    filtered[1:, 1:] -= rows[:-1]
    file = io.BytesIO()
    file.write(template[:8])
    for kind, data in _chunks(template):
        if kind == b"IHDR":
            data = width.to_bytes(4) + height.to_bytes(4) + b"\x10" + data[9:]
        if kind == b"IDAT":
            data = zlib.compress(filtered.tobytes(), 6)
        file.write(len(data).to_bytes(4) + kind + data + zlib.crc32(data, zlib.crc32(kind)).to_bytes(4))
    return file.getvalue()


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and data of each chunk of a PNG file."""
    start = 8
    while start < len(data):
        length = int.from_bytes(data[start : start + 4])
        yield data[start + 4 : start + 8], data[start + 8 : start + 8 + length]
        start += length + 12
