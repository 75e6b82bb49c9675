"""The facts of an audit as text for the terminal: the nodes, what becomes of them elsewhere, and the findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.audit import Audit
from .audit_words import TERMS, difference, how, label, notes, plain, share, shift, size, tried
from .text import trimmed

_STYLES = {"high": "bold red", "medium": "bold yellow", "low": "bold green"}


@dataclass(frozen=True)
class AuditText:
    """An audit, ready for `rich.print`.

    >>> from rich.console import Console
    >>> Console(width=80).print(AuditText(Audit("m.onnx", "ONNX, opset 19", ())))
    m.onnx: ONNX, opset 19
    There is no resize in it: nothing to audit.
    """

    facts: Audit

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts()), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self) -> Iterator[RenderableType]:
        yield Text(f"{plain(self.facts.source)}: {self.facts.kind}", style="bold")
        if not self.facts.nodes:
            yield Text("There is no resize in it: nothing to audit.")
            return
        yield Text()
        yield _nodes(self.facts)
        yield from (Text(line) for line in (TERMS, *notes(self.facts)))
        if self.facts.targets and any(one.predictions for one in self.facts.nodes):
            yield Text()
            yield _targets(self.facts)
            yield Text(tried(self.facts))
        yield Text()
        yield _findings(self.facts)


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")


def _nodes(facts: Audit) -> Table:
    table = _table()
    table.add_column("", justify="right")
    for name in ("node", "size", "how"):
        table.add_column(name, overflow="fold")
    for name in ("read", "shift"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, one in enumerate(facts.nodes, 1):
        table.add_row(
            str(number), Text(label(one)), size(one), Text(plain(how(one.node.words))), share(one), shift(one)
        )
    return table


def _targets(facts: Audit) -> Table:
    table = _table()
    table.add_column("", justify="right")
    table.add_column("in", no_wrap=True)
    table.add_column("as", overflow="fold")
    for name in ("noise max", "mean", "image max", "mean"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, one in enumerate(facts.nodes, 1):
        for prediction in one.predictions:
            if prediction.port is None:
                table.add_row(str(number), prediction.target, Text(f"none: {prediction.refusal}"))
            else:
                numbers = (*difference(prediction.noise), *difference(prediction.image))
                table.add_row(str(number), prediction.target, Text(how(prediction.port.words)), *numbers)
    return table


def _findings(facts: Audit) -> RenderableType:
    """What stands out, the worst first, with what mends it."""
    if not facts.findings:
        return Text("Nothing stands out.")
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for one in facts.findings:
        words = Text(plain(one.node), style="bold").append(f": {plain(one.words)}", style="not bold")
        if one.fix:
            words.append(f"\nFix: {one.fix}", style="not bold")
        grid.add_row(Text(one.severity, style=_STYLES[one.severity]), words)
    return grid
