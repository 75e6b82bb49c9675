"""Heat maps for the terminal: levels from 0 to 1 as colored cells, or as shades without color."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from .colormap import NOTHING, viridis

Array = NDArray[np.float64]

_NOTHING = Color.from_rgb(*NOTHING)
_SHADES, _ASCII_SHADES = "·░▒▓█", ".:+#@"


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A table of levels from 0 to 1 as a picture, each cell `width` characters wide.

    With color, cells one character wide are drawn as half blocks, two per character, so that they are square.
    """

    levels: Array
    width: int = 2

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        columns = self.levels.shape[1] * self.width
        return Measurement(columns, columns)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not _has_colors(console):
            shades = _shades_of(console)
            for row in self.levels:
                yield Segment("".join(shades[shade_index(level)] * self.width for level in row) + "\n")
        elif self.width > 1 or options.ascii_only:
            for row in self.levels:
                cells = (Segment(" " * self.width, Style(bgcolor=color(level))) for level in row)
                yield from Segment.simplify(cells)
                yield Segment.line()
        else:
            yield from self._half_blocks()

    def _half_blocks(self) -> Iterator[Segment]:
        for top in range(0, len(self.levels), 2):
            for upper, lower in zip(self.levels[top], self.levels[min(top + 1, len(self.levels) - 1)], strict=True):
                below = color(lower) if top + 1 < len(self.levels) else None
                yield Segment("▀", Style(color=color(upper), bgcolor=below))
            yield Segment.line()


@dataclass(frozen=True)
class Legend:
    """The scale of a heat map up to `peak`, on one line."""

    peak: float

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._colors() if _has_colors(console) else self._shades(_shades_of(console))

    def _colors(self) -> Text:
        line = Text("none ").append("  ", Style(bgcolor=_NOTHING)).append("   0 ")
        for level in np.linspace(0.0, 1.0, 16):
            line.append(" ", Style(bgcolor=color(max(level, 1e-9))))
        return line.append(f" {self.peak:.4g}   (one square-root scale, middle {self.peak / 4:.4g})")

    def _shades(self, shades: str) -> Text:
        steps = [f"{shades[0]} none"]
        for index in range(1, len(shades)):
            limit = self.peak * (index / (len(shades) - 1)) ** 2
            steps.append(f"{shades[index]} {'up to ' if index == 1 else ''}{limit:.4g}")
        return Text(f"{'  '.join(steps)}  (one square-root scale)")


def _has_colors(console: Console) -> bool:
    """Return whether the console has enough colors for a ramp."""
    return console.color_system in ("256", "truecolor") and not console.no_color


def _shades_of(console: Console) -> str:
    """Return the characters for nothing, and for four steps up to the peak."""
    return _ASCII_SHADES if console.options.ascii_only else _SHADES


def shade_index(level: float) -> int:
    """Return the shade of a level: 0 for nothing, then four even steps."""
    steps = len(_SHADES) - 1
    return int(np.clip(np.ceil(round(level * steps, 9)), 1, steps)) if level > 0 else 0  # rounded: 0.5 + 1e-16 is 0.5


def color(level: float) -> Color:
    """Return the color of a level."""
    if level <= 0:
        return _NOTHING
    return Color.from_rgb(*viridis(np.array(min(level, 1.0))))
