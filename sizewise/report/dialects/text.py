"""Descriptions of dialects as text: a list of all, or one with its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...insight.description import Description
from ..text import TextReport, bullets, columns, pairs
from .wording import INTRODUCTION, arguments, guarantees, summary, tables


@dataclass(frozen=True)
class DialectsText(TextReport):
    """All dialects in short, ready for `rich.print`."""

    facts: tuple[Description, ...]

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield a paragraph for each dialect."""
        for position, about in enumerate(self.facts):
            if position:
                yield Text()
            yield from _opening(about, summary(about))


@dataclass(frozen=True)
class DialectText(TextReport):
    """One dialect with its formulas, ready for `rich.print`."""

    facts: Description

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the arguments, the tables, the contract and the notes."""
        about = self.facts
        yield from _opening(about, arguments(about))
        for heading, names, rows in tables(about):
            yield Text(f"\n{heading}", style="bold")
            if heading == "Coordinates":
                yield Text(INTRODUCTION)
            yield _table(names, rows)
        yield Text("\nContract", style="bold")
        yield bullets(guarantees(about.contract))
        yield Text("\nNotes", style="bold")
        for position, note in enumerate(about.notes):
            yield Text(f"\n{note}" if position else note)


def _opening(about: Description, rows: Mapping[str, str]) -> Iterator[RenderableType]:
    yield Text.assemble((about.name, "bold"), f"  {about.versions}")
    yield pairs((f"  {name}", text) for name, text in rows.items())


def _table(names: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = columns(*names, padding=2, style="italic")
    for column in table.columns:
        column.ratio = 1 if column.header != "step" else None
    for row in rows:
        table.add_row(*map(Text, row))
    return table
