"""An identity as text and as JSON: the verdict, the nearest ways in a table, and the lines that give it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.identity import Group as Coinciding
from ..insight.identity import Identity
from ..insight.ways import Way
from .text import trimmed

_MOST_GROUPS = 4
_MOST_WAYS = 3  # of those that coincide


@dataclass(frozen=True)
class IdentityText:
    """An identity, ready for `rich.print`.

    >>> facts = Identity((4, 4), (4, 4), 3, "uint8", "same size", "same size: nothing was resized")
    >>> Console(width=80).print(IdentityText(facts))
    4x4 -> 4x4, 3 channels of uint8
    same size: nothing was resized
    """

    facts: Identity

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts()), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self) -> Iterator[RenderableType]:
        facts = self.facts
        sizes = " -> ".join("x".join(map(str, size)) for size in (facts.input_size, facts.output_size))
        plural = "" if facts.channels == 1 else "s"
        yield Text(f"{sizes}, {facts.channels} channel{plural} of {facts.dtype}")
        yield Text(facts.verdict, style="bold")
        yield from (Text(f"Note: {note}") for note in facts.notes)
        if facts.groups:
            yield Text()
            yield _table(facts.groups[:_MOST_GROUPS])
            yield Text(f"{facts.tried:,} ways were tried; = stands before those that give the same pixels.")
        if facts.lines:
            yield Text()
            yield _lines(facts.lines)


def _table(groups: tuple[Coinciding, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("nearest", overflow="fold")
    for name in ("identical", "largest", "residual"):
        table.add_column(name, justify="right", no_wrap=True)
    for group in groups:
        names = [way.label for way in group.ways[:_MOST_WAYS]]
        if len(group.ways) > _MOST_WAYS:
            names.append(f"{len(group.ways) - _MOST_WAYS} more")
        numbers = (percent(group), f"{group.score.largest:.4g}", f"{group.score.residual:.3g}")
        table.add_row(Text("\n= ".join(names)), *numbers)
    return table


def percent(group: Coinciding) -> str:
    """The share of identical pixels, which says 100 % of nothing less than all."""
    return "100 %" if group.score.exact else f"{min(group.percent, 99.99):.2f} %"


def _lines(lines: tuple[tuple[str, str], ...]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column(overflow="fold")
    for name, code in lines:
        grid.add_row(name, Text(code))
    return grid


def as_json(facts: Identity) -> str:
    """An identity as one JSON object on one line.

    >>> facts = Identity((4, 4), (4, 4), 3, "uint8", "same size", "same size: nothing was resized")
    >>> json.loads(as_json(facts))["status"]
    'same size'
    """
    record = {
        "input_size": list(facts.input_size),
        "output_size": list(facts.output_size),
        "channels": facts.channels,
        "dtype": facts.dtype,
        "status": facts.status,
        "fits": facts.fits,
        "confidence": facts.confidence,
        "verdict": facts.verdict,
        "jpeg": facts.jpeg or None,
        "groups": [_group(group) for group in facts.groups],
        "lines": dict(facts.lines),
        "notes": list(facts.notes),
        "tried": facts.tried,
    }
    return json.dumps(record, allow_nan=False)


def _group(group: Coinciding) -> dict[str, Any]:
    score = group.score
    return {
        "ways": [_way(way) for way in group.ways],
        "identical": score.identical,
        "pixels": score.pixels,
        "percent": group.percent,
        "largest": score.largest,
        "residual": score.residual,
    }


def _way(way: Way) -> dict[str, Any]:
    return {
        "label": way.label,
        "dialect": way.dialect,
        "library": way.library,
        "method": way.method,
        "antialias": way.antialias,
        "options": dict(way.options),
        "scale": way.scale,
        "finish": way.finish or None,
    }
