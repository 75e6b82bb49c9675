"""A comparison as text: a table of the differences, and their causes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from ...insight.comparison import Comparison, Difference
from ...insight.pixel_error import format_value
from ..text import TextReport, bullets, columns, format_sizes

COLUMNS = ("largest", "mean", "PSNR", "differ")


@dataclass(frozen=True)
class ComparisonText(TextReport):
    """A comparison, ready for `rich.print`."""

    facts: Comparison

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the title, the table, the findings and the notes."""
        facts, (first, *others) = self.facts, self.facts.entries
        sizes = format_sizes(facts.input_size, facts.output_size)
        yield Text(f"{sizes}, {facts.dtype}, each against {first.spec.label}", style="bold")
        yield Text()
        table = columns("variant", right=COLUMNS)
        table.add_row(Text(first.spec.label), *("-",) * 4)
        for entry in others:
            table.add_row(Text(entry.spec.label), *format_difference(entry.difference))
        yield table
        yield Text()
        yield bullets(entry.finding for entry in others)
        if facts.notes:
            yield Text()
            yield bullets(facts.notes, "Note:")


def format_difference(difference: Difference) -> tuple[str, str, str, str]:
    """Return the largest and the mean difference, PSNR, and the percentage of pixels that differ."""
    psnr = "same" if math.isinf(difference.psnr) else f"{difference.psnr:.1f} dB"
    share = f"{difference.percent if difference.percent == 100 else min(difference.percent, 99.9):.3g} %"
    return format_value(difference.largest), format_value(difference.mean, 3), psnr, share
