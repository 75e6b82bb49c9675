"""A comparison as text and as JSON: a table of the differences, and the findings in words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.comparison import Comparison, Difference, Entry
from .text import trimmed


@dataclass(frozen=True)
class ComparisonText:
    """A comparison, ready for `rich.print`.

    >>> import numpy as np
    >>> from sizewise.insight.comparison import compare
    >>> facts = compare(np.eye(8), (4, 4), [("pillow", "box", None, {}), ("tfjs", None, None, {})])
    >>> Console(width=80).print(ComparisonText(facts))
    8x8 -> 4x4, float64, each against pillow box
    <BLANKLINE>
    variant        largest   mean     PSNR  differ
    ──────────────────────────────────────────────
    pillow box           -      -        -       -
    tfjs bilinear      0.5  0.125  12.0 dB    25 %
    <BLANKLINE>
    - Pillow and TensorFlow.js differ by up to 0.5 of 1, PSNR 12.0 dB: TensorFlow.js
      does not antialias: it reads 25 % of the pixels, Pillow all; tfjs bilinear,
      half_pixel_centers=True gives the same pixels
    <BLANKLINE>
    Note: reproduced by Sizewise (as Pillow 13.0 and @tensorflow/tfjs 4.22): no
          other package was called
    """

    facts: Comparison

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts()), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self) -> Iterator[RenderableType]:
        facts = self.facts
        yield Text(f"{sizes(facts)}, {facts.dtype}, each against {facts.entries[0].way.label}", style="bold")
        yield Text()
        yield _table(facts)
        yield Text()
        yield _bullets([entry.finding for entry in facts.entries[1:]])
        if facts.notes:
            yield Text()
        yield _bullets(facts.notes, "Note:")


def sizes(facts: Comparison) -> str:
    """Both sizes in words."""
    return " -> ".join("x".join(map(str, size)) for size in (facts.input_size, facts.output_size))


def _bullets(sentences: Sequence[str], mark: str = "-") -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for sentence in sentences:
        grid.add_row(mark, Text(sentence))
    return grid


def _table(facts: Comparison) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("variant", overflow="fold")
    for name in ("largest", "mean", "PSNR", "differ"):
        table.add_column(name, justify="right", no_wrap=True)
    for entry in facts.entries:
        first = entry is facts.entries[0]
        table.add_row(Text(entry.way.label), *(("-",) * 4 if first else numbers(entry.difference)))
    return table


def numbers(difference: Difference) -> tuple[str, str, str, str]:
    """The largest and the mean difference, PSNR, and the share of pixels that differ, in words."""
    psnr = "same" if math.isinf(difference.psnr) else f"{difference.psnr:.1f} dB"
    share = f"{difference.percent if difference.percent == 100 else min(difference.percent, 99.9):.3g} %"
    return f"{difference.largest:.4g}", f"{difference.mean:.3g}", psnr, share


def as_json(facts: Comparison) -> str:
    """A comparison as one JSON object on one line; PSNR is null where nothing differs.

    >>> import numpy as np
    >>> from sizewise.insight.comparison import compare
    >>> facts = compare(np.eye(8), (4, 4), [("pillow", "box", None, {}), ("tfjs", None, None, {})])
    >>> json.loads(as_json(facts))["variants"][1]["difference"]["largest"]
    0.5
    """
    record = {
        "input_size": list(facts.input_size),
        "output_size": list(facts.output_size),
        "dtype": facts.dtype,
        "range": facts.range,
        "variants": [_entry(entry) for entry in facts.entries],
        "notes": list(facts.notes),
    }
    return json.dumps(record, allow_nan=False)


def _entry(entry: Entry) -> dict[str, Any]:
    way = entry.way
    return {
        "label": way.label,
        "dialect": way.dialect,
        "source": way.source,
        "method": way.method,
        "antialias": way.antialias,
        "options": dict(way.options),
        "finish": way.finish or None,
        "difference": _difference(entry.difference),
        "channels": [_difference(channel) for channel in entry.channels],
        "finding": entry.finding or None,
    }


def _difference(one: Difference) -> dict[str, float | None]:
    psnr = one.psnr if math.isfinite(one.psnr) else None
    return {"largest": one.largest, "mean": one.mean, "psnr": psnr, "percent": one.percent}
