"""`sizewise resize INPUT... -o OUT`: image and array files, resized with the pixels of the framework named."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, TextIO

import typer
from rich import progress
from rich.console import Console
from rich.text import Text

from ..errors import ArgumentError, MissingExtraError, unknown_name
from ..resize_spec import parse_option, parse_size
from ..thread_count import default_threads
from .label_output import LabelRun
from .output import reserved_stdout

if TYPE_CHECKING:
    from ..files.batch import Outcome
    from ..files.conversion import Task
    from ..files.jobs import Job, Jobs
    from ..files.resizing import Recipe
    from ..labels.document import Size
    from ..labels.mapping import MapOf

    Run = Callable[..., Generator[Outcome, None, None]]


def resize(
    inputs: Annotated[
        list[Path], typer.Argument(metavar="INPUT", help="Images, .npy, .npz, .tar, .parquet, or folders.")
    ],
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
        typer.Option(metavar="COLOR", help="Around a letterboxed image, and behind alpha that is dropped."),
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
    column: Annotated[str, typer.Option(metavar="NAME", help="Of Parquet files: that of the images.")] = "image",
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", metavar="FILE", help="COCO, YOLO, CVAT or LabelMe, written for the results; repeat."),
    ] = None,
    quality: Annotated[
        int | None, typer.Option(min=1, max=100, help="By default: JPEG as the one read, or 90; WebP lossless.")
    ] = None,
    metadata: Annotated[str, typer.Option(metavar="keep|strip", help="EXIF, XMP and comments.")] = "keep",
    skip_existing: Annotated[bool, typer.Option("--skip-existing", help="Continue an interrupted run.")] = False,
    draft: Annotated[
        bool, typer.Option("--draft", help="Decode JPEG at 1/2, 1/4 or 1/8: faster; a note says how pixels change.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be done, and write nothing.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Files, or images of a shard, at a time; by default one per core.")
    ] = None,
    max_pixels: Annotated[
        int | None, typer.Option(min=1, help="Larger images are refused; by default 89,478,485.")
    ] = None,
    engine: Annotated[str | None, typer.Option(metavar="ray|dask", help="Run the files as its tasks.")] = None,
    address: Annotated[str | None, typer.Option(help="Of the cluster of --engine; by default this machine.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each file.")] = False,
) -> int:
    """Resize files and folders of images and arrays, many at a time.

    Images are rotated upright by EXIF. Color profiles, alpha and 16 bits are kept. Files are written atomically.
    Exit code 1 if one failed; the others are still written.
    """
    try:
        from ..files import batch, colors, conversion, formats, jobs, malloc_tuning, reading, resizing, shards
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        raise MissingExtraError("sizewise resize", "cli") from None
    _refuse_sizes(inputs)
    recipe = resizing.Recipe(
        size=None if size is None else parse_size(size, "--size"),
        scale=scale,
        fit=fit,
        pad=None if pad is None else colors.parse(pad),
        method=method,
        dialect=dialect,
        antialias=antialias,
        options=dict(map(parse_option, option or ())),
        axes=None if axes is None else _axes(axes),
        draft=draft,
    )
    for name, given, known in (("format", format, formats.ENDINGS), ("metadata", metadata, ("keep", "strip"))):
        if given is not None and given not in known:
            raise unknown_name(name, given, known)
    found = jobs.find(inputs, out, format)
    jobs.check(found.jobs, overwrite=overwrite, skip=skip_existing)
    shards.require_packages(job.source for job in found.jobs)
    label_run = LabelRun.read(labels, found, overwrite or skip_existing, _label_maps(recipe)) if labels else None
    has_shards = any(formats.is_shard(job.source) for job in found.jobs)
    count = workers or default_threads()
    count = count if has_shards else max(1, min(count, len(found.jobs)))
    threads = 1 if count > 1 else None
    task = conversion.Task(recipe, metadata == "strip", quality, skip_existing, threads, format, column)
    malloc_tuning.keep_freed()
    with reading.limit_pixels(max_pixels), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\.")  # of metadata: file contents are not for the terminal
        if engine is None and address is not None:
            raise ArgumentError(f"--address {address!r} is that of a cluster; name its --engine, ray or dask")
        run = batch.run if engine is None else _engine_run(engine, address, max_pixels)
        return _run(found, task, count, dry_run, as_json, run, label_run)


def _refuse_sizes(inputs: Sequence[Path]) -> None:
    """Raise ArgumentError for a size among the files, where other commands have theirs."""
    for path in inputs:
        if re.fullmatch(r"[0-9]+x[0-9]+", str(path)) and not path.exists():
            raise ArgumentError(f"{str(path)!r} is not a file; a size is given as --size {path}")


def _engine_run(
    engine: str, address: str | None, max_pixels: int | None
) -> Callable[..., Generator[Outcome, None, None]]:
    """Return `batch.run` on the workers of an engine."""
    from ..files.batch import RunJob
    from ..files.jobs import remove_stale_temp
    from ..preprocess import engines

    def run(
        jobs: Sequence[Job], task: Task, workers: int, dry: bool, stop: threading.Event
    ) -> Generator[Outcome, None, None]:
        if not dry:
            remove_stale_temp(jobs)
        each = RunJob(replace(task, threads=1), dry, max_pixels)
        return engines.run_files(each, jobs, engine, address, stop)

    return run


def _run(
    found: Jobs, task: Task, workers: int, dry: bool, as_json: bool, run: Run, labels: LabelRun | None = None
) -> int:
    """Run the jobs, report each on stdout and all on stderr, and return the exit code."""
    from ..files import batch
    from ..report.resize import text as report
    from ..report.text import printable

    outcomes, start, count = [], time.perf_counter(), len(found.jobs)
    with (
        reserved_stdout() as results,
        _own_stderr() as errors,
        batch_progress(Console(file=errors), count) as done,
        stop_on_interrupt(count) as stop,
        closing(run(found.jobs, task, workers, dry, stop)) as running,
    ):
        difference = batch.measure_draft(found.jobs, task) if task.recipe.draft and not dry else None
        for outcome in running:
            outcomes.append(outcome)
            _print(outcome, as_json, results)
            done()
    seconds = time.perf_counter() - start
    failed = [*found.errors, *(outcome.error for outcome in outcomes if outcome.error is not None)]
    failed += [failure.error for outcome in outcomes for failure in outcome.failures]
    if labels is not None and not dry:
        failed += labels.write({outcome.job.source: _label_size(outcome) for outcome in outcomes}, as_json)
    for error in failed:
        typer.echo(f"sizewise: {printable(error)}", err=True)
    for note in filter(None, (*found.notes, *report.notes(outcomes), report.draft_note(outcomes, difference))):
        typer.echo(f"note: {printable(note)}", err=True)
    typer.echo(report.summary(outcomes, seconds, count), err=True)
    return 130 if stop.is_set() else 1 if failed else 0


def _label_maps(recipe: Recipe) -> MapOf:
    """Return where the labels of an image of a size go."""
    from ..labels import mapping

    if recipe.draft:
        raise ArgumentError("--draft rounds the part of a JPEG that is resized to pixels; leave it out for --labels")
    return mapping.of_recipe(recipe)


def _label_size(outcome: Outcome) -> Size | str | None:
    """Return the size of an image for its labels: None to read it from its file, or why it has no labels."""
    placement = dict(outcome.placements).get("")
    if outcome.status == "failed" or placement is None:
        return "resizing it failed" if outcome.status == "failed" else None
    height, width = placement.input_size
    return height, width


def _print(outcome: Outcome, as_json: bool, results: TextIO) -> None:
    """Print a JSON record; the plan of a dry run; or, in a pipe, the name of the written file."""
    from ..report.resize import json, text

    if as_json:
        typer.echo(json.record(outcome), results)
    elif outcome.status == "planned":
        typer.echo(text.line(outcome), results)
    elif outcome.status == "resized" and not results.isatty():
        typer.echo(text.printable_path(outcome.job.target), results)


def _axes(given: str) -> tuple[int, ...]:
    try:
        axes = tuple(int(axis) for axis in given.split(","))
    except ValueError:
        raise ArgumentError(f"--axes is {given!r}; write axes like 0,1 or -2,-1") from None
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"--axes is {given!r}; name each axis once")
    return axes


@contextmanager
def stop_on_interrupt(count: int) -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C sets, if there are many files: those being written are finished."""
    stop, usual = threading.Event(), signal.default_int_handler

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, usual)

    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is usual
    if count == 1 or not ours:
        yield stop
        return
    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def _own_stderr() -> Iterator[TextIO]:
    """Yield stderr, silenced for C libraries, which print warnings about broken files there."""
    sys.stderr.flush()
    try:
        ours = os.dup(sys.stderr.fileno())
    except (OSError, ValueError):  # not a real file: C code does not print there
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
def batch_progress(console: Console, total: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call for each finished file: it moves a bar on a terminal."""
    columns = (progress.BarColumn(), progress.MofNCompleteColumn(), _Rate(), progress.TimeRemainingColumn())
    with progress.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)
