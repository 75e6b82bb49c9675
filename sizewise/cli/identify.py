"""`sizewise identify ORIGINAL RESIZED`: which library, version, method and options made a resized image."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from ..errors import ArgumentError
from ..insight import identify as finding
from ..report.identity import IdentityText, as_json


def identify(
    original: Annotated[
        str, typer.Argument(metavar="ORIGINAL", help="The image before: a file that Pillow reads, or .npy.")
    ],
    resized: Annotated[
        str | None, typer.Argument(metavar="RESIZED", help="What was made of it.", show_default=False)
    ] = None,
    jpeg: Annotated[bool, typer.Option("--jpeg", help="RESIZED was compressed as JPEG after it was resized.")] = False,
    dialects: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these dialects: pillow,opencv,...", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> int:
    """Find out which library, version, method and options made a resized image.

    Tries every way that the dialects have. Exit code 1 if none of them fits.
    """
    if resized is None:
        raise ArgumentError(
            "give ORIGINAL and RESIZED: a resized image alone does not tell how it was made; "
            "its pixels have to be made again from the original"
        )
    names = None if dialects is None else [name for name in dialects.split(",") if name]
    with _progress(Console(stderr=True, highlight=False)) as progress:
        facts = finding.identify(original, resized, jpeg=jpeg, dialects=names, progress=progress)
    if json:
        typer.echo(as_json(facts))
    else:
        Console(highlight=False).print(IdentityText(facts))
    return 0 if facts.fits else 1


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[str], None]]:
    """What hears of each way: a bar on a terminal, which goes again; elsewhere nothing."""
    if not console.is_terminal:
        yield lambda what: None
        return
    with Progress(
        TextColumn("Trying"), BarColumn(), TextColumn("{task.description}"), console=console, transient=True
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda what: bar.update(task, description=what)
