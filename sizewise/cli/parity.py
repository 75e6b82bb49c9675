"""`sizewise parity`: every dialect against the framework itself, where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .. import parity as comparing
from ..report import json
from ..report.parity import ParityText


def parity(
    dialect: Annotated[
        list[str] | None,
        typer.Argument(help="Dialects; by default all whose framework is installed.", show_default=False),
    ] = None,
    images: Annotated[int, typer.Option(min=1, help="Sizes of images to compare in each row.")] = 16,
    lines: Annotated[int, typer.Option(min=1, help="Lengths of lines to compare, where a method picks pixels.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> int:
    """Compare dialects with the frameworks installed here: pixels picked, bytes, floats and gradients.

    Exit code 1 if one of them is not what the dialect promises.
    """
    names = tuple(dialect or ())
    with _progress(Console(stderr=True, highlight=False), comparing.count(names)) as done:
        facts = comparing.sweep(names, images=images, lines=lines, done=done)
    if as_json:
        typer.echo(json.parity(facts))
    else:
        Console(highlight=False).print(ParityText(facts))
    return 0 if facts.kept else 1


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[comparing.Row], None]]:
    """What hears of each finished row: a bar on a terminal, a line each elsewhere."""
    if not console.is_terminal:
        yield lambda row: console.print(row.name, soft_wrap=True)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Comparing", total=total)
        yield lambda row: bar.update(task, advance=1, description=row.name)
