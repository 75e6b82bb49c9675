"""An identification as text: the verdict, the nearest candidates, and lines that reproduce them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...insight.identification import Group, Identification
from ...insight.pixel_error import format_value
from ..text import TextReport, columns, format_sizes, pairs

_MAX_GROUPS = 4
_MAX_CANDIDATES = 3  # of a group


@dataclass(frozen=True)
class IdentificationText(TextReport):
    """An identification, ready for `rich.print`."""

    facts: Identification

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the sizes, the verdict, the nearest candidates and the lines of code."""
        facts = self.facts
        plural = "" if facts.channels == 1 else "s"
        sizes = format_sizes(facts.input_size, facts.output_size)
        yield Text(f"{sizes}, {facts.channels} channel{plural} of {facts.dtype}")
        yield Text(facts.verdict, style="bold")
        yield from (Text(f"Note: {note}") for note in facts.notes)
        if facts.groups:
            yield Text()
            yield _table(facts.groups[:_MAX_GROUPS])
            yield Text(f"{facts.tried:,} candidates were tried; = marks those that give the same pixels.")
        if facts.lines:
            yield Text()
            yield pairs(facts.lines, style="bold")


def _table(groups: tuple[Group, ...]) -> Table:
    table = columns("nearest", right=("identical", "largest", "residual"))
    for group in groups:
        table.add_row(Text(candidate_names(group)), *format_error(group))
    return table


def candidate_names(group: Group) -> str:
    """Return the first candidates of a group, and the number of the others."""
    names = [spec.label for spec in group.specs[:_MAX_CANDIDATES]]
    more = len(group.specs) - len(names)
    return "\n= ".join([*names, f"{more} more"] if more else names)


def format_error(group: Group) -> tuple[str, str, str]:
    """Return the share of identical pixels, the largest error, and the residual."""
    percent = "100 %" if group.error.exact else f"{min(group.percent, 99.99):.2f} %"  # 100 % only for all pixels
    return percent, format_value(group.error.largest), format_value(group.error.residual, 3)
