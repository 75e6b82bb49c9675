"""An explanation as text: heat maps side by side, the taps, values, and the findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...insight.explanation import Explanation
from ...insight.variant import Variant, once
from ..downsample import Array, TapsWindow, Window
from ..heatmap import HeatMap, Legend
from ..text import TextReport, format_size, pairs

_GAP = 4  # columns after each map
_MIN_WIDTH = 18  # columns of a map, below which maps are stacked
_MAX_CELLS = 32  # a side
_MAX_OUTPUTS = 4  # whose taps are drawn
_COLORS = {"high": "red", "medium": "yellow", "low": "cyan", "": "green"}


@dataclass(frozen=True)
class ExplanationText(TextReport):
    """An explanation, ready for `rich.print`."""

    facts: Explanation

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the title, the maps of all variants, and the findings."""
        yield Text(explanation_title(self.facts), style="bold")
        yield from _columns(self.facts, width)
        yield Text()
        yield from _findings(self.facts)


def explanation_title(facts: Explanation) -> str:
    """Return the method, if there is one for all variants, and the sizes."""
    methods = {one.method for one in facts.variants}
    kind = f"A {methods.pop()} resize" if len(methods) == 1 else "A resize"
    return f"{kind} from {format_size(facts.input_size)} to {format_size(facts.output_size)}"


def _columns(facts: Explanation, width: int) -> Iterator[RenderableType]:
    """Yield all variants on one scale, side by side as far as they fit, and the legends."""
    count = len(facts.variants)
    map_width = max(width // count - _GAP, _MIN_WIDTH)
    per_row = max(width // (map_width + _GAP), 1)
    taps = [TapsWindow.of(one.axes[-1], _MAX_OUTPUTS, min(map_width, _MAX_CELLS)) for one in facts.variants]
    tap_maps, heaviest = _paint([one.cells for one in taps], map_width)
    maps: list[HeatMap] = []
    peak = 0.0
    if len(facts.input_size) <= 2:
        window = Window.fit(facts.input_size, facts.output_size, min(map_width, _MAX_CELLS))
        maps, peak = _paint([window.cells(one.profiles) for one in facts.variants], map_width)
        yield Text("Each cell is the gradient of the sum of all outputs at that input pixel.")
        yield from map(Text, window.caption(facts.input_size))
    for first in range(0, count, per_row):
        some = slice(first, first + per_row)
        yield Text()
        yield _side_by_side(facts.variants[some], maps[some], tap_maps[some], map_width)
    yield Text()
    if maps:
        yield Legend(peak)
    caption = f" ({taps[0].caption})" if taps[0].caption else ""
    yield Text(f"Taps: a row is an output, a cell the weight of an input, up to {heaviest:.4g}{caption}.")


def _paint(tables: Sequence[Array], map_width: int) -> tuple[list[HeatMap], float]:
    """Return tables as maps on one square-root scale, and their largest magnitude."""
    peak = max(float(np.abs(each).max()) for each in tables)
    cell_width = 2 if 2 * max(each.shape[1] for each in tables) <= map_width else 1
    return [HeatMap(np.sqrt(np.abs(each) / (peak or 1.0)), cell_width) for each in tables], peak


def _side_by_side(variants: Sequence[Variant], maps: list[HeatMap], taps: list[HeatMap], map_width: int) -> Table:
    grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=True)
    for _ in variants:
        grid.add_column(overflow="fold", width=map_width)
    grid.add_row(*(Text(one.label, style="bold") for one in variants))
    if maps:
        grid.add_row(*maps)
    grid.add_row(*(Text(f"{one.reached:,} of {one.pixels:,} pixels") for one in variants))
    for row in zip(*(_values(one, map_width) for one in variants), strict=True):
        grid.add_row(*row)
    grid.add_row(*taps)
    return grid


def _values(one: Variant, map_width: int) -> list[Text]:
    """Return the values of a variant, a line each, or two where one is too long."""
    axis = one.axes[-1]
    lines = {
        "reached": f"{one.percent:.4g} %",
        "total": f"{one.total:,.10g}",
        "largest": f"{one.largest:.4g}",
        "uneven": f"{one.variation:.3g}",
        "shift": once(f"{shift:.3g}" for shift in one.shifts),
        "alias": once(f"{100 * alias:.3g} %" if alias else "none" for alias in one.aliases),
        "taps": once((str(axis.fewest), str(axis.most))).replace(", ", " to "),
    }
    fold = f",\n{'':9}"
    return [
        Text(f"{name:<7}  {value if len(value) + 9 <= map_width else value.replace(', ', fold)}")
        for name, value in lines.items()
    ]


def _findings(facts: Explanation) -> Iterator[RenderableType]:
    """Yield the findings of each variant, then the notes."""
    for one in facts.variants:
        arguments = f"{one.dialect} {one.method}, antialias={one.antialias}"
        label = "" if arguments.startswith(one.label) else f"{one.label}: "
        yield Text.assemble((label, "bold"), arguments)
        yield pairs(
            (Text(f"  {found.severity or 'fine':<6}", _COLORS[found.severity]), found.message) for found in one.findings
        )
    yield from (Text(note) for note in facts.notes)
