"""`sizewise preprocess`: show, run and compare the input recipes of models."""

from __future__ import annotations

import json
import shlex
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ..errors import ArgumentError, FileError, MissingExtraError
from ..preprocess import Preprocessor
from ..report.text import printable
from ..resize_spec import parse_size
from ..thread_count import default_threads
from .label_output import LabelRun
from .output import print_report, require_not_input, reserved_stdout, write_file
from .resize import batch_progress, stop_on_interrupt

if TYPE_CHECKING:
    from ..files.jobs import Jobs
    from ..labels.document import Size
    from ..preprocess import file_jobs

app = typer.Typer(no_args_is_help=True, help="Show, compare and run the input recipe of a model.")
Config = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="A recipe: preprocessor_config.json, recipe.json, or a model's folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")]


@app.command("show")
def show(
    config: Config,
    size: Annotated[str, typer.Option(metavar="HEIGHTxWIDTH", help="The size of an input image.")] = "480x640",
    as_json: AsJson = False,
) -> None:
    """Show the steps of a recipe, and the size of an image after each."""
    from ..report.preprocess.json import recipe_as_json
    from ..report.preprocess.text import RecipeText

    recipe, lengths = Preprocessor.load(config), _size(size)
    print_report(recipe_as_json(recipe, lengths) if as_json else RecipeText(recipe, lengths))


@app.command("compare")
def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="The recipe that is right, such as that of training.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The recipe to check.")],
    image: Annotated[Path | None, typer.Option(metavar="FILE", help="By default a synthetic photo.")] = None,
    tolerance: Annotated[float, typer.Option(min=0, help="Exit with 1 if a result differs by more.")] = 0.0,
    as_json: AsJson = False,
) -> int:
    """Find the first step at which two recipes differ, and how large the difference is after each step.

    Exit code 1 if the results differ by more than --tolerance.
    """
    from ..report.preprocess.json import as_json as comparison_as_json
    from ..report.preprocess.text import RecipeComparisonText

    facts = Preprocessor.load(a).compare(Preprocessor.load(b), image)
    print_report(comparison_as_json(facts, tolerance) if as_json else RecipeComparisonText(facts, tolerance))
    return 0 if facts.agrees(tolerance) else 1


@app.command("run")
def run(
    config: Config,
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT", help="Images, or folders of them.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="A folder, for one .npy a file; or one .npy of all.")
    ],
    workers: Annotated[int | None, typer.Option(min=1, help="Files at a time; by default one per core.")] = None,
    skip_existing: Annotated[bool, typer.Option("--skip-existing", help="Continue an interrupted run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", metavar="FILE", help="COCO, YOLO, CVAT or LabelMe, written for the results; repeat."),
    ] = None,
    column: Annotated[str, typer.Option(metavar="NAME", help="Of images in Parquet files.")] = "image",
    engine: Annotated[str | None, typer.Option(metavar="ray|dask", help="Run on the workers of a cluster.")] = None,
    address: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Of the cluster; else this machine.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each file.")] = False,
) -> int:
    """Preprocess files: write arrays that a model takes.

    Files are written atomically. Exit code 1 if one failed; in a folder, the others are still written.
    """
    try:
        from ..files import formats, jobs, shards
        from ..preprocess import file_jobs
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        raise MissingExtraError("sizewise preprocess run", "cli") from None
    recipe, count = Preprocessor.load(config), workers or default_threads()
    if engine is None and address is not None:
        raise ArgumentError(f"--address {address!r} is that of a cluster; name its --engine, ray or dask")
    if out.suffix == ".npy" and not out.is_dir():
        if labels:
            raise ArgumentError(f"-o {str(out)!r} is one array, without names of images; give a folder for --labels")
        if engine is not None:
            raise ArgumentError(f"-o {str(out)!r} is one array, which --engine does not write; give a folder")
        return _write_one_array(recipe, inputs, out, overwrite, count)
    if formats.format_of(out) not in (None, "npy") and not out.is_dir():
        raise ArgumentError(f"-o {str(out)!r}: results are arrays; name a folder, or a file that ends in .npy")
    found = jobs.find(inputs, out, "npy")
    jobs.check(found.jobs, overwrite=overwrite, skip=skip_existing)
    shards.require_packages(job.source for job in found.jobs)
    label_run = _label_run(labels, found, overwrite or skip_existing, recipe) if labels else None
    function = file_jobs.PreprocessFile(recipe, skip_existing, column)

    def start(stop: threading.Event) -> Generator[file_jobs.Outcome, None, None]:
        if engine is None:
            return file_jobs.run(function, found.jobs, count, stop)
        from ..preprocess import engines

        jobs.remove_stale_temp(found.jobs)
        return engines.run_files(function, found.jobs, engine, address, stop)

    return _run_jobs(found, start, as_json, label_run)


def _write_one_array(recipe: Preprocessor, inputs: list[Path], out: Path, overwrite: bool, workers: int) -> int:
    """Write the results of all files as one array, and say so."""
    from ..files import jobs
    from ..preprocess import file_jobs

    folder = out.parent / f".{out.name.replace('.', '-')}"  # never written; hidden folders are skipped anyway
    found = jobs.find(inputs, folder, "npy")
    if found.errors:
        raise FileError(found.errors[0])
    paths = [job.source for job in found.jobs]
    if out.exists() and not overwrite:
        raise ArgumentError(f"{str(out)!r} exists already; --overwrite replaces it")
    shape = file_jobs.write_batch(recipe, paths, out, workers)
    typer.echo(str(out))
    typer.echo(f"Wrote {str(out)!r}: {len(paths):,} image{'s' * (len(paths) > 1)}, shape {shape}", err=True)
    return 0


def _label_run(labels: list[Path], found: Jobs, replaces: bool, recipe: Preprocessor) -> LabelRun:
    """Return the label files to write with the results of a recipe."""
    from ..labels import mapping

    is_upright = recipe.decode.orientation == "exif"
    return LabelRun.read(labels, found, replaces, mapping.of_preprocessor(recipe), is_upright)


def _run_jobs(
    found: Jobs,
    run: Callable[[threading.Event], Generator[file_jobs.Outcome, None, None]],
    as_json: bool,
    labels: LabelRun | None = None,
) -> int:
    """Run the jobs, report each on stdout and failures on stderr, and return the exit code."""
    start, total, images, failed = time.perf_counter(), len(found.jobs), 0, list(found.errors)
    count = Counter[str]()
    sizes: dict[Path, Size | str | None] = {}
    with (
        reserved_stdout() as results,
        batch_progress(Console(stderr=True), total) as done,
        stop_on_interrupt(total) as stop,
        closing(run(stop)) as running,
    ):
        for outcome in running:
            images += outcome.images
            count[outcome.status] += 1
            failed += [] if outcome.error is None else [outcome.error]
            sizes[outcome.job.source] = "preprocessing it failed" if outcome.status == "failed" else None
            if as_json:
                typer.echo(_record(outcome), results)
            elif outcome.status == "written" and not results.isatty():
                typer.echo(str(outcome.job.target), results)
            done()
    failed += [] if labels is None else labels.write(sizes, as_json)
    for error in failed:
        typer.echo(f"sizewise: {printable(error)}", err=True)
    for note in found.notes:
        typer.echo(f"note: {printable(note)}", err=True)
    seconds = time.perf_counter() - start
    rate = f"{images / seconds:,.1f} images/s" if seconds else ""
    others = "".join(f", {count[status]:,} {status}" for status in ("failed", "skipped") if count[status])
    if left := total - count.total():
        others += f", {left:,} not started (--skip-existing continues from here)"
    typer.echo(f"{count['written']:,} of {total:,} files written in {seconds:.1f} s ({rate}){others}", err=True)
    return 130 if stop.is_set() else 1 if failed else 0


def _record(outcome: file_jobs.Outcome) -> str:
    """Return the outcome of a file as one line of JSON."""
    job = outcome.job
    record = {"source": str(job.source), "target": str(job.target), "status": outcome.status}
    return json.dumps({**record, "shape": list(outcome.shape), "error": outcome.error})


@app.command("golden")
def golden(
    config: Config,
    folder: Annotated[Path, typer.Argument(help="A new folder, or one of golden vectors.")],
    image: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="An image; repeat it for more. By default synthetic ones.")
    ] = None,
) -> None:
    """Write golden vectors for the tests of another runtime: images, the array after every step, and hashes."""
    from ..preprocess import golden as vectors

    images = None if not image else {f"{index}-{path.stem}": path for index, path in enumerate(image)}
    path = vectors.write(Preprocessor.load(config), folder, images)
    typer.echo(str(path))
    typer.echo(f"Wrote {str(path)!r}", err=True)


@app.command("card")
def card(
    config: Config,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write Markdown, or a page to FILE.html."),
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a self-contained page.")] = None,
) -> None:
    """Print one page about a recipe that a model card can link: its steps, sizes, and JSON."""
    from ..report.preprocess.card import card as make_card

    for option, path in (("--out", out), ("--html", html)):
        require_not_input(option, path, {"CONFIG": config})
    recipe, name = Preprocessor.load(config), config.stem if config.is_file() else config.resolve().name
    if out is not None and out.suffix.lower() in (".html", ".htm"):
        if html is not None:
            raise ArgumentError(f"--out and --html are both pages: {str(out)!r} and {str(html)!r}; give one of them")
        html, out = out, None
    if html is not None:
        _write(html, _card_page(recipe, name, config))
    if out is not None:
        _write(out, make_card(recipe, name))
    elif html is None:
        typer.echo(make_card(recipe, name))


def _write(path: Path, text: str) -> None:
    """Write a file, and its path on stdout."""
    write_file(path, text)
    typer.echo(str(path))


def _card_page(recipe: Preprocessor, name: str, config: Path) -> str:
    try:
        from ..report.preprocess.html import card_page
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("PIL", "jinja2"):
            raise
        raise MissingExtraError("sizewise preprocess card --html", "cli") from None
    command = shlex.join(["sizewise", "preprocess", "card", str(config), "--html=..."])
    return card_page(recipe, name, printable(command))


def _size(given: str) -> tuple[int, int]:
    lengths = parse_size(given, "--size")
    if len(lengths) != 2:
        raise ArgumentError(f"--size is {given!r}; give a height and a width, like 480x640")
    return lengths[0], lengths[1]
