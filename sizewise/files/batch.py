"""Many files, several at a time: what goes wrong with one is told, and does not stop the others."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ..errors import CODECS, FileError, SizewiseError, is_raised_by
from . import arrays, encoding, formats, reading, resizing, writing
from .colours import rgb
from .fit import Placement
from .jobs import Job
from .picture import Picture, of_array
from .resizing import Recipe

Placements = tuple[tuple[str, Placement], ...]
Made = tuple[bytes, Placements, tuple[str, ...]]


@dataclass(frozen=True)
class Task:
    """What is done with every file: how it is resized, and how it is written."""

    recipe: Recipe
    strip: bool = False
    quality: int | None = None
    skip: bool = False
    threads: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of one file: "resized", "skipped", "failed", or "planned" where nothing is done yet.

    `placements` are of its picture or array, or of each array that was resized in an NPZ, by name.
    """

    job: Job
    status: str
    placements: Placements = ()
    notes: tuple[str, ...] = ()
    error: str | None = None


def run(
    jobs: Sequence[Job], task: Task, workers: int = 1, dry: bool = False, stop: threading.Event | None = None
) -> Generator[Outcome, None, None]:
    """Does the jobs, and gives what became of each, in their order; with `dry`, nothing is written.

    Once `stop` is set, no more jobs are begun: those that were are finished, and told of. Once it is closed, they are
    finished, too.
    """
    one: Callable[[Job], Outcome] = partial(_looked_at if dry else _done, task=task)
    stopped = (stop or threading.Event()).is_set
    if not dry:
        for folder in {job.target.parent for job in jobs}:
            writing.sweep(folder)
    if workers == 1 or len(jobs) == 1:
        yield from (one(job) for job in jobs if not stopped())
        return
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(lambda job: None if stopped() else one(job), job) for job in jobs]
        try:
            for future in futures:
                if (outcome := future.result()) is not None:
                    yield outcome
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _done(job: Job, task: Task) -> Outcome:
    """One job, done; or why not."""
    if task.skip and os.path.lexists(job.target):
        return Outcome(job, "skipped")
    try:
        data, placements, notes = _made(job, task)
        _folder(job)
        with writing.whole(job.target) as file:
            file.write(data)
        return Outcome(job, "resized", placements, notes)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        return Outcome(job, "failed", error=_reason(job, error))


def _looked_at(job: Job, task: Task) -> Outcome:
    """One job as it would be done: sizes are read from the file, but no pixels."""
    if task.skip and os.path.lexists(job.target):
        return Outcome(job, "skipped")
    try:
        job.require_inside()
        shapes = reading.sizes(job.source)
        found = [(key, _placement(shape, task.recipe)) for key, shape in shapes.items()]
        placements = tuple((key, where) for key, where in found if where)
        _require_some(placements, shapes, task.recipe)
        return Outcome(job, "planned", placements)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        return Outcome(job, "failed", error=_reason(job, error))


def _placement(shape: tuple[int, ...], recipe: Recipe) -> Placement | None:
    axes = resizing.axes_of(shape, recipe)
    return recipe.placement(tuple(shape[axis] for axis in axes)) if axes else None


def _made(job: Job, task: Task) -> Made:
    """The bytes of the file that a job writes, where each of its arrays landed, and notes."""
    format, contents = formats.of_name(job.target) or "", reading.read(job.source)
    if isinstance(contents, dict):
        if format != "npz":
            raise FileError(f"an .npz of {len(contents)} arrays becomes an .npz only, not {format}")
        resized = {key: resizing.resize_array(one, task.recipe, task.threads) for key, one in contents.items()}
        placements = tuple((key, where) for key, (_, where) in resized.items() if where)
        _require_some(placements, {key: one.shape for key, one in contents.items()}, task.recipe)
        return arrays.encode_npz({key: array for key, (array, _) in resized.items()}), placements, ()
    if format == "npz":
        raise FileError("only an .npz becomes an .npz; write .npy")
    if not isinstance(contents, Picture):
        if format == "npy":
            array, where = resizing.resize_array(contents, task.recipe, task.threads)
            placements = (("", where),) if where else ()
            _require_some(placements, {"": contents.shape}, task.recipe)
            return arrays.encode_npy(array), placements, ()
        contents = of_array(contents, os.fspath(job.source))
    return _picture(contents, format, task)


def _require_some(placements: Placements, shapes: dict[str, tuple[int, ...]], recipe: Recipe) -> None:
    """Refuses a file whose arrays would all be kept as they are."""
    if not placements:
        has = ", ".join(map(str, shapes.values())) or "none"
        axes = "two or more axes" if recipe.axes is None else f"axes {recipe.axes}"
        raise FileError(f"none of its arrays has {axes}: it has {has}; say which to resize (--axes 0)")


def _picture(contents: Picture, format: str, task: Task) -> Made:
    picture, placement = resizing.resize_picture(contents, task.recipe, task.threads)
    notes = list(contents.notes)
    if task.strip:
        picture = replace(picture, about=picture.about.stripped())
    if format == "npy":
        return arrays.encode_npy(picture.pixels), (("", placement),), tuple(notes)
    written = encoding.suited(picture, format, rgb(task.recipe.pad))
    if written.bands != contents.bands or written.pixels.dtype != contents.pixels.dtype:
        notes.append(f"{contents.words} became {written.words}")
    return encoding.encode(written, format, task.quality), (("", placement),), tuple(notes)


def _folder(job: Job) -> None:
    """Makes the folder that a job writes to, unless that would be outside of its root."""
    job.require_inside()
    try:
        Path(job.target.parent).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {os.fspath(job.target.parent)!r}: {error.strerror}") from error


def _reason(job: Job, error: Exception) -> str:
    """What went wrong, in one line that names the file."""
    name = repr(os.fspath(job.source))
    if isinstance(error, FileError) and (name in str(error) or repr(os.fspath(job.target)) in str(error)):
        return str(error)
    words = str(error) if isinstance(error, SizewiseError) else f"unexpected {type(error).__name__}: {error}"
    return f"cannot resize {name}: {' '.join(words.split())}"
