"""`sizewise resize INPUT... -o OUT`: image and array files, resized with the pixels of the framework named."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, TextIO

import typer
from rich import progress
from rich.console import Console
from rich.text import Text

from ..errors import ArgumentError, MissingExtraError, unknown_name
from ..thread_count import default_threads
from .words import parse_option, parse_size

if TYPE_CHECKING:
    from ..files.batch import Outcome, Task
    from ..files.jobs import Jobs


def resize(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT", help="Images, .npy, .npz, or folders of them.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="A folder; or a file, where INPUT is a single file.")
    ],
    size: Annotated[str | None, typer.Option(metavar="HEIGHTxWIDTH", help="The size of the results: 480x640.")] = None,
    scale: Annotated[float | None, typer.Option(metavar="NUMBER", help="Output over input, such as 0.5.")] = None,
    fit: Annotated[
        str, typer.Option(metavar="RULE", help="Of --size: stretch to it, contain in it, cover it, or letterbox.")
    ] = "stretch",
    pad: Annotated[
        str | None,
        typer.Option(metavar="COLOUR", help="Around a letterboxed image, and behind alpha that is not kept."),
    ] = None,
    method: Annotated[str, typer.Option(metavar="NAME", help="bilinear, nearest, bicubic, lanczos3, ...")] = "bilinear",
    dialect: Annotated[str, typer.Option(metavar="NAME", help="Whose pixels: pillow, opencv, torch, ...")] = "standard",
    antialias: Annotated[bool | None, typer.Option(help="By default as the dialect does.", show_default=False)] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Of the dialect, such as align_corners=true.")
    ] = None,
    axes: Annotated[str | None, typer.Option(metavar="NUMBERS", help="Of arrays: 0,1. By default -3,-2.")] = None,
    format: Annotated[
        str | None, typer.Option(metavar="NAME", help="png, jpeg, webp, tiff or npy; else as the input is named.")
    ] = None,
    quality: Annotated[
        int | None, typer.Option(min=1, max=100, help="By default: JPEG as the one read, or 90; WebP lossless.")
    ] = None,
    metadata: Annotated[str, typer.Option(metavar="keep|strip", help="EXIF, XMP and comments.")] = "keep",
    skip_existing: Annotated[bool, typer.Option("--skip-existing", help="Go on with a run that was stopped.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be done, and write nothing.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Files at a time; by default one per core.")] = None,
    max_pixels: Annotated[
        int | None, typer.Option(min=1, help="Larger images are refused; by default 89,478,485.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each file.")] = False,
) -> int:
    """Resize files and folders of images and arrays, many at a time.

    Images are turned upright as EXIF asks. Colour profiles, alpha and 16 bits are kept. Each file is there whole, or
    not at all. Exit code 1 if one of them failed; the others are done all the same.
    """
    try:
        from ..files import batch, colours, formats, heap, jobs, reading, resizing
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        raise MissingExtraError("sizewise resize", "cli") from None
    recipe = resizing.Recipe(
        size=None if size is None else parse_size(size, "--size"),
        scale=scale,
        fit=fit,
        pad=None if pad is None else colours.parse(pad),
        method=method,
        dialect=dialect,
        antialias=antialias,
        options=dict(map(parse_option, option or ())),
        axes=None if axes is None else _axes(axes),
    )
    for name, given, known in (("format", format, formats.ENDINGS), ("metadata", metadata, ("keep", "strip"))):
        if given is not None and given not in known:
            raise unknown_name(name, given, known)
    found = jobs.find(inputs, out, format)
    jobs.check(found.jobs, overwrite=overwrite, skip=skip_existing)
    count = max(1, min(workers or default_threads(), len(found.jobs)))
    task = batch.Task(recipe, metadata == "strip", quality, skip_existing, 1 if count > 1 else None)
    heap.keep_freed()
    with reading.at_most(max_pixels), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\.")  # of metadata: the words of a file are not for the terminal
        return _told(found, task, count, dry_run, as_json)


def _told(found: Jobs, task: Task, workers: int, dry: bool, as_json: bool) -> int:
    """Runs the jobs, tells of each on stdout, and of all on stderr; the exit code."""
    from ..files import batch
    from ..report import resize as report

    outcomes, start, count = [], time.perf_counter(), len(found.jobs)
    with (
        _own_stderr() as errors,
        _progress(Console(file=errors), count) as done,
        _stop(count) as stop,
        closing(batch.run(found.jobs, task, workers, dry, stop)) as running,
    ):
        for outcome in running:
            outcomes.append(outcome)
            _print(outcome, as_json)
            done()
    seconds = time.perf_counter() - start
    failed = [*found.errors, *(outcome.error for outcome in outcomes if outcome.error is not None)]
    for error in failed:
        typer.echo(f"sizewise: {report.shown(error)}", err=True)
    for note in (*found.notes, *report.notes(outcomes)):
        typer.echo(f"note: {note}", err=True)
    typer.echo(report.summary(outcomes, seconds, count), err=True)
    return 130 if stop.is_set() else 1 if failed else 0


def _print(outcome: Outcome, as_json: bool) -> None:
    """A record; what would be done; or, in a pipe, the name of the file that was written."""
    from ..report import resize as report

    if as_json:
        typer.echo(report.record(outcome))
    elif outcome.status == "planned":
        typer.echo(report.line(outcome))
    elif outcome.status == "resized" and not sys.stdout.isatty():
        typer.echo(report.shown(outcome.job.target))


def _axes(given: str) -> tuple[int, ...]:
    try:
        axes = tuple(int(word) for word in given.split(","))
    except ValueError:
        raise ArgumentError(f"--axes is {given!r}; write axes like 0,1 or -2,-1") from None
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"--axes is {given!r}; name each axis once")
    return axes


@contextmanager
def _stop(count: int) -> Iterator[threading.Event]:
    """What Ctrl-C sets, where there are many files: those being written are finished. Once more ends it at once."""
    stop, usual = threading.Event(), signal.default_int_handler

    def heard(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, usual)

    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is usual
    if count == 1 or not ours:
        yield stop
        return
    signal.signal(signal.SIGINT, heard)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def _own_stderr() -> Iterator[TextIO]:
    """Stderr for us alone: C libraries print there, too, whatever they find in a broken file."""
    sys.stderr.flush()
    try:
        ours = os.dup(sys.stderr.fileno())
    except (OSError, ValueError):  # it is no file here, but something in its place: what C prints does not get there
        yield sys.stderr
        return
    with open(ours, "w", encoding=sys.stderr.encoding) as stream, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
        try:
            yield stream
        finally:
            stream.flush()
            os.dup2(ours, sys.stderr.fileno())


class _Rate(progress.ProgressColumn):
    """Files per second."""

    def render(self, task: progress.Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.1f} files/s")


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[], None]]:
    """What hears of each finished file: a bar on a terminal, nothing elsewhere."""
    columns = (progress.BarColumn(), progress.MofNCompleteColumn(), _Rate(), progress.TimeRemainingColumn())
    with progress.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
