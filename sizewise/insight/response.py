"""Response: the frequency response of an axis, from the discrete Fourier transform of its taps."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..taps import Taps
from .placement import Placement

Array = NDArray[np.float64]

_MAX_OUTPUTS = 4096  # in the middle of longer axes: more than the phases of image sizes
_MAX_VALUES = 1 << 24  # in all transforms of an axis together
_MAX_TRANSFORM = 1 << 21  # unless an output reads more pixels
_CHUNK = 1 << 19  # values transformed at once
_MAX_DRAWN = 385  # frequencies kept for drawing
_MAX_LINEAR = 16  # downscaling up to which the kept frequencies are evenly spaced; beyond it, logarithmically


@dataclass(frozen=True)
class Response:
    """The frequency response of an axis. Frequencies are cycles per input pixel, up to 0.5.

    Let y(o) be output o for the wave exp(2 pi i f x), and x(o) its input coordinate (`Placement`). Up to `limit`, the
    Nyquist frequency of the output, `strength` is |mean of y(o) exp(-2 pi i f x(o))|: the gain of the wave at its own
    frequency. Above it, all output is alias, and `strength` is the root mean square of y(o). Both are means over all
    phases of the wave.

    `alias` is the largest strength above the limit, at frequency `alias_at`. `alias_share` is the part of the output
    power that is alias where the input is white noise. All are 0 where no frequency lies above the limit.
    """

    limit: float
    alias: float
    alias_at: float
    alias_share: float
    frequency: Array = field(repr=False, compare=False)
    strength: Array = field(repr=False, compare=False)

    @property
    def is_logarithmic(self) -> bool:
        """Whether the kept frequencies are spaced logarithmically, because the limit is low."""
        return self.limit * 2 * _MAX_LINEAR < 1


def response(taps: Taps, place: Placement) -> Response:
    """Return the response of an axis with that placement."""
    limit = min(0.5, 0.5 * taps.n_out / taps.n_in)
    fine = min(_MAX_TRANSFORM, 64 * taps.n_in / taps.n_out)
    length = 1 << int(np.ceil(np.log2(max(2048, taps.width, fine))))
    frequency = np.arange(length // 2 + 1) / length
    own, power = _sums(taps, place, length, frequency)
    above = frequency > limit * (1 + 1e-12)
    strength = np.where(above, np.sqrt(power), own)
    if not above.any():
        drawn = _drawn(frequency, limit)
        return Response(limit, 0.0, 0.0, 0.0, frequency[drawn], strength[drawn])
    highest = int(np.argmax(np.where(above, strength, -1.0) > strength[above].max() * (1 - 1e-9)))
    # Each frequency stands for a bin around it; the limit may lie inside a bin.
    edges = np.clip((np.arange(len(frequency) + 1) - 0.5) / length, 0, 0.5)
    total = float(power @ np.diff(edges))
    share = round(float(power @ np.diff(np.maximum(edges, limit))) / total, 9) if total else 0.0
    drawn = _drawn(frequency, limit, highest)
    return Response(
        limit, float(strength[highest]), float(frequency[highest]), share, frequency[drawn], strength[drawn]
    )


def _sums(taps: Taps, place: Placement, length: int, frequency: Array) -> tuple[Array, Array]:
    """Return, for each frequency, the gain at that frequency and the mean output power."""
    count = min(taps.n_out, _MAX_OUTPUTS, max(_MAX_VALUES // length, 1))
    first = (taps.n_out - count) // 2
    own, power = np.zeros(len(frequency), complex), np.zeros(len(frequency))
    step = max(_CHUNK // length, 1)
    for low in range(first, first + count, step):
        outputs = np.arange(low, min(low + step, first + count))
        waves = np.fft.rfft(taps.weights[outputs], length, axis=1)  # the conjugate, whose magnitude is the same
        power += (waves.real**2 + waves.imag**2).sum(axis=0)
        behind = taps.start[outputs] - place.coordinates(outputs)
        waves *= np.exp(np.multiply.outer(-2j * np.pi * behind, frequency))
        own += waves.sum(axis=0)
    return np.abs(own) / count, power / count


def _drawn(frequency: Array, limit: float, *also: int) -> NDArray[np.int64]:
    """Return the indices of frequencies to draw, with the last up to the limit and the first above it."""
    last = len(frequency) - 1
    if limit * 2 * _MAX_LINEAR < 1:
        first = max(limit / 8, frequency[1])
        wanted = np.geomspace(first, frequency[-1], _MAX_DRAWN) / frequency[1]
    else:
        wanted = np.linspace(0, last, _MAX_DRAWN)
    at_limit = int(np.searchsorted(frequency, limit * (1 + 1e-12)))
    places = [*np.round(wanted).astype(np.int64).tolist(), at_limit - 1, at_limit, *also]
    return np.unique(np.clip(places, 0, last))
