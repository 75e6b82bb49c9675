"""`sizewise bench`: a race against whichever other libraries are installed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..racing import cases, machine, peers, race
from ..report import json
from ..report.race import RaceText


def bench(
    rounds: Annotated[int, typer.Option(min=1, help="How often everyone is timed in each case.")] = 20,
    only: Annotated[
        str, typer.Option(metavar="WORDS", help="Cases with all these words in their names: 'bilinear gradient'.")
    ] = "",
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of each library; by default every core.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all/--quick", help="Every case, or a dozen telling ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> None:
    """Race the resizes of the libraries installed here: first checked for equality, then timed in turns.

    Exit code 1 if a library that should give our pixels gives others; it is then named, and not timed.
    """
    selected = cases.chosen(cases.every() if every else cases.quick(), only)
    peers.calm()
    errors = Console(stderr=True, highlight=False)
    if errors.is_terminal:
        errors.print("Loading the other libraries ...")
    entered, notes = peers.found()
    with _progress(errors, len(selected)) as done:
        here = machine.here(entered, threads)
        facts = race.run(selected, entered, here, rounds=rounds, threads=threads, notes=notes, done=done)
    if as_json:
        typer.echo(json.race(facts))
    else:
        Console(highlight=False).print(RaceText(facts))
    for refusal in facts.refusals:
        typer.echo(f"sizewise: {refusal}", err=True)
    if facts.refusals:
        raise typer.Exit(1)


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[race.Row], None]]:
    """What hears of each finished row: a bar on a terminal, a line each elsewhere."""
    if not console.is_terminal:
        yield lambda row: console.print(row.case.name, soft_wrap=True)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Racing", total=total)
        yield lambda row: bar.update(task, advance=1, description=row.case.name)
