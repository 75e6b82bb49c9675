"""PNG figures: columns of titled pictures, drawn with Pillow."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .colormap import NOTHING, viridis
from .curves import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, ResponseCurve

_MARGIN, _LINE = 24, 20  # pixels
_MAX_COLUMNS = 6
_INK, _QUIET, _RULE, _OWN, _ALIAS = "#1b1e24", "#5a6270", "#dfe3ea", "#2a6f97", "#b35c00"


@dataclass(frozen=True)
class Panel:
    """A picture of at most `WIDTH` pixels, with lines of text above it."""

    text: str
    picture: Image.Image

    @property
    def lines(self) -> list[str]:
        """The text in lines that fit."""
        return [line for part in self.text.splitlines() for line in textwrap.wrap(part, 46) or [""]]


def enlarge(pixels: NDArray[np.uint8]) -> Image.Image:
    """Return pixels, (rows, columns) or with channels, enlarged to the width of a panel without smoothing."""
    rows, columns = pixels.shape[:2]
    scale = min(WIDTH / columns, 1.5 * WIDTH / rows)
    size = max(round(columns * scale), 4), max(round(rows * scale), 16)
    return Image.fromarray(np.ascontiguousarray(pixels)).convert("RGB").resize(size, Image.Resampling.NEAREST)


def draw_response(curve: ResponseCurve) -> Image.Image:
    """Draw the frequency response of an axis."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(picture)
    for y, text in curve.y_ticks:
        draw.line([(LEFT, y), (RIGHT, y)], _RULE)
        draw.text((LEFT - 6, y), text, _QUIET, _font(12), "rm")
    for x, text in curve.x_ticks:
        draw.line([(x, BOTTOM), (x, BOTTOM + 5)], _RULE)
        draw.text((x, BOTTOM + 8), text, _QUIET, _font(12), "mt")
    draw.text(((LEFT + RIGHT) / 2, HEIGHT - 12), "cycles per input pixel (orange: alias)", _QUIET, _font(12), "mm")
    if curve.limit is not None:
        draw.line([(curve.limit, TOP), (curve.limit, BOTTOM)], _QUIET)
    for points, color in ((curve.own_points, _OWN), (curve.alias_points, _ALIAS)):
        draw.line(points, color, 2)
    return picture


def draw_figure(title: str, columns: Sequence[Sequence[Panel]], scales: Sequence[tuple[str, float]]) -> bytes:
    """Return a PNG file with columns of panels, all of one length, and the color scales of what they show."""
    bands = -(-len(columns) // _MAX_COLUMNS)
    width = -(-len(columns) // bands)
    rows = [
        [*row] for first in range(0, len(columns), width) for row in zip(*columns[first : first + width], strict=True)
    ]
    heights = [max(_LINE * len(one.lines) + one.picture.height for one in row) + _MARGIN for row in rows]
    total = 2 * _MARGIN + 2 * _LINE + sum(heights) + 2 * _LINE * len(scales)
    figure = Image.new("RGB", (max(width * (WIDTH + _MARGIN) + _MARGIN, 640), total), "white")
    draw = ImageDraw.Draw(figure)
    draw.text((_MARGIN, _MARGIN), title, _INK, _font(20))
    y = _MARGIN + 2 * _LINE
    for row, height in zip(rows, heights, strict=True):
        text_height = _LINE * max(len(panel.lines) for panel in row)
        for position, panel in enumerate(row):
            x = _MARGIN + position * (WIDTH + _MARGIN)
            draw.text((x, y), "\n".join(panel.lines), _INK, _font(14))
            figure.paste(panel.picture, (x, y + text_height))
        y += height
    for name, peak in scales:
        _draw_scale(figure, draw, y, f"{name}: none", f"0 to {peak:.4g} (square-root scale, middle {peak / 4:.4g})")
        y += 2 * _LINE
    file = io.BytesIO()
    figure.save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_scale(figure: Image.Image, draw: ImageDraw.ImageDraw, y: int, name: str, text: str) -> None:
    draw.text((_MARGIN, y), name, _QUIET, _font(14))
    x = _MARGIN + round(draw.textlength(name, _font(14))) + 8
    draw.rectangle([x, y + 2, x + 14, y + 14], NOTHING)
    ramp = np.repeat(viridis(np.linspace(0.0, 1.0, 200))[None], 12, axis=0)
    figure.paste(Image.fromarray(ramp), (x + 28, y + 2))
    draw.text((x + 238, y), text, _QUIET, _font(14))


def _font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)
