"""Text of benchmark results for the terminal: the machine, one table, and a summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sizewise.report.text import trimmed

from . import ours
from .runner import CaseResult, Results, Timing

OTHER_PIXELS = "*"  # after the name of a peer whose pixels differ


@dataclass(frozen=True)
class ResultsText:
    """Benchmark results for `rich.print`.

    >>> from rich.console import Console
    >>> from sizewise_bench import cases, machine, runner
    >>> tiny = cases.Case((1, 8, 8, 3), (4, 4), "bilinear")
    >>> results = runner.run_cases([tiny], [], machine.this_machine([]), rounds=2)
    >>> Console(width=80).print(ResultsText(results))  # doctest: +ELLIPSIS
    Sizewise ...
    """

    results: Results

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts()), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self) -> Iterator[RenderableType]:
        yield Text(describe_run(self.results))
        yield Text()
        yield _table(self.results)
        yield Text()
        yield from (Text(line) for line in _summary(self.results))


def describe_run(results: Results) -> str:
    """Return the versions, the processor, the threads and the rounds, in one sentence each.

    >>> from sizewise_bench.machine import Machine
    >>> describe_run(Results(Machine("a processor", 2, 2, (("Sizewise", "1.0"),)), 20, ()))
    'Sizewise 1.0. 2 threads each on a processor (2 cores). Medians of 20 rounds, timed in turns.'
    """
    machine = results.machine
    versions = ", ".join(" ".join(pair) for pair in machine.versions)
    threads = f"{machine.threads} thread{'s' if machine.threads > 1 else ''} each"
    where = f"{threads} on {machine.processor} ({machine.cores} cores)"
    return f"{versions}. {where}. Medians of {results.rounds} rounds, timed in turns."


def marked(timing: Timing) -> str:
    """Return a peer's name, marked if its pixels differ.

    >>> marked(Timing("OpenCV area", (0.1,), same_pixels=False))
    'OpenCV area*'
    """
    return timing.name + ("" if timing.same_pixels else OTHER_PIXELS)


def _table(results: Results) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("case", overflow="fold")
    for name in ("ms", "out= ms", "of copy"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("others, as multiples of ms", overflow="fold")
    for row in results.rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: CaseResult) -> tuple[RenderableType, ...]:
    own = row[ours.NAME]
    arguments = row.case.name.split(" ")
    first = next(position for position, word in enumerate(arguments) if word[0].isdigit())
    name = Text(" ".join(arguments[:first]) + "\n" + " ".join(arguments[first:]))
    peers = Text(", ").join(_peer(timing, own) for timing in row.peers) if row.peers else Text("-")
    return name, milliseconds(own.median), milliseconds(row[ours.OUT].median), f"{row.copy_ratio:.2f}", peers


def _peer(timing: Timing, own: Timing) -> Text:
    ratio = timing.ratio_to(own)
    return Text(f"{marked(timing)} {ratio:.2f}" if ratio < 9.95 else f"{marked(timing)} {ratio:.0f}", no_wrap=True)


def milliseconds(seconds: float) -> str:
    """Return seconds as milliseconds with three significant digits.

    >>> milliseconds(0.0123456), milliseconds(4.56e-6)
    ('12.3', '0.00456')
    """
    value = seconds * 1e3
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _none_faster(names: list[str]) -> str:
    """Return the sentence for peers of which none is faster than Sizewise."""
    if len(names) == 1:
        return f"{names[0]} is the only other library timed; it is not faster in any row."
    return f"None of the {len(names)} other libraries timed is faster than Sizewise in any row."


def _summary(results: Results) -> Iterator[str]:
    """Yield how to read the table, which peers are faster and where, and what was left out."""
    yield "ms: a call that allocates its result. of copy: time with out= / time to copy the input and the output."
    if any(not timing.same_pixels for row in results.rows for timing in row.peers):
        yield f"{OTHER_PIXELS} gives other pixels by design; all others were checked to give the same."
    slower = [row for row in results.rows if row.speedup is not None and row.speedup < 1]
    for row in slower:
        assert row.best_peer is not None and row.speedup is not None
        yield f"{marked(row.best_peer)} takes {row.speedup:.2f} of the time of Sizewise: {row.case.name}"
    names = list(dict.fromkeys(timing.name for row in results.rows for timing in row.peers))
    if names and not slower:
        yield _none_faster(names)
    yield from results.notes
    yield from (f"Left out in some rows: {error}" for error in results.errors)
