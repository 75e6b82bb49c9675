"""Batches of files, several at a time: an error in one is reported, and does not stop the others."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

from ..errors import CODECS, FileError, is_raised_by
from . import conversion, formats, reading, resizing, sample_map, shard_jobs, shards, writing
from .conversion import Placements, Task
from .draft import Difference
from .jobs import Job, remove_stale_temp, run_in_order
from .resizing import Recipe
from .sample_map import Failure, IsStopped

_limit_lock = threading.Lock()  # the limit is Pillow's, for all threads of a worker


@dataclass(frozen=True)
class Outcome:
    """The result of one file: "resized", "skipped", "failed", or "planned" in a dry run.

    `placements` are those of its picture or array, or of each resized array of an NPZ, by name. `drafts` counts JPEG
    images by the scale that they were decoded at. `images` is the number of images in a shard, None for other files;
    `failures` are those of its images.
    """

    job: Job
    status: str
    placements: Placements = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    drafts: tuple[tuple[str, int], ...] = ()
    images: int | None = None
    failures: tuple[Failure, ...] = ()


def run(
    jobs: Sequence[Job], task: Task, workers: int = 1, dry: bool = False, stop: threading.Event | None = None
) -> Generator[Outcome, None, None]:
    """Run the jobs and yield their outcomes in order; with `dry`, nothing is written.

    Files are processed several at a time; shards one by one, with several images at a time. Once `stop` is set, no more
    jobs are started; running ones are finished, except for shards, and their outcomes are yielded. Closing the
    generator waits for them, too.
    """
    is_stopped = (stop or threading.Event()).is_set
    if not dry:
        remove_stale_temp(jobs)
    for is_shard, group in groupby(jobs, key=lambda job: formats.is_shard(job.source)):
        if is_shard:
            outcomes = (_run_shard(job, task, workers, dry, is_stopped) for job in group if not is_stopped())
            yield from (outcome for outcome in outcomes if outcome is not None)
        else:
            yield from run_in_order(lambda job: _run_job(job, task, dry), list(group), workers, is_stopped)


@dataclass(frozen=True)
class RunJob:
    """The function of a job for processes elsewhere: picklable, with the limit of pixels that this process has."""

    task: Task
    dry: bool = False
    max_pixels: int | None = None

    def __call__(self, job: Job) -> Outcome:
        if self.max_pixels is None:
            return self._run(job)
        with _limit_lock, reading.limit_pixels(self.max_pixels):
            return self._run(job)

    def _run(self, job: Job) -> Outcome:
        if not formats.is_shard(job.source):
            return _run_job(job, self.task, self.dry)
        outcome = _run_shard(job, self.task, 1, self.dry, lambda: False)
        return outcome or Outcome(job, "failed", error="stopped")


def measure_draft(jobs: Sequence[Job], task: Task) -> Difference | None:
    """Return the difference that a draft makes to the first JPEG decoded at a reduced size; None if there is none."""
    for job in jobs:
        if task.skip and os.path.lexists(job.target):
            continue
        with suppress(FileError):  # reported by the run
            for name, data in _jpegs(job, task):
                if found := conversion.measure_draft(data, name, task):
                    return found
    return None


def _jpegs(job: Job, task: Task) -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of the JPEG files of a job: one, or those of a shard."""
    source = os.fspath(job.source)
    if formats.is_shard(job.source):
        images = shards.read_images(job.source, task.column)
        yield from ((f"{source}/{name}", data) for name, data in images if data.startswith(conversion.JPEG_START))
    elif reading.begins_with(job.source, conversion.JPEG_START):
        yield source, reading.read_bytes(job.source)


def _run_job(job: Job, task: Task, dry: bool) -> Outcome:
    if task.skip and os.path.lexists(job.target):
        return Outcome(job, "skipped")
    try:
        if dry:
            return Outcome(job, "planned", _plan(job, task.recipe))
        name, format = os.fspath(job.source), formats.format_of(job.target) or ""
        result = conversion.convert(reading.read_bytes(job.source), name, format, task)
        _create_folder(job)
        with writing.atomic_write(job.target) as file:
            file.write(result.data)
        drafts = () if result.draft is None else ((result.draft, 1),)
        return Outcome(job, "resized", result.placements, result.notes, drafts=drafts)
    except Exception as error:
        return _failed(job, error)


def _run_shard(job: Job, task: Task, workers: int, dry: bool, is_stopped: IsStopped) -> Outcome | None:
    """Return the outcome of a shard; None if it was stopped."""
    if task.skip and os.path.lexists(job.target):
        return Outcome(job, "skipped")
    try:
        if dry:
            job.require_inside()
            return Outcome(job, "planned", images=shards.count_images(job.source, task.column))
        _create_folder(job)
        report, resized = shard_jobs.resize_shard(job, task, workers, is_stopped)
    except sample_map.Stopped:
        return None
    except Exception as error:
        return _failed(job, error)
    return Outcome(
        job, "resized", notes=resized.notes, drafts=resized.drafts, images=report.images, failures=report.failures
    )


def _failed(job: Job, error: Exception) -> Outcome:
    if not is_raised_by(error, *CODECS):
        raise error
    return Outcome(job, "failed", error=_message(job, error))


def _plan(job: Job, recipe: Recipe) -> Placements:
    """Return the placements of a job from the sizes in the file, without decoding pixels."""
    job.require_inside()
    shapes = reading.read_shapes(job.source)
    axes = {key: resizing.axes_of(shape, recipe) for key, shape in shapes.items()}
    placements = tuple(
        (key, recipe.placement(tuple(shapes[key][axis] for axis in chosen))) for key, chosen in axes.items() if chosen
    )
    conversion.require_any(placements, shapes, recipe)
    return placements


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
    return f"cannot resize {name}: {sample_map.error_text(error)}"
