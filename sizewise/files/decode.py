"""Decoding of image files to pictures."""

from __future__ import annotations

import importlib
import io
import logging
import threading
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..errors import FileError
from . import draft, metadata, png16
from .formats import decode_errors
from .picture import Picture

# Pillow's decoders of other formats are less used, hence less tested.
_FORMATS = ("Bmp", "Gif", "Jpeg", "Png", "Tiff", "WebP")
for _format in _FORMATS:  # Image.open would import the plugins of all formats
    importlib.import_module(f"PIL.{_format}ImagePlugin")
_LOSSLESS = {"La": "LA", "PA": "RGBA", "RGBa": "RGBA", "RGBX": "RGB", "YCbCr": "RGB"}  # conversions of modes
_warnings_lock = threading.Lock()
# Pillow logs problems of files, which Python prints if logging is not configured.
logging.getLogger("PIL").addHandler(logging.NullHandler())


def read(data: bytes, name: str, resized_size: draft.ResizedSize | None = None) -> Picture:
    """Return the picture in the bytes of a file, upright; errors mention `name`.

    With `resized_size`, the size to resize to by the size of the file, a JPEG is decoded as a draft.
    """
    with decode_errors(name):
        image = _open(data)
        drafted = None if resized_size is None else draft.begin(image, metadata.orientation(image), resized_size)
        frames, layout = getattr(image, "n_frames", 1), png16.wide_layout(image)
        _require_complete(image)
        image.load()
        picture = _wide_pixels(data, image, layout) if layout else _pixels(image)
        meta, notes = metadata.read(image)
        if frames > 1:
            notes = (*notes, f"only the first of {frames} frames is kept")
        pixels = upright(picture.pixels, metadata.orientation(image))
        return replace(picture, pixels=pixels, metadata=meta, notes=notes, draft=drafted)


def read_size(data: bytes, name: str, is_upright: bool = True) -> tuple[int, int]:
    """Return (height, width) of the picture in the bytes of a file, upright or as stored, without decoding it."""
    with decode_errors(name):
        image = _open(data)
        # Pillow's size of a TIFF is already upright.
        is_rotated = is_upright and image.format != "TIFF" and metadata.orientation(image) in (5, 6, 7, 8)
        width, height = image.size
        return (width, height) if is_rotated else (height, width)


def is_turned(data: bytes, name: str) -> bool:
    """Return whether `read` rotates or flips the picture in the bytes of a file; Pillow itself does so for TIFF."""
    with decode_errors(name):
        image = _open(data)
        return image.format != "TIFF" and metadata.orientation(image) in range(2, 9)


def read_draft(data: bytes, name: str, resized_size: draft.ResizedSize) -> draft.Draft | None:
    """Return the draft that `read` would decode, without decoding it; None for other formats than JPEG."""
    with decode_errors(name):
        image = _open(data)
        return draft.begin(image, metadata.orientation(image), resized_size)


def upright(pixels: NDArray, orientation: int) -> NDArray:
    """Return pixels flipped and rotated by EXIF's orientation, 1 to 8; other values have no effect."""
    if orientation not in range(2, 9):
        return pixels
    flipped = pixels[:: -1 if orientation in (3, 4, 6, 7) else 1, :: -1 if orientation in (2, 3, 7, 8) else 1]
    return np.ascontiguousarray(flipped.swapaxes(0, 1) if orientation > 4 else flipped)


def cmyk_to_rgb(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return CMYK pixels as RGB, as Pillow converts them."""
    image = Image.frombytes("CMYK", pixels.shape[1::-1], pixels.tobytes())
    return np.asarray(image.convert("RGB"))


def _open(data: bytes) -> Any:
    """Return an image, opened but not decoded. Pillow's warning about large images is an error here."""
    if not data:
        raise FileError("the file is empty")
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        return Image.open(io.BytesIO(data), formats=_FORMATS)


def _require_complete(image: Any) -> None:
    """Raise FileError for a TIFF with missing strips or tiles: Pillow would leave them black."""
    if image.format != "TIFF":
        return
    ends = np.array([tile.extents[2:] for tile in image.tile]).reshape(-1, 2).max(axis=0, initial=0)
    width, height = image.tag_v2[256], image.tag_v2[257]
    if (ends < (width, height)).any():
        raise FileError(f"its size is {width} by {height} pixels, but strips or tiles are missing")


def _wide_pixels(data: bytes, image: Any, layout: str) -> Picture:
    found = png16.read(lambda: _open(data), layout)
    if found is None:
        raise FileError(f"its pixels have a layout ({layout}) that cannot be read without a loss")
    return _with_color_key(*found, image.info.get("transparency"))


def _with_color_key(pixels: NDArray, bands: str, key: Any) -> Picture:
    """Return a picture of 16-bit pixels, with alpha if one color, the key, is transparent."""
    if key is None or bands.endswith("A"):
        return Picture(pixels, bands)
    opaque = (pixels.reshape(*pixels.shape[:2], -1) != key).any(axis=-1) * np.uint16(65535)
    return Picture(np.dstack([pixels, opaque]), f"{bands}A")


def _pixels(image: Any) -> Picture:
    """Return the pixels of a loaded image, in the dtype of the file."""
    mode, key = image.mode, image.info.get("transparency")
    if mode == "P":
        return Picture(np.asarray(image), "P", _palette(image))
    if mode.startswith("I;16"):
        return _with_color_key(np.asarray(image).astype(np.uint16), "L", key)
    if key is not None and mode in ("1", "L", "RGB"):
        image = image.convert("RGBA" if mode == "RGB" else "LA")
    elif mode in _LOSSLESS:
        image = image.convert(_LOSSLESS[mode])
    elif mode not in ("1", "L", "LA", "RGB", "RGBA", "CMYK", "I", "F"):
        raise FileError(f"images of mode {mode} cannot be resized; convert it to RGB")
    return Picture(np.asarray(image), image.mode if len(image.getbands()) > 1 else "L")


def _palette(image: Any) -> NDArray[np.uint8]:
    """Return the 256 colors of a palette, with alpha if it has any."""
    indices = Image.frombytes("P", (256, 1), bytes(range(256)))
    indices.putpalette(image.getpalette(image.palette.mode), image.palette.mode)
    indices.info = {key: value for key, value in image.info.items() if key == "transparency"}
    has_alpha = "transparency" in image.info or image.palette.mode == "RGBA"
    colors: NDArray[np.uint8] = np.asarray(indices.convert("RGBA" if has_alpha else "RGB"))[0]
    return colors
