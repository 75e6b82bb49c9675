"""Curves for a page: the response of an axis as the paths of an SVG picture, which takes its colours from the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..insight.axis import Axis

WIDTH, HEIGHT = 360, 220
LEFT, RIGHT, TOP, BOTTOM = 40, 348, 12, 172


@dataclass(frozen=True)
class ResponseCurve:
    """The response of an axis as a picture `WIDTH` by `HEIGHT`.

    Up to the limit the line says what is left of a wave; above it, under `alias_area`, what comes back as another.

    >>> import sizewise as sw
    >>> curve = ResponseCurve(sw.make_plan((16,), (4,)).explain().axes[0])
    >>> curve.x_ticks[:2], curve.y_ticks[-1]
    ([(40.0, '0'), (101.6, '0.1')], (12.0, '1'))
    """

    axis: Axis

    @property
    def own(self) -> str:
        """The line up to the limit."""
        response = self.axis.response
        return _line(self._points(response.frequency <= response.limit * (1 + 1e-9)))

    @property
    def alias(self) -> str:
        """The line above the limit; empty where there is nothing above it."""
        response = self.axis.response
        return _line(self._points(response.frequency > response.limit * (1 + 1e-9)))

    @property
    def alias_area(self) -> str:
        """What lies below that line."""
        response = self.axis.response
        points = self._points(response.frequency > response.limit * (1 + 1e-9))
        return f"{_line(points)}L{points[-1][0]} {BOTTOM}L{points[0][0]} {BOTTOM}Z" if points else ""

    @property
    def limit(self) -> float | None:
        """Where the limit is, if something lies above it."""
        response = self.axis.response
        return self._x(response.limit) if response.limit < 0.5 else None

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """Frequencies that are written below, and where."""
        if self._is_logarithmic:
            low = math.ceil(math.log10(float(self.axis.response.frequency[0])) - 1e-9)
            numbers = [10.0**power for power in range(low, 0)]
            numbers = numbers[:: -(-len(numbers) // 4)]
        else:
            numbers = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
        return [(self._x(number), f"{number:g}") for number in numbers]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Strengths that are written at the side, and where."""
        step = 0.5 if self._top <= 2 else next((one for one in (1, 2, 5, 10, 50) if self._top / one <= 5), self._top)
        numbers = np.arange(0, self._top + 1e-9, step)
        return [(self._y(float(number)), f"{number:g}") for number in numbers]

    @property
    def data(self) -> dict[str, object]:
        """What the page's script tells when the pointer is there: for each place from the left, the words."""
        response = self.axis.response
        words = []
        for frequency, strength in zip(response.frequency.tolist(), response.strength.tolist(), strict=True):
            fate = "comes back as alias" if frequency > response.limit * (1 + 1e-9) else "is left"
            wave = f"a wave of {1 / frequency:.3g} pixels" if frequency else "what is constant"
            words.append(f"{wave} ({frequency:.4g} cycles per pixel)\n{100 * strength:.3g} % {fate}")
        return {"width": WIDTH, "places": [self._x(one) for one in response.frequency.tolist()], "words": words}

    @property
    def description(self) -> str:
        """The picture in words."""
        response = self.axis.response
        if response.limit >= 0.5:
            return "Response to waves: nothing aliases"
        return f"Response to waves: up to {100 * response.alias:.3g} % comes back as alias above {response.limit:.4g}"

    @property
    def _is_logarithmic(self) -> bool:
        return self.axis.response.is_logarithmic

    @property
    def _top(self) -> float:
        return max(1.0, float(self.axis.response.strength.max()))

    def _points(self, chosen: NDArray[np.bool_]) -> list[tuple[float, float]]:
        response = self.axis.response
        pairs = zip(response.frequency[chosen].tolist(), response.strength[chosen].tolist(), strict=True)
        return [(self._x(frequency), self._y(strength)) for frequency, strength in pairs]

    def _x(self, frequency: float) -> float:
        if self._is_logarithmic:
            first = math.log(float(self.axis.response.frequency[0]))
            part = (math.log(frequency) - first) / (math.log(0.5) - first)
        else:
            part = frequency / 0.5
        return round(LEFT + part * (RIGHT - LEFT), 1)

    def _y(self, strength: float) -> float:
        return round(BOTTOM - strength / self._top * (BOTTOM - TOP), 1)


def _line(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points) if points else ""
