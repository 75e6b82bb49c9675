"""What JPEG compression does to pixels: the settings of a file, or those that pixels look like, used again."""

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
_SIDE = 256  # of the part that settings are guessed from; a whole number of JPEG's blocks
_QUALITIES = range(30, 99)  # above, compression changes next to nothing, which looks like no compression
_GREY = -1  # Pillow's number where there is no colour to sample
_SAMPLINGS = {0: "4:4:4", 1: "4:2:2", 2: "4:2:0", _GREY: "grey"}
_LUMA = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class Settings:
    """How pixels are compressed: the quantisation tables, and the sampling of colour by Pillow's number.

    >>> at_quality(75).again(np.full((8, 8, 1), 100, np.uint8)).ravel()[:2]
    array([100, 100], dtype=uint8)
    """

    tables: tuple[tuple[int, ...], ...]
    sampling: int
    name: str

    def again(self, pixels: Pixels) -> Pixels:
        """Pixels, channels last, as they are after compression."""
        pillow = _pillow()
        grey = pixels.shape[-1] == 1
        image = pillow.Image.fromarray(np.ascontiguousarray(pixels[..., 0] if grey else pixels))
        words = {} if grey or self.sampling < 0 else {"subsampling": self.sampling}
        file = io.BytesIO()
        tables = [list(table) for table in self.tables]
        image.save(file, "JPEG", qtables=tables[:1] if grey else tables, **words)
        with pillow.Image.open(file) as read:
            return np.asarray(read).reshape(pixels.shape)


def settings_of(path: str | os.PathLike[str]) -> Settings | None:
    """How a file was compressed; None for one that is no JPEG."""
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
    """The settings that Pillow, and all else with libjpeg, has for a quality."""
    pillow = _pillow()
    file = io.BytesIO()
    pillow.Image.new("RGB", (16, 16)).save(file, "JPEG", quality=quality, subsampling=max(sampling, 0))
    with pillow.Image.open(file) as image:
        return _settings(image, sampling, f"quality {quality}, {_SAMPLINGS[sampling]}")


def likely(pixels: Pixels) -> list[Settings]:
    """Settings that pixels may have been compressed by, the likeliest qualities with every sampling of colour.

    Compressed again by the same tables, pixels change less than by those of the qualities around.

    >>> again = at_quality(80).again(np.random.default_rng(0).integers(0, 256, (64, 64, 1), np.uint8))
    >>> likely(again)[0].name
    'quality 80, grey'
    """
    part = pixels[:_SIDE, :_SIDE]
    grey = np.rint(part @ _LUMA).astype(np.uint8)[..., None] if part.shape[-1] == 3 else part
    changes = {}
    for quality in _QUALITIES:
        change = at_quality(quality).again(grey).astype(np.int32) - grey
        changes[quality] = float(np.sqrt(np.square(change).mean()))

    def beside(quality: int) -> float:
        around = [changes[quality + step] for step in (-3, -2, -1, 1, 2, 3) if quality + step in changes]
        return changes[quality] / (float(np.median(around)) + 1e-3)

    samplings = (2, 0, 1) if pixels.shape[-1] == 3 else (_GREY,)
    best = sorted(_QUALITIES, key=beside)[:3]
    return [at_quality(quality, sampling) for quality in best for sampling in samplings]


def _settings(image: Any, sampling: int, name: str) -> Settings:
    tables = image.quantization
    return Settings(tuple(tuple(tables[key]) for key in sorted(tables)), sampling, name)


def _pillow() -> Any:
    """Pillow, only now: whoever identifies arrays needs none."""
    try:
        import PIL
        import PIL.Image
        import PIL.JpegImagePlugin
    except ImportError:
        raise MissingExtraError("JPEG compression", "cli") from None
    return PIL
