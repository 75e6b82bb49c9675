"""Dialects described, a list of all or one with its formulas: for the terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.description import Description
from .dialect_words import INTRODUCTION, promises, summary, tables, words
from .text import trimmed


@dataclass(frozen=True)
class DialectsText:
    """All dialects in short, ready for `rich.print`.

    >>> from rich.console import Console
    >>> from sizewise.insight.description import describe
    >>> Console(width=80).print(DialectsText((describe("tfjs"),)))
    tfjs  @tensorflow/tfjs 4.22
      methods   bilinear, nearest
      options   align_corners, half_pixel_centers
      promised  nearest picks the same pixels; float32 within 1 ULP
    """

    facts: tuple[Description, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _lines(console, options, self._parts())

    def _parts(self) -> Iterator[RenderableType]:
        for position, about in enumerate(self.facts):
            if position:
                yield Text()
            yield Text.assemble((about.name, "bold"), f"  {about.versions}")
            yield _pairs(summary(about).items(), indent=2)


@dataclass(frozen=True)
class DialectText:
    """One dialect with its formulas, ready for `rich.print`.

    >>> from rich.console import Console
    >>> from sizewise.insight.description import describe
    >>> console = Console(width=80)
    >>> with console.capture() as shown:
    ...     console.print(DialectText(describe("tfjs")))
    >>> print(shown.get()[:27])
    tfjs  @tensorflow/tfjs 4.22
    """

    facts: Description

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _lines(console, options, self._parts())

    def _parts(self) -> Iterator[RenderableType]:
        about = self.facts
        yield Text.assemble((about.name, "bold"), f"  {about.versions}")
        yield _pairs(words(about).items(), indent=2)
        for heading, columns, rows in tables(about):
            yield Text(f"\n{heading}", style="bold")
            if heading == "Coordinates":
                yield Text(INTRODUCTION)
            yield _table(columns, rows)
        yield Text("\nPromised", style="bold")
        yield from (_item(line) for line in promises(about.contract))
        yield Text("\nNotes", style="bold")
        for position, note in enumerate(about.notes):
            yield Text(f"\n{note}" if position else note)


def _lines(console: Console, options: ConsoleOptions, parts: Iterable[RenderableType]) -> Iterator[Segment]:
    for line in console.render_lines(Group(*parts), options, pad=False):
        yield from trimmed(line)
        yield Segment.line()


def _pairs(pairs: Iterable[tuple[str, str]], indent: int) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for name, text in pairs:
        grid.add_row(Text(" " * indent + name), Text(text))
    return grid


def _item(line: str) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row("-", Text(line))
    return grid


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="italic")
    for column in columns:
        table.add_column(column, overflow="fold", ratio=1 if column != "step" else None)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def as_json(facts: Description | tuple[Description, ...]) -> str:
    """One description, or a list of them, as JSON on one line.

    >>> from sizewise.insight.description import describe
    >>> json.loads(as_json(describe("tfjs")))["contract"]["floats"]
    {'bilinear': 1}
    """
    record: Any = asdict(facts) if isinstance(facts, Description) else [asdict(one) for one in facts]
    return json.dumps(record, allow_nan=False, default=dict)
