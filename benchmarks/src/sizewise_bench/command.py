"""`sizewise bench`: time Sizewise and the other libraries installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from . import cases, machine, peers, runner
from .json import as_json as results_json
from .text import ResultsText


def bench(
    rounds: Annotated[int, typer.Option(min=1, help="How often each library is timed in each case.")] = 20,
    only: Annotated[
        str, typer.Option(metavar="WORDS", help="Cases with all these words in their names: 'bilinear gradient'.")
    ] = "",
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads per library; by default one per core.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all/--quick", help="Every case, or a dozen common ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Time the resizes of the installed libraries: checked for equality first, then timed in turns.

    The exit code is 1 if a library that should give the same pixels does not; it is named, and not timed.
    """
    selected = cases.select(cases.all_cases() if every else cases.quick_cases(), only)
    peers.quiet_frameworks()
    errors = Console(stderr=True, highlight=False)
    if errors.is_terminal:
        errors.print("Loading the other libraries ...")
    found, notes = peers.find_installed()
    with _progress(errors, len(selected)) as on_row:
        here = machine.this_machine(found, threads)
        results = runner.run_cases(selected, found, here, rounds=rounds, threads=threads, notes=notes, on_row=on_row)
    if as_json:
        typer.echo(results_json(results))
    else:
        Console(highlight=False).print(ResultsText(results))
    for mismatch in results.mismatches:
        typer.echo(f"sizewise: {mismatch}", err=True)
    if results.mismatches:
        raise typer.Exit(1)


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[runner.CaseResult], None]]:
    """Yield a function that reports a finished row: in a progress bar on a terminal, as a line otherwise."""
    if not console.is_terminal:
        yield lambda row: console.print(row.case.name, soft_wrap=True)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Timing", total=total)
        yield lambda row: bar.update(task, advance=1, description=row.case.name)
