"""JPEG compression of pixels: with the settings of a file, or with settings estimated from pixels."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtraError

Pixels = NDArray[np.uint8]
_SIDE = 256  # of the part that settings are estimated from; a multiple of JPEG's blocks
_QUALITIES = range(30, 99)  # higher ones change too few pixels to be recognized
_GRAY = -1  # Pillow's number for images without chroma
_SAMPLINGS = {0: "4:4:4", 1: "4:2:2", 2: "4:2:0", _GRAY: "gray"}
_LUMA = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class Settings:
    """Quantization tables, and the chroma subsampling by Pillow's number."""

    tables: tuple[tuple[int, ...], ...]
    sampling: int
    name: str

    def recompress(self, pixels: Pixels) -> Pixels:
        """Return pixels, channels last, after compression."""
        pillow = _pillow()
        is_gray = pixels.shape[-1] == 1
        image = pillow.Image.fromarray(np.ascontiguousarray(pixels[..., 0] if is_gray else pixels))
        sampling = {} if is_gray or self.sampling < 0 else {"subsampling": self.sampling}
        file = io.BytesIO()
        tables = [list(table) for table in self.tables]
        image.save(file, "JPEG", qtables=tables[:1] if is_gray else tables, **sampling)
        with pillow.Image.open(file) as read:
            return np.asarray(read).reshape(pixels.shape)


def settings_of(path: str | os.PathLike[str]) -> Settings | None:
    """Return the settings of a JPEG file; None for other files."""
    pillow = _pillow()
    if os.fspath(path).lower().endswith(".npy"):
        return None
    with pillow.Image.open(path) as image:
        if image.format not in ("JPEG", "MPO"):
            return None
        sampling = int(pillow.JpegImagePlugin.get_sampling(image))
        return _settings(image, sampling, f"the file's own tables, {_SAMPLINGS[sampling]}")


@cache
def at_quality(quality: int, sampling: int = 2) -> Settings:
    """Return the settings of Pillow, and of all encoders based on libjpeg, for a quality."""
    pillow = _pillow()
    file = io.BytesIO()
    pillow.Image.new("RGB", (16, 16)).save(file, "JPEG", quality=quality, subsampling=max(sampling, 0))
    with pillow.Image.open(file) as image:
        return _settings(image, sampling, f"quality {quality}, {_SAMPLINGS[sampling]}")


def likely_settings(pixels: Pixels) -> list[Settings]:
    """Return settings that pixels may have been compressed with: the likeliest qualities with every subsampling.

    Compression with the same tables changes pixels less than compression with those of similar qualities.
    """
    part = pixels[:_SIDE, :_SIDE]
    gray = np.rint(part @ _LUMA).astype(np.uint8)[..., None] if part.shape[-1] == 3 else part
    changes = {}
    for quality in _QUALITIES:
        change = at_quality(quality).recompress(gray).astype(np.int32) - gray
        changes[quality] = float(np.sqrt(np.square(change).mean()))

    def relative_change(quality: int) -> float:
        similar = [changes[quality + step] for step in (-3, -2, -1, 1, 2, 3) if quality + step in changes]
        return changes[quality] / (float(np.median(similar)) + 1e-3)

    samplings = (2, 0, 1) if pixels.shape[-1] == 3 else (_GRAY,)
    best = sorted(_QUALITIES, key=relative_change)[:3]
    return [at_quality(quality, sampling) for quality in best for sampling in samplings]


def _settings(image: Any, sampling: int, name: str) -> Settings:
    tables = image.quantization
    return Settings(tuple(tuple(tables[key]) for key in sorted(tables)), sampling, name)


def _pillow() -> Any:
    """Return Pillow, imported here because identifying arrays does not need it."""
    try:
        import PIL
        import PIL.Image
        import PIL.JpegImagePlugin
    except ImportError:
        raise MissingExtraError("JPEG compression", "cli") from None
    return PIL
