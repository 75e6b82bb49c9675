"""Batches of files, several at a time: an error in one is reported, and does not stop the others."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from ..errors import CODECS, FileError, SizewiseError, is_raised_by
from . import arrays, encode, formats, reading, resizing, writing
from .colors import rgb
from .fit import Placement
from .jobs import Job
from .picture import Picture, from_array
from .resizing import Recipe

Placements = tuple[tuple[str, Placement], ...]
Result = tuple[bytes, Placements, tuple[str, ...]]


@dataclass(frozen=True)
class Task:
    """How every file is resized and written."""

    recipe: Recipe
    strip: bool = False
    quality: int | None = None
    skip: bool = False
    threads: int | None = None


@dataclass(frozen=True)
class Outcome:
    """The result of one file: "resized", "skipped", "failed", or "planned" in a dry run.

    `placements` are those of its picture or array, or of each resized array of an NPZ, by name.
    """

    job: Job
    status: str
    placements: Placements = ()
    notes: tuple[str, ...] = ()
    error: str | None = None


def run(
    jobs: Sequence[Job], task: Task, workers: int = 1, dry: bool = False, stop: threading.Event | None = None
) -> Generator[Outcome, None, None]:
    """Run the jobs and yield their outcomes in order; with `dry`, nothing is written.

    Once `stop` is set, no more jobs are started; running ones are finished, and their outcomes are yielded. Closing
    the generator waits for them, too.
    """
    is_stopped = (stop or threading.Event()).is_set
    if not dry:
        for folder in {job.target.parent for job in jobs}:
            writing.remove_stale_temp(folder)
    if workers == 1 or len(jobs) == 1:
        yield from (_run_job(job, task, dry) for job in jobs if not is_stopped())
        return
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(lambda job: None if is_stopped() else _run_job(job, task, dry), job) for job in jobs]
        try:
            for future in futures:
                if (outcome := future.result()) is not None:
                    yield outcome
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _run_job(job: Job, task: Task, dry: bool) -> Outcome:
    if task.skip and os.path.lexists(job.target):
        return Outcome(job, "skipped")
    try:
        if dry:
            return Outcome(job, "planned", _plan(job, task.recipe))
        data, placements, notes = _resize(job, task)
        _create_folder(job)
        with writing.atomic_write(job.target) as file:
            file.write(data)
        return Outcome(job, "resized", placements, notes)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        return Outcome(job, "failed", error=_message(job, error))


def _plan(job: Job, recipe: Recipe) -> Placements:
    """Return the placements of a job from the sizes in the file, without decoding pixels."""
    job.require_inside()
    shapes = reading.read_shapes(job.source)
    axes = {key: resizing.axes_of(shape, recipe) for key, shape in shapes.items()}
    placements = tuple(
        (key, recipe.placement(tuple(shapes[key][axis] for axis in chosen))) for key, chosen in axes.items() if chosen
    )
    _require_any(placements, shapes, recipe)
    return placements


def _resize(job: Job, task: Task) -> Result:
    """Return the bytes of the output file, the placements of its arrays, and notes."""
    format, contents = formats.format_of(job.target) or "", reading.read(job.source)
    if isinstance(contents, dict) and format != "npz":
        raise FileError(f"an .npz of {len(contents)} arrays becomes an .npz only, not {format}")
    if not isinstance(contents, dict) and format == "npz":
        raise FileError("only an .npz becomes an .npz; write .npy")
    if isinstance(contents, Picture):
        return _resize_picture(contents, format, task)
    if not isinstance(contents, dict) and format != "npy":
        return _resize_picture(from_array(contents, os.fspath(job.source)), format, task)
    inputs = contents if isinstance(contents, dict) else {"": contents}
    resized = {key: resizing.resize_array(array, task.recipe, task.threads) for key, array in inputs.items()}
    placements = tuple((key, placement) for key, (_, placement) in resized.items() if placement)
    _require_any(placements, {key: array.shape for key, array in inputs.items()}, task.recipe)
    if format == "npy":
        return arrays.encode_npy(resized[""][0]), placements, ()
    return arrays.encode_npz({key: array for key, (array, _) in resized.items()}), placements, ()


def _require_any(placements: Placements, shapes: dict[str, tuple[int, ...]], recipe: Recipe) -> None:
    """Raise FileError for a file without an array that has the axes to resize."""
    if not placements:
        found = ", ".join(map(str, shapes.values())) or "none"
        axes = "two or more axes" if recipe.axes is None else f"axes {recipe.axes}"
        raise FileError(f"none of its arrays has {axes}: it has {found}; say which to resize (--axes 0)")


def _resize_picture(contents: Picture, format: str, task: Task) -> Result:
    picture, placement = resizing.resize_picture(contents, task.recipe, task.threads)
    if task.strip:
        picture = replace(picture, metadata=picture.metadata.strip())
    if format == "npy":
        return arrays.encode_npy(picture.pixels), (("", placement),), contents.notes
    notes, written = contents.notes, encode.convert_for_format(picture, format, rgb(task.recipe.pad))
    if written.bands != contents.bands or written.pixels.dtype != contents.pixels.dtype:
        notes = (*notes, f"{contents.description} became {written.description}")
    return encode.encode(written, format, task.quality), (("", placement),), notes


def _create_folder(job: Job) -> None:
    """Create the folder of the output, unless a link leads it outside of its root."""
    job.require_inside()
    try:
        job.target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot create the folder {os.fspath(job.target.parent)!r}: {error.strerror}") from error


def _message(job: Job, error: Exception) -> str:
    """Return the error in one line that names the file."""
    name = repr(os.fspath(job.source))
    if isinstance(error, FileError) and (name in str(error) or repr(os.fspath(job.target)) in str(error)):
        return str(error)
    text = str(error) if isinstance(error, SizewiseError) else f"unexpected {type(error).__name__}: {error}"
    return f"cannot resize {name}: {' '.join(text.split())}"
