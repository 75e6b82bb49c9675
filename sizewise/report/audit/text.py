"""An audit as text: the nodes, their differences in other runtimes, and the findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...insight.audit import Audit, Fit
from ..text import TextReport, columns, pairs, printable
from .wording import TERMS, difference, fit_headings, fit_rows, how, label, notes, share, shift, size, tried

_STYLES = {"high": "bold red", "medium": "bold yellow", "low": "bold green"}


@dataclass(frozen=True)
class AuditText(TextReport):
    """An audit, ready for `rich.print`."""

    facts: Audit

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the title, the nodes, the targets and the findings."""
        yield Text(f"{printable(self.facts.source)}: {self.facts.kind}", style="bold")
        if self.facts.fit is not None:
            yield Text()
            yield _fit(self.facts.fit)
        if not self.facts.nodes and self.facts.fit is None:
            yield Text("The model contains no resize: nothing to audit.")
            return
        yield Text()
        yield from self._resizes() if self.facts.nodes else (Text("The model contains no resize."),)
        yield Text()
        yield _findings(self.facts)

    def _resizes(self) -> Iterator[RenderableType]:
        yield _nodes(self.facts)
        yield from (Text(line) for line in (TERMS, *notes(self.facts)))
        if self.facts.targets and any(one.predictions for one in self.facts.nodes):
            yield Text()
            yield _targets(self.facts)
            yield Text(tried(self.facts))


def _fit(fit: Fit) -> Table:
    table = columns("", *fit_headings(fit), "fits")
    for name, *texts in fit_rows(fit):
        table.add_row(name, *map(Text, texts))
    return table


def _nodes(facts: Audit) -> Table:
    table = columns("", "node", "size", "how", right=("read", "shift"))
    table.columns[0].justify = "right"
    for number, one in enumerate(facts.nodes, 1):
        table.add_row(str(number), Text(label(one)), size(one), Text(how(one.node.spec)), share(one), shift(one))
    return table


def _targets(facts: Audit) -> Table:
    table = columns("", "in", "as", right=("noise max", "mean", "image max", "mean"))
    table.columns[0].justify, table.columns[1].no_wrap = "right", True
    for number, one in enumerate(facts.nodes, 1):
        for prediction in one.predictions:
            if prediction.port is None:
                table.add_row(str(number), prediction.target, Text(f"none: {prediction.refusal}"))
            else:
                values = (*difference(prediction.noise), *difference(prediction.image))
                table.add_row(str(number), prediction.target, Text(how(prediction.port.spec)), *values)
    return table


def _findings(facts: Audit) -> RenderableType:
    """Return the findings with their fixes, the worst first."""
    if not facts.findings:
        return Text("No findings.")
    rows = []
    for one in facts.findings:
        text = Text(printable(one.node), style="bold").append(f": {printable(one.message)}", style="not bold")
        if one.fix:
            text.append(f"\nFix: {one.fix}", style="not bold")
        rows.append((Text(one.severity, style=_STYLES[one.severity]), text))
    return pairs(rows)
