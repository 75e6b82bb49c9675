"""Response: what an axis does to waves, from the discrete Fourier transform of its matrix. Knows taps only."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..taps import Taps
from .placement import Placement

Array = NDArray[np.float64]

_MOST_OUTPUTS = 4096  # in the middle, of longer axes: more than the phases that sizes of images have
_MOST_NUMBERS = 1 << 24  # in all transforms of an axis together
_FINEST = 1 << 21  # in one transform, unless an output reads more pixels
_CHUNK = 1 << 19  # in those made at once
_MOST_SHOWN = 385  # frequencies that are kept to be drawn
_LINEAR = 16  # times smaller: up to there the frequencies kept are evenly spaced, and beyond in equal ratios


@dataclass(frozen=True)
class Response:
    """How strongly waves of each frequency come through an axis. Frequencies are cycles per input pixel, up to 0.5.

    Let y(o) be what output o makes of the wave exp(2 pi i f x), and x(o) where it is taken from (`Placement`). Up to
    `limit`, the highest frequency that the outputs can hold, `strength` is |mean of y(o) exp(-2 pi i f x(o))|: how much
    of the wave is left at its own frequency. Above it, all that comes out is an alias, a wave that was not there, and
    `strength` is the root of the mean of |y(o)|**2. Both are means over all phases of the wave.

    `alias` is the largest strength above the limit, at frequency `alias_at`. `alias_share` is how much of the power of
    the output is alias, where the input is noise, with all frequencies alike. All are 0 where nothing lies above it.

    >>> import sizewise as sw
    >>> from sizewise.insight.placement import placement
    >>> taps = sw.make_plan((16,), (4,), dialect="tensorflow1").taps[0]  # every fourth pixel: all comes back
    >>> one = response(taps, placement(taps))
    >>> one.limit, round(one.alias, 6), round(one.alias_share, 6)
    (0.125, 1.0, 0.75)
    """

    limit: float
    alias: float
    alias_at: float
    alias_share: float
    frequency: Array = field(repr=False, compare=False)
    strength: Array = field(repr=False, compare=False)

    @property
    def is_logarithmic(self) -> bool:
        """Whether the frequencies kept are spaced in equal ratios, since the limit is so low."""
        return self.limit * 2 * _LINEAR < 1


def response(taps: Taps, place: Placement) -> Response:
    """The response of an axis with that placement.

    >>> import sizewise as sw
    >>> from sizewise.insight.placement import placement
    >>> taps = sw.make_plan((16,), (4,)).taps[0]
    >>> round(response(taps, placement(taps)).alias_share, 3)
    0.086
    """
    limit = min(0.5, 0.5 * taps.n_out / taps.n_in)
    fine = min(_FINEST, 64 * taps.n_in / taps.n_out)
    length = 1 << int(np.ceil(np.log2(max(2048, taps.width, fine))))
    frequency = np.arange(length // 2 + 1) / length
    own, power = _sums(taps, place, length, frequency)
    above = frequency > limit * (1 + 1e-12)
    strength = np.where(above, np.sqrt(power), own)
    if not above.any():
        kept = _kept(frequency, limit)
        return Response(limit, 0.0, 0.0, 0.0, frequency[kept], strength[kept])
    highest = int(np.argmax(np.where(above, strength, -1.0) > strength[above].max() * (1 - 1e-9)))
    # Each frequency stands for what is nearer to it than to any other; the limit may lie within.
    edges = np.clip((np.arange(len(frequency) + 1) - 0.5) / length, 0, 0.5)
    total = float(power @ np.diff(edges))
    share = round(float(power @ np.diff(np.maximum(edges, limit))) / total, 9) if total else 0.0
    kept = _kept(frequency, limit, highest)
    return Response(limit, float(strength[highest]), float(frequency[highest]), share, frequency[kept], strength[kept])


def _sums(taps: Taps, place: Placement, length: int, frequency: Array) -> tuple[Array, Array]:
    """For each frequency, what is left of the wave at its own, and the mean power of all that comes out."""
    count = min(taps.n_out, _MOST_OUTPUTS, max(_MOST_NUMBERS // length, 1))
    first = (taps.n_out - count) // 2
    own, power = np.zeros(len(frequency), complex), np.zeros(len(frequency))
    step = max(_CHUNK // length, 1)
    for low in range(first, first + count, step):
        outputs = np.arange(low, min(low + step, first + count))
        waves = np.fft.rfft(taps.weights[outputs], length, axis=1)  # of x from start: conjugate, which sizes ignore
        power += (waves.real**2 + waves.imag**2).sum(axis=0)
        behind = taps.start[outputs] - place.coordinates(outputs)
        waves *= np.exp(np.multiply.outer(-2j * np.pi * behind, frequency))
        own += waves.sum(axis=0)
    return np.abs(own) / count, power / count


def _kept(frequency: Array, limit: float, *also: int) -> NDArray[np.int64]:
    """Which frequencies are kept to be drawn: few, the last up to the limit and the first above it among them."""
    last = len(frequency) - 1
    if limit * 2 * _LINEAR < 1:
        first = max(limit / 8, frequency[1])
        wanted = np.geomspace(first, frequency[-1], _MOST_SHOWN) / frequency[1]
    else:
        wanted = np.linspace(0, last, _MOST_SHOWN)
    at_limit = int(np.searchsorted(frequency, limit * (1 + 1e-12)))
    places = [*np.round(wanted).astype(np.int64).tolist(), at_limit - 1, at_limit, *also]
    return np.unique(np.clip(places, 0, last))
