"""What JPEG compression does to pixels: the settings of a file, or those that pixels look like, used again."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .reading import imaging

Pixels = NDArray[np.uint8]
_SIDE = 256  # of the part that settings are guessed from; a whole number of JPEG's blocks
_SAMPLINGS = {0: "4:4:4", 1: "4:2:2", 2: "4:2:0", -1: "other chroma"}


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
        pillow = imaging()
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
    pillow = imaging()
    with pillow.Image.open(path) as image:
        if image.format not in ("JPEG", "MPO"):
            return None
        return _settings(image, f"the file's own tables, {_SAMPLINGS[_sampling(image)]}")


def at_quality(quality: int, sampling: int = 2) -> Settings:
    """The settings that Pillow, and all else with libjpeg, has for a quality."""
    pillow = imaging()
    file = io.BytesIO()
    pillow.Image.new("RGB", (16, 16)).save(file, "JPEG", quality=quality, subsampling=sampling)
    with pillow.Image.open(file) as image:
        return _settings(image, f"quality {quality}, {_SAMPLINGS[sampling]}")


def guess(ours: Pixels, theirs: Pixels) -> Settings:
    """The quality whose compression of our pixels comes nearest to theirs."""
    part = np.s_[:_SIDE, :_SIDE]
    mine, yours = ours[part], theirs[part].astype(np.int32)

    def residual(settings: Settings) -> float:
        return float(np.square(settings.again(mine) - yours).mean())

    samplings = (2,) if theirs.shape[-1] == 1 else (2, 0, 1)
    return min((at_quality(quality, one) for one in samplings for quality in range(100, 29, -1)), key=residual)


def _settings(image: object, name: str) -> Settings:
    tables = image.quantization  # type: ignore[attr-defined]
    return Settings(tuple(tuple(tables[key]) for key in sorted(tables)), _sampling(image), name)


def _sampling(image: object) -> int:
    return int(imaging().JpegImagePlugin.get_sampling(image))
