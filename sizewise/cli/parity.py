"""`sizewise parity`: compare dialects with the installed frameworks."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ..parity.sweep import Row, count, sweep
from ..report.parity.json import as_json as parity_json
from ..report.parity.text import ParityText
from .output import print_report
from .progress import progress_bar


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
    errors = Console(stderr=True, highlight=False)
    with progress_bar("Comparing", count(names)) as update:

        def on_row(row: Row) -> None:
            if update is None:
                errors.print(row.name, soft_wrap=True)
            else:
                update(row.name, advance=1)

        facts = sweep(names, images=images, lines=lines, on_row=on_row)
    print_report(parity_json(facts) if as_json else ParityText(facts))
    return 0 if facts.passed else 1
