"""`sizewise warmup`: compiles kernels now, so that no later process has to."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .. import upkeep
from ..upkeep import Warmth


def warmup(
    dtype: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="float32, uint8, ...; repeat it for more. By default all.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A method or a dialect; repeat it for more. By default all."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
) -> int:
    """Compile the kernels and keep them on disk, so that no later process has to wait.

    Fit for the line of a Dockerfile after the one that installs Sizewise. Exits with 1 if something could not be kept.
    """
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def advance(done: int, total: int, words: str) -> None:
            bar.update(task, completed=done, total=total, description=words)

        warmth = upkeep.warmup(dtype, only, advance)
    if as_json:
        typer.echo(json.dumps({**dataclasses.asdict(warmth), "kept": warmth.kept}))
    else:
        typer.echo(summary(warmth))
    return 0 if warmth.kept else 1


def summary(warmth: Warmth) -> str:
    """A warm-up in words.

    >>> print(summary(Warmth(compiled=12, loaded=3, lost=0, seconds=41.2, folder="/cache", n_bytes=2_500_000)))
    Compiled 12 kernels in 41.2 s; 3 were there already.
    2.5 MB of machine code in /cache
    """
    if not (warmth.folder or warmth.compiled or warmth.loaded):
        return "Numba cannot be used here: there is nothing to compile."
    place = f"{warmth.n_bytes / 1e6:.1f} MB of machine code in {warmth.folder}"
    if warmth.folder is None:
        place = "Nothing could be kept: there is no place to write; SIZEWISE_CACHE can name one."
    elif not warmth.kept:
        place = f"{warmth.lost} of them could not be kept: {warmth.folder} could not be written."
    done = f"Compiled {warmth.compiled} kernels in {warmth.seconds:.1f} s; {warmth.loaded} were there already."
    return f"{done}\n{place}"
