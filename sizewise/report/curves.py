"""Curves: the frequency response of an axis as points of a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..insight.axis import Axis

WIDTH, HEIGHT = 360, 220
LEFT, RIGHT, TOP, BOTTOM = 40, 348, 12, 172


@dataclass(frozen=True)
class ResponseCurve:
    """The response of an axis as a picture `WIDTH` by `HEIGHT`: the gain up to the limit, and alias above it."""

    axis: Axis

    @property
    def own_points(self) -> list[tuple[float, float]]:
        """The curve up to the limit."""
        return self._points(~self._above)

    @property
    def alias_points(self) -> list[tuple[float, float]]:
        """The curve above the limit; empty where nothing lies above it."""
        return self._points(self._above)

    @property
    def limit(self) -> float | None:
        """The position of the limit, if something lies above it."""
        response = self.axis.response
        return self._x(response.limit) if response.limit < 0.5 else None

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """Positions and texts of the frequencies."""
        if self.axis.response.is_logarithmic:
            low = math.ceil(math.log10(float(self.axis.response.frequency[0])) - 1e-9)
            numbers = [10.0**power for power in range(low, 0)]
            numbers = numbers[:: -(-len(numbers) // 4)]
        else:
            numbers = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
        return [(self._x(number), f"{number:g}") for number in numbers]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Positions and texts of the strengths."""
        step = 0.5 if self._top <= 2 else next((one for one in (1, 2, 5, 10, 50) if self._top / one <= 5), self._top)
        numbers = np.arange(0, self._top + 1e-9, step)
        return [(self._y(float(number)), f"{number:g}") for number in numbers]

    @property
    def data(self) -> dict[str, object]:
        """Positions and texts that the page's script shows under the pointer."""
        response = self.axis.response
        texts = []
        for frequency, strength in zip(response.frequency.tolist(), response.strength.tolist(), strict=True):
            fate = "aliases" if frequency > response.limit * (1 + 1e-9) else "remains"
            wave = f"a wave of {1 / frequency:.3g} pixels" if frequency else "a constant"
            texts.append(f"{wave} ({frequency:.4g} cycles per pixel)\n{100 * strength:.3g} % {fate}")
        return {"width": WIDTH, "places": [self._x(one) for one in response.frequency.tolist()], "texts": texts}

    @property
    def description(self) -> str:
        """A description of the picture."""
        response = self.axis.response
        if response.limit >= 0.5:
            return "Frequency response: nothing aliases"
        return f"Frequency response: up to {100 * response.alias:.3g} % aliases above {response.limit:.4g}"

    @property
    def _above(self) -> NDArray[np.bool_]:
        above: NDArray[np.bool_] = self.axis.response.frequency > self.axis.response.limit * (1 + 1e-9)
        return above

    @property
    def _top(self) -> float:
        return max(1.0, float(self.axis.response.strength.max()))

    def _points(self, chosen: NDArray[np.bool_]) -> list[tuple[float, float]]:
        response = self.axis.response
        pairs = zip(response.frequency[chosen].tolist(), response.strength[chosen].tolist(), strict=True)
        return [(self._x(frequency), self._y(strength)) for frequency, strength in pairs]

    def _x(self, frequency: float) -> float:
        if self.axis.response.is_logarithmic:
            first = math.log(float(self.axis.response.frequency[0]))
            part = (math.log(frequency) - first) / (math.log(0.5) - first)
        else:
            part = frequency / 0.5
        return round(LEFT + part * (RIGHT - LEFT), 1)

    def _y(self, strength: float) -> float:
        return round(BOTTOM - strength / self._top * (BOTTOM - TOP), 1)
