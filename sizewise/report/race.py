"""The facts of a race as text for the terminal: one table, what stands out, and what it ran on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..racing import ours
from ..racing.race import Entry, Race, Row
from .text import trimmed

OTHER = "*"  # after the name of a peer with other pixels


@dataclass(frozen=True)
class RaceText:
    """A race, ready for `rich.print`.

    >>> from rich.console import Console
    >>> from sizewise.racing import cases, machine, race
    >>> tiny = cases.Case((1, 8, 8, 3), (4, 4), "bilinear")
    >>> facts = race.run([tiny], [], machine.here([]), rounds=2)
    >>> Console(width=80).print(RaceText(facts))  # doctest: +ELLIPSIS
    Sizewise ...
    """

    facts: Race

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts()), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self) -> Iterator[RenderableType]:
        yield Text(ran_on(self.facts))
        yield Text()
        yield _table(self.facts)
        yield Text()
        yield from (Text(line) for line in _findings(self.facts))


def ran_on(facts: Race) -> str:
    """The versions of everyone, the processor, the threads and the rounds, in one sentence each.

    >>> from sizewise.racing import machine, race
    >>> ran_on(race.Race(machine.Machine("a processor", 2, 2, (("Sizewise", "1.0"),)), 20, ()))
    'Sizewise 1.0. 2 threads each on a processor (2 cores). Medians of 20 rounds, everyone in turns.'
    """
    machine = facts.machine
    versions = ", ".join(" ".join(pair) for pair in machine.versions)
    threads = f"{machine.threads} thread{'s' if machine.threads > 1 else ''} each"
    where = f"{threads} on {machine.processor} ({machine.cores} cores)"
    return f"{versions}. {where}. Medians of {facts.rounds} rounds, everyone in turns."


def marked(entry: Entry) -> str:
    """A peer's name, marked where its pixels are not ours.

    >>> marked(Entry("OpenCV area", (0.1,), same=False))
    'OpenCV area*'
    """
    return entry.name + ("" if entry.same else OTHER)


def _table(facts: Race) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("case", overflow="fold")
    for name in ("ms", "out= ms", "of copy"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("others, as multiples of ms", overflow="fold")
    for row in facts.rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: Row) -> tuple[RenderableType, ...]:
    own = row[ours.NAME]
    words = row.case.name.split(" ")
    first = next(position for position, word in enumerate(words) if word[0].isdigit())
    name = Text(" ".join(words[:first]) + "\n" + " ".join(words[first:]))
    peers = Text(", ").join(_peer(entry, own) for entry in row.peers) if row.peers else Text("-")
    return name, milliseconds(own.median), milliseconds(row[ours.INTO].median), f"{row.of_limit:.2f}", peers


def _peer(entry: Entry, own: Entry) -> Text:
    ratio = entry.over(own)
    return Text(f"{marked(entry)} {ratio:.2f}" if ratio < 9.95 else f"{marked(entry)} {ratio:.0f}", no_wrap=True)


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds with three digits that count.

    >>> milliseconds(0.0123456), milliseconds(4.56e-6)
    ('12.3', '0.00456')
    """
    value = seconds * 1e3
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _unbeaten(raced: list[str]) -> str:
    """Say of whom nothing is faster: only of those that took part."""
    if len(raced) == 1:
        return f"{raced[0]} is the only other library in this race; it is not ahead in any row."
    return f"None of the {len(raced)} others in this race is ahead of Sizewise in any row."


def _findings(facts: Race) -> Iterator[str]:
    """How to read the table, then who is ahead of us and where, then what was left out."""
    yield "ms: a whole call that allocates its result. of copy: with out=, over copying the input and the output."
    if any(not entry.same for row in facts.rows for entry in row.peers):
        yield f"{OTHER} gives other pixels by design; all others were checked to give ours."
    behind = [row for row in facts.rows if row.ahead is not None and row.ahead < 1]
    for row in behind:
        assert row.best is not None and row.ahead is not None
        yield f"{marked(row.best)} takes {row.ahead:.2f} of our time: {row.case.name}"
    raced = list(dict.fromkeys(entry.name for row in facts.rows for entry in row.peers))
    if raced and not behind:
        yield _unbeaten(raced)
    yield from facts.notes
    yield from (f"Left out in some rows: {words}" for words in facts.unable)
