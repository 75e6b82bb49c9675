"""`sizewise audit MODEL`: every resize of a model, and what becomes of it in other runtimes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ..errors import ArgumentError, unknown_name
from ..files.writing import write_text
from ..insight import audit as auditing
from ..report import audit_json
from ..report.audit import AuditText
from ..report.audit_words import plain
from .words import parse_size

_ALL = "all"


def audit(
    model: Annotated[
        Path, typer.Argument(help=".onnx, .tflite, .keras, the folder of a SavedModel, or the model.json of TF.js.")
    ],
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"A runtime to compare with: {', '.join(auditing.TARGETS)}, or all; repeat it."
        ),
    ] = None,
    size: Annotated[str, typer.Option(metavar="HxW", help="Taken for inputs whose size is not known.")] = "224x224",
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An image to try besides noise.", show_default=False)
    ] = None,
    fail_on: Annotated[
        str, typer.Option(metavar="SEVERITY", help="Exit with 1 for a finding at least so severe: high, medium, low.")
    ] = "none",
    as_json: Annotated[bool, typer.Option("--json", help="The same facts for machines.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one page that holds everything.", show_default=False)
    ] = None,
) -> int:
    """Find every resize of a model: what it reads, how far it moves the image, and how others would compute it.

    The model is read, not run. Exit code 1 if there is a finding as severe as --fail-on says.
    """
    if fail_on not in (*auditing.SEVERITIES, "none"):
        raise unknown_name("severity of --fail-on", fail_on, (*auditing.SEVERITIES, "none"))
    example = parse_size(size, "--size")
    if len(example) != 2 or min(example) < 1:
        raise ArgumentError(f"--size is {size}; give a height and a width of 1 or more, like 224x224")
    with _progress() as done:
        facts = auditing.audit(
            model,
            _targets(target or []),
            example=(example[0], example[1]),
            image=None if image is None else _pixels(image),
            image_name="" if image is None else image.name,
            done=done,
        )
    if html is not None:
        from ..report import audit_page  # here: it loads what paints pictures

        write_text(html, audit_page.page_of(facts, _command(model, facts, size, image)))
    if as_json:
        typer.echo(audit_json.audit(facts))
    else:
        Console(highlight=False).print(AuditText(facts))
    return 1 if facts.reaches(fail_on) else 0


def _targets(given: list[str]) -> tuple[str, ...]:
    """The targets asked for; several may stand in one word, with commas."""
    names = [name for word in given for name in word.split(",") if name]
    return tuple(auditing.TARGETS) if _ALL in names else tuple(names)


def _command(model: Path, facts: auditing.Audit, size: str, image: Path | None) -> str:
    """The line that makes the page again."""
    words = ["sizewise", "audit", str(model), *(f"--target={name}" for name in facts.targets)]
    words += [f"--size={size}"] if facts.example != auditing.EXAMPLE else []
    return plain(shlex.join([*words, *([f"--image={image}"] if image else []), "--html=..."]))


@contextmanager
def _progress() -> Iterator[auditing.Done | None]:
    """What hears of each node: a bar on a terminal that goes away, nothing elsewhere."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Reading", total=None)
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=plain(name)[:60])


def _pixels(path: Path) -> NDArray[np.float32]:
    from ..files.reading import read_pixels  # only now: Pillow takes its time

    return auditing.unit_range(read_pixels(path))
