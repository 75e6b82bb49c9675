"""Output of the commands: a report or JSON on stdout, files, and a line on stderr for each file written."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

import typer
from rich.console import Console, RenderableType

from ..errors import ArgumentError
from ..files.writing import atomic_write

Name = str | os.PathLike[str]


def print_report(report: RenderableType, *, crop: bool = True) -> None:
    """Print a report, or the text of its JSON."""
    if isinstance(report, str):
        typer.echo(report)
    else:
        Console(highlight=False).print(report, crop=crop)


@contextmanager
def reserved_stdout() -> Iterator[TextIO]:
    """Yield stdout for results; all else that is printed meanwhile, as Ray does when a worker dies, goes to stderr."""
    results = sys.stdout
    with redirect_stdout(sys.stderr):
        yield results


def write_file(path: Name, content: str | bytes) -> None:
    """Write a page or a picture atomically, and say so on stderr."""
    with atomic_write(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    typer.echo(f"Wrote {os.fspath(path)!r}", err=True)


def require_not_input(option: str, path: Name | None, inputs: Mapping[str, Name | None]) -> None:
    """Raise where a file to write is one of the inputs, by the names that the help has for them."""
    for name, given in inputs.items():
        existing = [one for one in (path, given) if one is not None and os.path.exists(one)]
        if len(existing) == 2 and os.path.samefile(*existing):
            raise ArgumentError(f"{option} {os.fspath(existing[0])!r} is {name} itself; give it another name")


def require_different_files(html: Name | None, png: Name | None) -> None:
    """Raise where a page and a picture have the same name."""
    if html is not None and html == png:
        raise ArgumentError(f"--html and --png are both {os.fspath(html)!r}; give them different files")
