"""`sizewise golden`: vectors for the tests of other runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from .. import parity


def golden(
    folder: Annotated[Path, typer.Argument(help="Where to write them: a new folder, or one of golden vectors.")],
    dialect: Annotated[
        list[str] | None, typer.Option(help="A dialect; repeat it for more. By default all.", show_default=False)
    ] = None,
    frameworks: Annotated[
        bool, typer.Option("--frameworks", help="Outputs of the frameworks themselves, which must be installed.")
    ] = False,
) -> None:
    """Write golden vectors: inputs, outputs and gradients of every dialect, method and option.

    One .npz file for each dialect, and manifest.json, which says how each case was resized and how near to be.
    """
    console = Console(stderr=True, highlight=False)
    names = tuple(dialect or ())
    path = parity.write(folder, names, of_frameworks=frameworks, done=lambda name: console.print(name))
    typer.echo(str(path))
