"""Prefilter: every candidate in windows of a result, to choose those worth a full comparison."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, UnsupportedError
from ..files.jpeg import Settings
from .candidates import Candidate, all_candidates
from .image_pair import ImagePair
from .pixel_error import PixelError, Windows, crop, distinctive_windows, pixel_error
from .pixels import finished, results

_MAX_RESULTS = 24  # different results that get a full comparison
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Prefilter:
    """The pixels of every candidate in windows of a result: by candidate their digest, and by digest the pixels."""

    pair: ImagePair
    windows: Windows
    candidates: dict[Candidate, bytes]
    pixels: dict[bytes, NDArray]

    def least_residual(self, settings: Settings) -> float:
        """Return the smallest residual of all candidates, compressed with these settings."""
        return min(one.residual for one in self._errors(settings).values())

    def selected(self, settings: Settings | None = None) -> list[Candidate]:
        """Return all candidates that are exact in the windows, and the nearest of the others."""
        errors = self._errors(settings)
        by_key = sorted(errors, key=lambda digest: errors[digest].key)
        by_residual = sorted(errors, key=lambda digest: errors[digest].residual)
        chosen = {digest for digest in errors if errors[digest].exact}
        for both in zip(by_key, by_residual, strict=True):
            if len(chosen) >= _MAX_RESULTS:
                break
            chosen.update(both)
        return [candidate for candidate, digest in self.candidates.items() if digest in chosen]

    def _errors(self, settings: Settings | None) -> dict[bytes, PixelError]:
        theirs = crop(self.pair.theirs, self.windows)
        return {
            digest: pixel_error(self._compress(pixels, settings), theirs, self.pair.tolerance)
            for digest, pixels in self.pixels.items()
        }

    def _compress(self, pixels: NDArray, settings: Settings | None) -> NDArray:
        """Compress each window by itself: they start where blocks of JPEG do."""
        if settings is None:
            return pixels
        shapes = [(rows.stop - rows.start, columns.stop - columns.start, -1) for rows, columns in self.windows]
        ends = np.cumsum([rows * columns for rows, columns, _ in shapes])[:-1]
        parts = (part.reshape(shape) for part, shape in zip(np.split(pixels, ends), shapes, strict=True))
        return np.concatenate([settings.recompress(part).reshape(-1, pixels.shape[-1]) for part in parts])


def prefilter(pair: ImagePair, dialects: tuple[str, ...], *, lossy: bool, progress: Progress) -> Prefilter:
    """Try all candidates in windows of a result; `lossy` says that its pixels were compressed after the resize."""
    windows = distinctive_windows(pair.theirs)
    theirs = None if lossy else crop(pair.theirs, windows)
    candidates: dict[Candidate, bytes] = {}
    pixels: dict[bytes, NDArray] = {}
    for candidate, plan in all_candidates(pair.input_size, pair.output_size, dialects):
        progress(candidate.call)
        with contextlib.suppress(UnsupportedError):  # dtypes that the dialect refuses
            for one, values in results(candidate, plan, pair.source, windows):
                seen = finished(one, values, pair.theirs.dtype, theirs).reshape(-1, pair.theirs.shape[-1])
                candidates[one] = pixel_digest(seen)
                pixels.setdefault(candidates[one], seen)
    if not candidates:
        raise ArgumentError(f"no resize of {', '.join(dialects)} makes {pair.output_size} of {pair.input_size}")
    return Prefilter(pair, windows, candidates, pixels)


def pixel_digest(pixels: NDArray) -> bytes:
    """Return a hash of pixels."""
    return hashlib.blake2b(np.ascontiguousarray(pixels).tobytes(), digest_size=16).digest()
