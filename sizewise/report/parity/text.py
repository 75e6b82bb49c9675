"""A parity sweep as text, and as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from ..text import TextReport, columns

if TYPE_CHECKING:
    from ...parity.sweep import Measure, Parity, Row

HEADINGS = ("dialect and method", "cases", "pixels off", "bytes off", "ULP", "gradient", "")


@dataclass(frozen=True)
class ParityText(TextReport):
    """A parity sweep, ready for `rich.print`."""

    facts: Parity

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the table and its findings."""
        if not self.facts.rows:
            yield Text("Nothing was compared: no framework is installed.")
            return
        table = columns(HEADINGS[0], right=HEADINGS[1:])
        for row in self.facts.rows:
            table.add_row(*_cells(row))
        yield table
        yield from (Text(line) for line in summary(self.facts))


def markdown(facts: Parity) -> str:
    """Return the table and the summary as Markdown."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]
    lines += [f"| {' | '.join(_cells(row))} |" for row in facts.rows]
    return "\n".join([*lines, "", *summary(facts)])


def summary(facts: Parity) -> list[str]:
    """Return the versions, the number of rows that passed, those that failed, and what is not installed."""
    failed = [row for row in facts.rows if not row.passed]
    lines = [f"Compared with {', '.join(' '.join(pair) for pair in facts.versions)}."]
    if facts.rows:
        lines.append(f"{len(facts.rows) - len(failed)} of {len(facts.rows)} rows passed.")
    lines += [f"Failed: {row.name}{': ' + row.failures[0] if row.failures else ''}" for row in failed]
    if facts.missing:
        lines.append(f"Not compared, since not installed: {', '.join(facts.missing)}.")
    return lines


def _cells(row: Row) -> tuple[str, ...]:
    counts = (_count(row.indices), _count(row.bytes), _ulp(row.floats), _ulp(row.gradient))
    return (row.name, str(row.cases), *counts, "passed" if row.passed else "failed")


def _count(measure: Measure | None) -> str:
    """Return how many elements differ."""
    return "-" if measure is None else f"{measure.differing:,}"


def _ulp(measure: Measure | None) -> str:
    """Return the largest difference, and the largest allowed."""
    if measure is None:
        return "-"
    return f"{measure.largest:.2g} {'<=' if measure.passed else '>'} {measure.allowed:g}"
