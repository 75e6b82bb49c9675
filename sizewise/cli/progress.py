"""Progress bar of the commands that take a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(title: str, total: int | None = None) -> Iterator[Callable[..., None] | None]:
    """Yield `update(description, **changes)`, which moves a bar on stderr; None where stderr is not a terminal."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=total)

        def update(description: str, **changes: Any) -> None:
            bar.update(task, description=description, **changes)

        yield update
