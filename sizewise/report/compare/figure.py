"""A comparison as a PNG figure: the results, and below them where they differ from the first."""

from __future__ import annotations

import numpy as np

from ...insight.comparison import Comparison, Entry
from ...insight.pixel_error import format_value
from ..colormap import heat_colors
from ..figure import Panel, draw_figure, enlarge
from ..text import format_sizes
from .html import display_pixels, largest_difference
from .text import format_difference


def comparison_figure(facts: Comparison) -> bytes:
    """Return the figure of a comparison as a PNG file."""
    peak = largest_difference(facts)
    sizes = format_sizes(facts.input_size, facts.output_size)
    title = f"{sizes}: differences from {facts.entries[0].spec.label}"
    panels = [_panels(entry, facts, peak) for entry in facts.entries]
    return draw_figure(title, panels, [(f"difference, of {format_value(facts.range)}", peak)])


def _panels(entry: Entry, facts: Comparison, peak: float) -> list[Panel]:
    largest, mean, psnr, _ = format_difference(entry.difference)
    text = f"largest {largest}, mean {mean}, PSNR {psnr}" if entry.difference.largest else "the same pixels"
    if entry is facts.entries[0]:
        text = "the others are compared with this"
    heat = heat_colors(np.sqrt(entry.apart / peak))
    return [Panel(entry.spec.label, enlarge(display_pixels(entry.pixels, facts))), Panel(text, enlarge(heat))]
