"""Images: a file's bytes as a picture."""

from __future__ import annotations

import io
import logging
import threading
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import (
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    UnidentifiedImageError,
    WebPImagePlugin,
)

from ..errors import CODECS, FileError, is_raised_by
from . import deep, metadata
from .picture import Picture

# Pillow knows more formats: less used, so less tried.
_PLUGINS = (BmpImagePlugin, GifImagePlugin, JpegImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin)
_FORMATS = tuple(plugin.__name__.rpartition(".")[2].removesuffix("ImagePlugin").upper() for plugin in _PLUGINS)
_AS = {"La": "LA", "PA": "RGBA", "RGBa": "RGBA", "RGBX": "RGB", "YCbCr": "RGB"}  # what is converted, without a loss
_opening = threading.Lock()
# Pillow logs what is wrong with a file; where nobody asked for logs, Python would print that.
logging.getLogger("PIL").addHandler(logging.NullHandler())


def read(data: bytes, name: str) -> Picture:
    """The picture in a file's bytes, upright; `name` is for the error if there is none."""
    try:
        image = _opened(data)
        frames, layout = getattr(image, "n_frames", 1), deep.layout(image)
        _require_covered(image)
        image.load()
        picture = _deep(data, image, layout) if layout else _pixels(image)
        about, notes = metadata.taken(image)
        if frames > 1:
            notes = (*notes, f"only the first of {frames} frames is kept")
        turned = upright(picture.pixels, metadata.orientation(image))
        return replace(picture, pixels=turned, about=about, notes=notes)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        raise FileError(f"cannot read {name!r}: {_reason(error)}") from error


def size(data: bytes, name: str) -> tuple[int, int]:
    """(height, width) of the upright picture in a file that begins with these bytes; nothing is decoded."""
    try:
        image = _opened(data)
        # Pillow gives the size of a TIFF as it turns it.
        turns = image.format != "TIFF" and metadata.orientation(image) in (5, 6, 7, 8)
        width, height = image.size
        return (width, height) if turns else (height, width)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        raise FileError(f"cannot read {name!r}: {_reason(error)}") from error


def upright(pixels: NDArray, orientation: int) -> NDArray:
    """Pixels turned as EXIF's orientation, 1 to 8, asks for.

    >>> upright(np.array([[1, 2], [3, 4]]), 6).tolist()
    [[3, 1], [4, 2]]
    """
    turns: dict[int, Callable[[NDArray], NDArray]] = {
        2: lambda x: x[:, ::-1],
        3: lambda x: x[::-1, ::-1],
        4: lambda x: x[::-1],
        5: lambda x: x.swapaxes(0, 1),
        6: lambda x: x[::-1].swapaxes(0, 1),
        7: lambda x: x[::-1, ::-1].swapaxes(0, 1),
        8: lambda x: x[:, ::-1].swapaxes(0, 1),
    }
    return np.ascontiguousarray(turns[orientation](pixels)) if orientation in turns else pixels


def _opened(data: bytes) -> Any:
    """An image opened, not yet loaded. One that is larger than Pillow thinks safe is an error, and no warning."""
    with _opening, warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        return Image.open(io.BytesIO(data), formats=_FORMATS)


def _require_covered(image: Any) -> None:
    """Refuses a TIFF that has less strips or tiles than its size needs: Pillow would leave the rest black."""
    if image.format != "TIFF":
        return
    ends = np.array([tile.extents[2:] for tile in image.tile]).reshape(-1, 2).max(axis=0, initial=0)
    width, height = image.tag_v2[256], image.tag_v2[257]
    if (ends < (width, height)).any():
        raise FileError(f"it says {width} by {height} pixels, but does not hold so many")


def _deep(data: bytes, image: Any, layout: str) -> Picture:
    found = deep.read(lambda: _opened(data), layout)
    if found is None:
        raise FileError(f"its pixels have a layout ({layout}) that cannot be read without a loss")
    pixels, bands = found
    return _keyed(pixels, bands, image.info.get("transparency"))


def _keyed(pixels: NDArray, bands: str, key: Any) -> Picture:
    """16-bit pixels, of which one colour may be transparent."""
    if key is None or bands.endswith("A"):
        return Picture(pixels, bands)
    opaque = (pixels.reshape(*pixels.shape[:2], -1) != key).any(axis=-1) * np.uint16(65535)
    return Picture(np.dstack([pixels, opaque]), f"{bands}A")


def _pixels(image: Any) -> Picture:
    """The pixels of a loaded image, in its own numbers."""
    mode, key = image.mode, image.info.get("transparency")
    if mode == "P":
        return Picture(np.asarray(image), "P", _palette(image))
    if mode.startswith("I;16"):
        return _keyed(np.asarray(image).astype(np.uint16), "L", key)
    if key is not None and mode in ("1", "L", "RGB"):
        image = image.convert("RGBA" if mode == "RGB" else "LA")
    elif mode in _AS:
        image = image.convert(_AS[mode])
    elif mode not in ("1", "L", "LA", "RGB", "RGBA", "CMYK", "I", "F"):
        raise FileError(f"images of mode {mode} cannot be resized; convert it to RGB")
    return Picture(np.asarray(image), image.mode if len(image.getbands()) > 1 else "L")


def _palette(image: Any) -> NDArray[np.uint8]:
    """The colours of a palette, with alpha where it has one."""
    every = Image.frombytes("P", (256, 1), bytes(range(256)))
    every.putpalette(image.getpalette(image.palette.mode), image.palette.mode)
    every.info = {key: value for key, value in image.info.items() if key == "transparency"}
    alpha = "transparency" in image.info or image.palette.mode == "RGBA"
    colours: NDArray[np.uint8] = np.asarray(every.convert("RGBA" if alpha else "RGB"))[0]
    return colours


def _reason(error: Exception) -> str:
    """Why an image could not be read, in one line."""
    if isinstance(error, UnidentifiedImageError):
        return "not an image of a kind that can be read here (PNG, JPEG, WebP, TIFF, GIF, BMP)"
    if isinstance(error, Image.DecompressionBombError | Image.DecompressionBombWarning):
        words = str(error).partition(", could be")[0]
        rule = "it may be made to fill the memory (sizewise resize --max-pixels allows more)"
        return f"{words[:1].lower()}{words[1:]}; {rule}"
    if isinstance(error, MemoryError):
        return "it does not fit in memory"
    words = " ".join(str(error).split()) or type(error).__name__
    return f"its pixels are broken ({words})" if words.startswith("decoder error") else words
