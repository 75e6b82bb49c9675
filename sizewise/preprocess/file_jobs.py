"""Files through a recipe: one .npy for each image, or one array of all of them."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np
from numpy.lib import format as npy

from ..errors import CODECS, FileError, SizewiseError, is_raised_by
from ..files import arrays, formats, shards, writing
from ..files.jobs import Job, remove_stale_temp, run_in_order
from .preprocessor import Preprocessor

GROUP = 64  # images in memory while one array is written


@dataclass(frozen=True)
class Outcome:
    """The result of one file: "written", "skipped" or "failed"; the shape of its array, or its error."""

    job: Job
    status: str
    shape: tuple[int, ...] = ()
    error: str | None = None

    @property
    def images(self) -> int:
        """The number of images written: 1, or those of a shard."""
        return 0 if self.status != "written" else self.shape[0] if formats.is_shard(self.job.source) else 1


@dataclass(frozen=True)
class PreprocessFile:
    """A recipe as a function of a file job, which writes the result as an NPY file; picklable."""

    recipe: Preprocessor
    skip: bool = False
    column: str = "image"  # of images in Parquet shards

    def __call__(self, job: Job) -> Outcome:
        if self.skip and os.path.lexists(job.target):
            return Outcome(job, "skipped")
        try:
            job.require_inside()
            if formats.is_shard(job.source):
                return self._run_shard(job)
            result = self.recipe(job.source, library="numpy", threads=1)
            job.target.parent.mkdir(parents=True, exist_ok=True)
            with writing.atomic_write(job.target) as file:
                file.write(arrays.encode_npy(result))
            return Outcome(job, "written", result.shape)
        except Exception as error:
            if not is_raised_by(error, *CODECS):
                raise
            return Outcome(job, "failed", error=_message(job, error))

    def _run_shard(self, job: Job) -> Outcome:
        """Write a shard with arrays in place of its images; samples that fail are left out, and are an error."""

        def convert(name: str, data: bytes) -> tuple[str, bytes]:
            return f"{PurePath(name).stem}.npy", arrays.encode_npy(self.recipe(data, library="numpy", threads=1))

        job.target.parent.mkdir(parents=True, exist_ok=True)
        report = shards.map_shard(job.source, job.target, convert, column=self.column)
        if not report.failures:
            return Outcome(job, "written", (report.images,))
        first = report.failures[0]
        text = f"images that failed and are left out: {len(report.failures):,}, as {first.name!r}: {first.error}"
        return Outcome(job, "written", (report.images,), f"{os.fspath(job.source)!r}: {text}")


def run(
    function: PreprocessFile, jobs: Sequence[Job], workers: int, stop: threading.Event
) -> Generator[Outcome, None, None]:
    """Write the result of each job, several at a time; yield the outcomes in order.

    Once `stop` is set, no more jobs are started.
    """
    remove_stale_temp(jobs)
    yield from run_in_order(function, jobs, workers, stop.is_set)


def _message(job: Job, error: Exception) -> str:
    name, text = repr(os.fspath(job.source)), str(error)
    if not isinstance(error, SizewiseError):
        text = f"unexpected {type(error).__name__}: {error}"
    return text if name in text else f"cannot preprocess {name}: {text}"


def write_batch(recipe: Preprocessor, paths: Sequence[Path], target: Path, threads: int) -> tuple[int, ...]:
    """Write the results of all files as one array, atomically, and return its shape; raise if one fails.

    Files are read in groups, so that memory does not grow with their number.
    """
    shape: tuple[int, ...] = ()
    dtype: np.dtype | None = None
    with writing.atomic_write(target) as file:
        for start in range(0, len(paths), GROUP):
            group = recipe(list(paths[start : start + GROUP]), library="numpy", threads=threads)
            if isinstance(group, list) or (dtype is not None and (group.shape[1:], group.dtype) != (shape, dtype)):
                raise FileError(
                    "the results have different shapes or dtypes, and cannot be one array; give a folder: -o results/"
                )
            if dtype is None:
                shape, dtype = group.shape[1:], group.dtype
                header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": (len(paths), *shape)}
                npy.write_array_header_1_0(file, header)
            file.write(np.ascontiguousarray(group).data)
    return len(paths), *shape
