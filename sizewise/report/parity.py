"""The facts of a parity sweep: a table for the terminal, the same for a page, and what stands out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..parity import Measure, Parity, Row
from .text import trimmed

HEADINGS = ("dialect and method", "cases", "pixels off", "bytes off", "ULP", "gradient", "")


@dataclass(frozen=True)
class ParityText:
    """A parity sweep, ready for `rich.print`.

    >>> from rich.console import Console
    >>> from sizewise.parity import Parity
    >>> Console(width=80).print(ParityText(Parity((), ())))
    Nothing was compared: no framework is installed.
    """

    facts: Parity

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts()), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self) -> Iterator[RenderableType]:
        if not self.facts.rows:
            yield Text("Nothing was compared: no framework is installed.")
            return
        table = Table(HEADINGS[0], box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
        for heading in HEADINGS[1:]:
            table.add_column(heading, justify="right", no_wrap=True)
        for row in self.facts.rows:
            table.add_row(*_cells(row))
        yield table
        yield from (Text(line) for line in findings(self.facts))


def markdown(facts: Parity) -> str:
    """The table as Markdown, and what stands out.

    >>> from sizewise.parity import Parity, Row
    >>> print(markdown(Parity((), (Row("tfjs", "nearest", False, (), 3, None, None, None, None),))).splitlines()[2])
    | tfjs nearest | 3 | - | - | - | - | kept |
    """
    lines = [f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]
    lines += [f"| {' | '.join(_cells(row))} |" for row in facts.rows]
    return "\n".join([*lines, "", *findings(facts)])


def findings(facts: Parity) -> list[str]:
    """What the table amounts to, in sentences.

    >>> from sizewise.parity import Parity
    >>> findings(Parity((("torch", "2.13.0"),), (), ("jax",)))
    ['Compared with torch 2.13.0.', 'Not installed here, so not compared: jax.']
    """
    broken = [row for row in facts.rows if not row.kept]
    lines = [f"Compared with {', '.join(' '.join(pair) for pair in facts.versions)}."]
    if facts.rows:
        lines.append(f"{len(facts.rows) - len(broken)} of {len(facts.rows)} rows keep what is promised.")
    lines += [f"Broken: {row.name}{': ' + row.failures[0] if row.failures else ''}" for row in broken]
    if facts.missing:
        lines.append(f"Not installed here, so not compared: {', '.join(facts.missing)}.")
    return lines


def _cells(row: Row) -> tuple[str, ...]:
    counts = (_count(row.indices), _count(row.bytes), _ulp(row.floats), _ulp(row.gradient))
    return (row.name, str(row.cases), *counts, "kept" if row.kept else "broken")


def _count(measure: Measure | None) -> str:
    """How many differ."""
    return "-" if measure is None else f"{measure.differing:,}"


def _ulp(measure: Measure | None) -> str:
    """The largest difference, and how much is allowed."""
    if measure is None:
        return "-"
    return f"{measure.largest:.2g} {'<=' if measure.kept else '>'} {measure.allowed:g}"
