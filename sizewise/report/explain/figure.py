"""An explanation as a PNG figure: for each variant the gradient, the taps and the response."""

from __future__ import annotations

from ...insight.explanation import Explanation
from ..colormap import heat_colors
from ..figure import Panel, draw_figure, draw_response, enlarge
from ..text import format_size
from .html import VariantView, pictures

_MAX_CELLS = 64  # a side


def explanation_figure(facts: Explanation) -> bytes:
    """Return the figure of an explanation as a PNG file: a column for each variant, on one color scale."""
    views, peak, heaviest = pictures(facts, _MAX_CELLS)
    scales = [("gradient", peak)] * (views[0].map is not None) + [("weight", heaviest)]
    title = f"Resize from {format_size(facts.input_size)} to {format_size(facts.output_size)}"
    return draw_figure(title, [_panels(one) for one in views], scales)


def _panels(one: VariantView) -> list[Panel]:
    label = f"{one.facts.label}\n{one.facts.percent:.3g} % read, largest gradient {one.facts.largest:.3g}\n"
    (taps_caption, taps), (axis, curve) = one.taps[-1], one.curves[-1]
    weights = f"weights of each output (row) and input (column), {taps_caption}"
    panels = [Panel(f"frequency response, {axis}", draw_response(curve))]
    if one.map is None:
        return [Panel(label + weights, enlarge(heat_colors(taps.levels))), *panels]
    gradient = Panel(f"{label}gradient of each input pixel", enlarge(heat_colors(one.map.levels)))
    return [gradient, Panel(weights, enlarge(heat_colors(taps.levels))), *panels]
