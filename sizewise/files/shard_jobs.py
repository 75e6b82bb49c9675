"""Resizing of the images in a shard: the function that maps them, and notes on all of them."""

from __future__ import annotations

import os
import threading
from collections import Counter

from . import conversion, formats, shards
from .conversion import Task
from .jobs import Job
from .sample_map import Failure, IsStopped, ShardReport


class ShardResize:
    """A function for `map_shard` that resizes images; it counts notes and drafts of all threads."""

    def __init__(self, source: str | os.PathLike[str], task: Task) -> None:
        self._source, self._task, self._lock = os.fspath(source), task, threading.Lock()
        self._notes, self._drafts = Counter[str](), Counter[str]()

    def __call__(self, name: str, data: bytes) -> tuple[str, bytes]:
        """Return the name and the bytes of a resized image."""
        output = formats.output_name(name, self._task.format)
        format = formats.format_of(output) or ""
        result = conversion.convert(data, f"{self._source}/{name}", format, self._task)
        with self._lock:
            self._notes.update(result.notes)
            if result.draft is not None:
                self._drafts[result.draft] += 1
        return output, result.data

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes on images, each with its count, sorted."""
        return tuple(
            f"{count:,} image{'' if count == 1 else 's'}: {note}" for note, count in sorted(self._notes.items())
        )

    @property
    def drafts(self) -> tuple[tuple[str, int], ...]:
        """Return the number of images decoded at each scale."""
        return tuple(sorted(self._drafts.items()))


def resize_shard(job: Job, task: Task, threads: int, is_stopped: IsStopped) -> tuple[ShardReport, ShardResize]:
    """Write a shard with resized images; errors name the shard and the image."""
    function = ShardResize(job.source, task)
    report = shards.map_shard(
        job.source, job.target, function, column=task.column, threads=threads, is_stopped=is_stopped
    )
    failures = tuple(Failure(one.name, _message(job, one)) for one in report.failures)
    return ShardReport(report.images, failures), function


def _message(job: Job, failure: Failure) -> str:
    name = repr(f"{os.fspath(job.source)}/{failure.name}")
    text = failure.error if name in failure.error else f"cannot resize {name}: {failure.error}"
    return f"{text}; its sample is left out"
