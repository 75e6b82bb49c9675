"""A first glance at every way to resize, in windows of a result: which of them are worth being made whole."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, UnsupportedError
from ..files.jpeg import Settings
from .pairs import Pair
from .pixels import results, whole
from .scores import Score, Windows, cut, score, telling
from .ways import Way, all_ways

_LOOKED_AT = 24  # different results that are worth it
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Glance:
    """What every way gives in windows of a result: by way the digest of its pixels, and by that the pixels."""

    two: Pair
    windows: Windows
    ways: dict[Way, bytes]
    pixels: dict[bytes, NDArray]

    def least(self, settings: Settings) -> float:
        """The least residual of all ways, compressed by these settings."""
        return min(one.residual for one in self._scores(settings).values())

    def worth(self, settings: Settings | None = None) -> list[Way]:
        """All ways that are exact in the windows, and the nearest of the others, compressed by these settings."""
        scores = self._scores(settings)
        by_key = sorted(scores, key=lambda digest: scores[digest].key)
        by_residual = sorted(scores, key=lambda digest: scores[digest].residual)
        chosen = {digest for digest in scores if scores[digest].exact}
        for both in zip(by_key, by_residual, strict=True):
            if len(chosen) >= _LOOKED_AT:
                break
            chosen.update(both)
        return [way for way, digest in self.ways.items() if digest in chosen]

    def _scores(self, settings: Settings | None) -> dict[bytes, Score]:
        theirs = cut(self.two.theirs, self.windows)
        return {
            digest: score(self._compressed(pixels, settings), theirs, self.two.tolerance)
            for digest, pixels in self.pixels.items()
        }

    def _compressed(self, pixels: NDArray, settings: Settings | None) -> NDArray:
        """Each window compressed by itself: they begin where blocks of JPEG do."""
        if settings is None:
            return pixels
        shapes = [(rows.stop - rows.start, columns.stop - columns.start, -1) for rows, columns in self.windows]
        ends = np.cumsum([rows * columns for rows, columns, _ in shapes])[:-1]
        parts = (part.reshape(shape) for part, shape in zip(np.split(pixels, ends), shapes, strict=True))
        return np.concatenate([settings.again(part).reshape(-1, pixels.shape[-1]) for part in parts])


def glance(two: Pair, dialects: tuple[str, ...], *, lossy: bool, progress: Progress) -> Glance:
    """All ways of dialects in windows of a result; `lossy` says that its pixels are not as they came of the resize."""
    windows = telling(two.theirs)
    theirs = None if lossy else cut(two.theirs, windows)
    ways: dict[Way, bytes] = {}
    pixels: dict[bytes, NDArray] = {}
    for way, plan in all_ways(two.input_size, two.output_size, dialects):
        progress(way.call)
        with contextlib.suppress(UnsupportedError):  # what the dialect refuses of this dtype
            for one, made in results(way, plan, two.picture, windows):
                seen = whole(one, made, two.theirs.dtype, theirs).reshape(-1, two.theirs.shape[-1])
                ways[one] = digest(seen)
                pixels.setdefault(ways[one], seen)
    if not ways:
        raise ArgumentError(f"no way of {', '.join(dialects)} makes {two.output_size} of {two.input_size}")
    return Glance(two, windows, ways, pixels)


def digest(pixels: NDArray) -> bytes:
    """What tells pixels from all others.

    >>> digest(np.zeros(3)) == digest(np.zeros(3)), digest(np.zeros(3)) == digest(np.ones(3))
    (True, False)
    """
    return hashlib.blake2b(np.ascontiguousarray(pixels).tobytes(), digest_size=16).digest()
