"""`sizewise parity`: compare dialects with the installed frameworks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .. import parity as parity_sweep
from ..report.parity.json import as_json as parity_json
from ..report.parity.text import ParityText


def parity(
    dialect: Annotated[
        list[str] | None,
        typer.Argument(help="Dialects; by default all whose framework is installed.", show_default=False),
    ] = None,
    images: Annotated[int, typer.Option(min=1, help="Image sizes to compare in each row.")] = 16,
    lines: Annotated[int, typer.Option(min=1, help="Line lengths to compare for methods that select pixels.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare dialects with the installed frameworks: selected pixels, uint8, float32 and gradients.

    The exit code is 1 if a dialect breaks its contract.
    """
    names = tuple(dialect or ())
    with _progress(Console(stderr=True, highlight=False), parity_sweep.count(names)) as on_row:
        facts = parity_sweep.sweep(names, images=images, lines=lines, on_row=on_row)
    if as_json:
        typer.echo(parity_json(facts))
    else:
        Console(highlight=False).print(ParityText(facts))
    return 0 if facts.passed else 1


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[parity_sweep.Row], None]]:
    """Yield a function that reports a finished row: in a progress bar on a terminal, as a line otherwise."""
    if not console.is_terminal:
        yield lambda row: console.print(row.name, soft_wrap=True)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Comparing", total=total)
        yield lambda row: bar.update(task, advance=1, description=row.name)
