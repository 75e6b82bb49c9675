"""File jobs as tasks of an engine: absolute paths out, outcomes of the original jobs back."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

MAX_CHUNK_JOBS = 16  # of one task: small files take less time than the start of a task
MAX_PENDING_CHUNKS = 64  # of outcomes that wait for an earlier one: bounds memory, and feeds about 30 workers


def absolute(job: Any) -> Any:
    """Return a job with absolute paths: workers may run in another folder."""
    return replace(job, **{name: Path(os.path.abspath(getattr(job, name))) for name in ("source", "target", "root")})


def outcomes(results: Iterator[Any], jobs: Sequence[Any]) -> Generator[Any, None, None]:
    """Yield the outcomes of tasks, each with the job as it was given; close `results` at the end."""
    try:
        for outcome, job in zip(results, jobs, strict=False):  # `stop` ends the results early
            yield replace(outcome, job=job)
    finally:
        getattr(results, "close", lambda: None)()


def run_chunk(function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
    """Return the outcomes of the jobs of one task."""
    return list(map(function, jobs))


def chunks(items: Sequence[Any], workers: int) -> list[Sequence[Any]]:
    """Return the items in lists: several per worker, of MAX_CHUNK_JOBS at most.

    >>> chunks([1, 2, 3, 4, 5], 1)
    [[1], [2], [3], [4], [5]]
    >>> list(map(len, chunks(range(100), 2)))
    [12, 12, 12, 12, 12, 12, 12, 12, 4]
    """
    length = max(1, min(MAX_CHUNK_JOBS, len(items) // (4 * workers)))
    return [items[first : first + length] for first in range(0, len(items), length)]
