"""Facts as text for the terminal: heat maps side by side, a table, and the findings in words.

Gives rich renderables; the console decides on width and colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.coverage import Coverage
from ..insight.explanation import Explanation
from .heatmap import Array, HeatMap, Legend, block_means

_GAP = 4  # columns after each map
_NARROWEST = 18  # columns of a map, below which maps are stacked rather than made coarser
_MOST_CELLS = 32  # a side


@dataclass(frozen=True)
class ExplanationText:
    """An explanation, ready for `rich.print`.

    >>> from rich.console import Console
    >>> from sizewise.insight.explanation import explain
    >>> Console(width=80).print(ExplanationText(explain((4,), (2,), dialects=["tfjs"])))
    What a bilinear resize from 4 to 2 does to the gradient
    Each cell shows how much the sum of all outputs changes with that input pixel.
    <BLANKLINE>
    tfjs
    ██··██··
    2 of 4 pixels
    reached  50 %
    total    2
    largest  1
    <BLANKLINE>
    · none  ░ up to 0.0625  ▒ 0.25  ▓ 0.5625  █ 1  (one square-root scale)
    <BLANKLINE>
    variant  dialect  antialias  reached  share  total  largest
    ───────────────────────────────────────────────────────────
    tfjs     tfjs     no               2   50 %      2        1
    <BLANKLINE>
    tfjs  2 of 4 pixels get no gradient;
          dialect=standard, antialias=True reaches all
    """

    facts: Explanation

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts(options.max_width)), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self, width: int) -> Iterator[RenderableType]:
        yield _heading(self.facts)
        if len(self.facts.input_size) <= 2:
            yield from _maps(self.facts, width)
        else:
            yield Text()
        yield _table(self.facts.variants)
        yield Text()
        yield _findings(self.facts, width)


def trimmed(line: list[Segment]) -> list[Segment]:
    """A line without the spaces that tables leave at its end: they show when the text is copied."""
    kept = list(line)
    while kept and not (kept[-1].style and kept[-1].style.bgcolor):
        text, style, _ = kept.pop()
        if text.rstrip():
            return [*kept, Segment(text.rstrip(), style)]
    return kept


def _by(size: tuple[int, ...]) -> str:
    return "x".join(map(str, size))


def _heading(facts: Explanation) -> Text:
    methods = {one.method for one in facts.variants}
    kind = f"a {methods.pop()} resize" if len(methods) == 1 else "a resize"
    sizes = f"from {_by(facts.input_size)} to {_by(facts.output_size)}"
    return Text(f"What {kind} {sizes} does to the gradient", style="bold")


def _maps(facts: Explanation, width: int) -> Iterator[RenderableType]:
    """The maps of all variants on one scale, side by side as far as there is room, and the legend."""
    count = len(facts.variants)
    room = max(width // count - _GAP, _NARROWEST)
    window = _Window.fit(facts, min(room, _MOST_CELLS))
    cells = [window.cells(one) for one in facts.variants]
    peak = max(float(each.max()) for each in cells)
    cell_width = 2 if 2 * cells[0].shape[1] <= room else 1
    yield Text("Each cell shows how much the sum of all outputs changes with that input pixel.")
    yield from window.caption(facts.input_size)
    per_row = max(width // (room + _GAP), 1)
    for first in range(0, count, per_row):
        yield Text()
        maps = [HeatMap(np.sqrt(each / (peak or 1.0)), cell_width) for each in cells[first : first + per_row]]
        yield _side_by_side(facts.variants[first : first + per_row], maps, room)
    yield Text()
    yield Legend(peak)
    yield Text()


@dataclass(frozen=True)
class _Window:
    """What of an image fits in a map: the first `shown` pixels of each axis, the mean of each `block` as one cell."""

    shown: int
    block: int = 1

    @classmethod
    def fit(cls, facts: Explanation, cells: int) -> _Window:
        """The whole image where it fits, or as means where two cells or more are left for each output pixel.

        Otherwise a corner: means of more than an output pixel are the same everywhere, and would show full coverage.
        """
        longest = max(facts.input_size)
        if longest <= cells:
            return cls(longest)
        if 2 * max(facts.output_size) <= cells:
            return cls(longest, -(-longest // cells))
        return cls(cells)

    def cells(self, one: Coverage) -> Array:
        """The size of the gradient in each cell, as rows and columns."""
        means = [np.abs(block_means(profile[: self.shown], self.block)) for profile in one.profiles]
        return np.multiply.outer(means[0], means[1]) if len(means) == 2 else means[0][None, :]

    def caption(self, size: tuple[int, ...]) -> Iterator[Text]:
        """What is shown, where it is not the whole image pixel by pixel."""
        if self.block > 1:
            yield Text(f"Each cell is the mean of {_by(tuple(min(self.block, n) for n in size))} pixels.")
        elif self.shown < max(size):
            place = "first" if len(size) == 1 else "top left"
            yield Text(f"Shown are the {place} {_by(tuple(min(self.shown, n) for n in size))} pixels.")


def _side_by_side(variants: Sequence[Coverage], maps: list[HeatMap], room: int) -> Table:
    grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=True)
    for _ in variants:
        grid.add_column(overflow="fold", width=room)
    grid.add_row(*(Text(one.label, style="bold") for one in variants))
    grid.add_row(*maps)
    grid.add_row(*(Text(f"{one.reached:,} of {one.pixels:,} pixels") for one in variants))
    grid.add_row(*(_numbers(one) for one in variants))
    return grid


def _numbers(one: Coverage) -> Text:
    return Text(f"reached  {one.percent:.4g} %\ntotal    {one.total:,.10g}\nlargest  {one.largest:.4g}")


def _table(variants: tuple[Coverage, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("variant", "dialect", "antialias"):
        table.add_column(name, overflow="fold")
    for name in ("reached", "share", "total", "largest"):
        table.add_column(name, justify="right", overflow="fold")
    for one in variants:
        numbers = (f"{one.reached:,}", f"{one.percent:.4g} %", f"{one.total:,.10g}", f"{one.largest:.4g}")
        table.add_row(Text(one.label), one.dialect, "yes" if one.antialias else "no", *numbers)
    return table


def _findings(facts: Explanation, width: int) -> RenderableType:
    """What stands out in each variant, then what was left out."""
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(overflow="fold", style="bold")
    grid.add_column(overflow="fold")
    room = width - 2 - max(len(one.label) for one in facts.variants)
    for one in facts.variants:
        finding = one.finding if len(one.finding) <= room else one.finding.replace("; ", ";\n")
        grid.add_row(Text(one.label), Text(finding))
    return Group(grid, *(Text(note) for note in facts.notes))
