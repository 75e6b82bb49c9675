"""`sizewise golden`: golden vectors for the tests of other runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from .. import parity


def golden(
    folder: Annotated[Path, typer.Argument(help="A new folder, or one of golden vectors.")],
    dialect: Annotated[
        list[str] | None, typer.Option(help="A dialect; repeat it for more. By default all.", show_default=False)
    ] = None,
    frameworks: Annotated[bool, typer.Option("--frameworks", help="Outputs of the installed frameworks.")] = False,
) -> None:
    """Write golden vectors: inputs, outputs and gradients of every dialect, method and option.

    One .npz file per dialect, and manifest.json, with the arguments and the tolerance of each case.
    """
    console = Console(stderr=True, highlight=False)
    names = tuple(dialect or ())
    path = parity.write(folder, names, of_frameworks=frameworks, on_dialect=console.print)
    typer.echo(str(path))
    typer.echo(f"Wrote {str(path)!r}", err=True)
