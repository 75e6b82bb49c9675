"""Output of the commands: a report or JSON on stdout, files, and a line on stderr for each file written."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

import typer
from rich.console import Console, RenderableType

from ..errors import ArgumentError
from ..files.writing import atomic_write


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


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a page or a picture atomically, and say so on stderr."""
    with atomic_write(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    typer.echo(f"Wrote {os.fspath(path)!r}", err=True)


def require_different_files(html: str | os.PathLike[str] | None, png: str | os.PathLike[str] | None) -> None:
    """Raise where a page and a picture have the same name."""
    if html is not None and html == png:
        raise ArgumentError(f"--html and --png are both {os.fspath(html)!r}; give them different files")
