"""Facts as text for the terminal: heat maps side by side, the taps, numbers, and the findings in words.

Gives rich renderables; the console decides on width and colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.explanation import Explanation
from ..insight.variant import Variant, once
from .heatmap import HeatMap, Legend
from .window import Array, TapsWindow, Window, by

_GAP = 4  # columns after each map
_NARROWEST = 18  # columns of a map, below which maps are stacked rather than made coarser
_MOST_CELLS = 32  # a side
_MOST_TAPS = 4  # outputs whose taps are drawn
_COLOURS = {"high": "red", "medium": "yellow", "low": "cyan", "": "green"}


@dataclass(frozen=True)
class ExplanationText:
    """An explanation, ready for `rich.print`.

    >>> from rich.console import Console
    >>> from sizewise.insight.explanation import explain
    >>> Console(width=80).print(ExplanationText(explain((4,), (2,), dialects=["tfjs"])))
    What a bilinear resize from 4 to 2 does
    Each cell shows how much the sum of all outputs changes with that input pixel.
    <BLANKLINE>
    tfjs
    ██··██··
    2 of 4 pixels
    reached  50 %
    total    2
    largest  1
    uneven   1
    shift    0.25
    alias    100 %
    taps     1
    ██······
    ····██··
    <BLANKLINE>
    · none  ░ up to 0.0625  ▒ 0.25  ▓ 0.5625  █ 1  (one square-root scale)
    Taps: a row is an output, a cell an input it reads, up to 1.
    <BLANKLINE>
    tfjs bilinear, antialias=False
      high    2 of 4 pixels get no gradient; dialect=standard, antialias=True
              reaches all
      high    waves shorter than 4 pixels alias: 50 % of what noise becomes
      medium  an attacker controls the output through 50 % of the pixels
      medium  the image moves by 0.25 output pixel right against half-pixel centres
    """

    facts: Explanation

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts(options.max_width)), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self, width: int) -> Iterator[RenderableType]:
        yield _heading(self.facts)
        yield from _columns(self.facts, width)
        yield Text()
        yield from _findings(self.facts)


def trimmed(line: list[Segment]) -> list[Segment]:
    """A line without the spaces that tables leave at its end: they show when the text is copied."""
    kept = list(line)
    while kept and not (kept[-1].style and kept[-1].style.bgcolor):
        text, style, _ = kept.pop()
        if text.rstrip():
            return [*kept, Segment(text.rstrip(), style)]
    return kept


def _heading(facts: Explanation) -> Text:
    methods = {one.method for one in facts.variants}
    kind = f"a {methods.pop()} resize" if len(methods) == 1 else "a resize"
    sizes = f"from {by(facts.input_size)} to {by(facts.output_size)}"
    return Text(f"What {kind} {sizes} does", style="bold")


def _columns(facts: Explanation, width: int) -> Iterator[RenderableType]:
    """All variants on one scale, side by side as far as there is room, and the legends."""
    count = len(facts.variants)
    room = max(width // count - _GAP, _NARROWEST)
    per_row = max(width // (room + _GAP), 1)
    taps = [TapsWindow.of(one.axes[-1], _MOST_TAPS, min(room, _MOST_CELLS)) for one in facts.variants]
    tap_maps, heaviest = _painted([one.cells for one in taps], room)
    maps: list[HeatMap] = []
    peak = 0.0
    if len(facts.input_size) <= 2:
        window = Window.fit(facts.input_size, facts.output_size, min(room, _MOST_CELLS))
        maps, peak = _painted([window.cells(one.profiles) for one in facts.variants], room)
        yield Text("Each cell shows how much the sum of all outputs changes with that input pixel.")
        yield from map(Text, window.caption(facts.input_size))
    for first in range(0, count, per_row):
        some = slice(first, first + per_row)
        yield Text()
        yield _side_by_side(facts.variants[some], maps[some], tap_maps[some], room)
    yield Text()
    if maps:
        yield Legend(peak)
    caption = f" ({taps[0].caption})" if taps[0].caption else ""
    yield Text(f"Taps: a row is an output, a cell an input it reads, up to {heaviest:.4g}{caption}.")


def _painted(tables: Sequence[Array], room: int) -> tuple[list[HeatMap], float]:
    """Tables of numbers as maps on one square-root scale, and the largest size in them."""
    peak = max(float(np.abs(each).max()) for each in tables)
    cell_width = 2 if 2 * max(each.shape[1] for each in tables) <= room else 1
    return [HeatMap(np.sqrt(np.abs(each) / (peak or 1.0)), cell_width) for each in tables], peak


def _side_by_side(variants: Sequence[Variant], maps: list[HeatMap], taps: list[HeatMap], room: int) -> Table:
    grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=True)
    for _ in variants:
        grid.add_column(overflow="fold", width=room)
    grid.add_row(*(Text(one.label, style="bold") for one in variants))
    if maps:
        grid.add_row(*maps)
    grid.add_row(*(Text(f"{one.reached:,} of {one.pixels:,} pixels") for one in variants))
    for row in zip(*(_numbers(one, room) for one in variants), strict=True):
        grid.add_row(*row)
    grid.add_row(*taps)
    return grid


def _numbers(one: Variant, room: int) -> list[Text]:
    """The numbers of a variant, a line each, or two where there is no room for one."""
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
    folded = {
        name: value if len(value) + 9 <= room else value.replace(", ", f",\n{'':9}") for name, value in lines.items()
    }
    return [Text(f"{name:<7}  {value}") for name, value in folded.items()]


def _findings(facts: Explanation) -> Iterator[RenderableType]:
    """What stands out in each variant, then what was left out."""
    for one in facts.variants:
        words = f"{one.dialect} {one.method}, antialias={one.antialias}"
        label = "" if words.startswith(one.label) else f"{one.label}: "
        yield Text.assemble((label, "bold"), words)
        grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
        grid.add_column(width=8)
        grid.add_column(overflow="fold")
        for finding in one.findings:
            grid.add_row(Text(f"  {finding.severity or 'fine'}", _COLOURS[finding.severity]), Text(finding.words))
        yield grid
    yield from (Text(note) for note in facts.notes)
