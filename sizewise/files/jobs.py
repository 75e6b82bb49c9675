"""Jobs of `sizewise resize`: folders walked, outputs named, and conflicts found before anything is written."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from ..errors import ArgumentError, FileError
from . import formats, writing

_MAX_ENDINGS = 4  # that a note names
_Outcome = TypeVar("_Outcome")


@dataclass(frozen=True)
class Job:
    """A file to read, and the one to write, below `root`."""

    source: Path
    target: Path
    root: Path

    def require_inside(self) -> None:
        """Raise FileError if a symbolic link leads the target outside of `root`."""
        root, parent = os.path.realpath(self.root), os.path.realpath(self.target.parent)
        if os.path.commonpath([root, parent]) != root:
            raise FileError(f"{os.fspath(self.target)!r} is outside of {os.fspath(self.root)!r}: a link leads there")


@dataclass(frozen=True)
class Jobs:
    """The jobs of one call, notes on skipped files, and errors of unreadable folders."""

    jobs: tuple[Job, ...]
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def find(inputs: Sequence[Path], out: Path, format: str | None = None) -> Jobs:
    """Return the jobs that convert these files, and the images and arrays in these folders, to files below `out`.

    The tree of a folder is kept below `out`. Hidden names, links to folders, and `out` itself are skipped. A single
    file may become the file `out`.
    """
    if os.fspath(out) == "-":
        raise ArgumentError("-o '-': results are written to files; name a file or a folder")
    if _is_file(inputs, out):
        if formats.is_shard(out) or formats.is_shard(inputs[0]):
            _require_same_kind(inputs[0], out)
        elif format is not None and formats.format_of(out) != format:
            raise ArgumentError(f"-o {os.fspath(out)!r} is not named as --format {format} is; leave one of them out")
        return Jobs((Job(inputs[0], out, out.parent),))
    if out.exists() and not out.is_dir():
        raise ArgumentError(f"-o {os.fspath(out)!r} is a file; several inputs, or a folder, need a folder")
    walk = _Walk(os.path.realpath(out))
    jobs = [
        Job(path, out / folder / formats.output_name(path.name, format), out)
        for given in inputs
        for path, folder in walk.files(given)
    ]
    if not jobs and not walk.errors:
        known = ", ".join((*formats.READABLE, *formats.SHARDS))
        raise ArgumentError(f"nothing to resize: no {known} in {', '.join(map(_name, inputs))}")
    return Jobs(tuple(jobs), walk.notes(), tuple(walk.errors))


def check(jobs: Sequence[Job], *, overwrite: bool, skip: bool) -> None:
    """Raise ArgumentError if two jobs write the same file, one writes another's input, or would replace a file."""
    targets: dict[str, Job] = {}
    for job in jobs:
        other = targets.setdefault(os.path.normcase(os.path.abspath(job.target)), job)
        if other is not job:
            raise ArgumentError(f"{_name(other.source)} and {_name(job.source)} would both become {_name(job.target)}")
    existing = [job for job in jobs if os.path.lexists(job.target)]
    if existing:
        _require_disjoint(jobs, existing)
    if overwrite or skip or not existing:
        return
    first = _name(existing[0].target)
    if _is_same_file(existing[0].source, existing[0].target):
        raise ArgumentError(f"{first} is input and output; --overwrite replaces it")
    which = f"{first} exists already" if len(existing) == 1 else f"{len(existing):,} outputs exist already, as {first}"
    raise ArgumentError(f"{which}; --skip-existing leaves such files, --overwrite replaces them")


def run_in_order(
    function: Callable[[Job], _Outcome], jobs: Sequence[Job], workers: int, is_stopped: Callable[[], bool]
) -> Generator[_Outcome, None, None]:
    """Yield the outcome of each job in order, several at a time.

    Once `is_stopped` returns true, no more jobs are started. Closing the generator waits for those that run.
    """
    if workers == 1 or len(jobs) < 2:
        yield from (function(job) for job in jobs if not is_stopped())
        return
    with ThreadPoolExecutor(min(workers, len(jobs))) as pool:
        futures = [pool.submit(lambda job: None if is_stopped() else function(job), job) for job in jobs]
        try:
            for future in futures:
                if (outcome := future.result()) is not None:
                    yield outcome
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def remove_stale_temp(jobs: Sequence[Job]) -> None:
    """Remove temporary files of killed processes from the folders of the outputs."""
    for folder in {job.target.parent for job in jobs}:
        writing.remove_stale_temp(folder)


def _require_disjoint(jobs: Sequence[Job], existing: Sequence[Job]) -> None:
    """Raise ArgumentError if the existing output of a job is the input of another."""
    resolve = cache(os.path.realpath)  # many files share a folder

    def absolute(path: Path) -> str:
        return os.path.join(resolve(path.parent), path.name)

    sources = {os.path.realpath(job.source) if job.source.is_symlink() else absolute(job.source): job for job in jobs}
    for job in existing:
        other = sources.get(absolute(job.target), job)
        if other is not job:
            raise ArgumentError(f"{_name(job.source)} would become {_name(other.source)}, which is an input, too")


def _is_same_file(source: Path, target: Path) -> bool:
    return source.exists() and target.exists() and source.samefile(target)


def _is_file(inputs: Sequence[Path], out: Path) -> bool:
    """Return whether `out` names a file: there is one input, not a folder, and the ending can be written."""
    is_named = (formats.format_of(out) is not None or formats.is_shard(out)) and not out.is_dir()
    if is_named and (len(inputs) > 1 or inputs[0].is_dir()):
        if out.exists():
            return False
        raise ArgumentError(f"-o {os.fspath(out)!r} is named as a file; several inputs, or a folder, need a folder")
    if len(inputs) == 1 and not inputs[0].is_dir() and not is_named and out.suffix and not out.is_dir():
        known = ", ".join((*(ending for endings in formats.ENDINGS.values() for ending in endings), *formats.SHARDS))
        raise ArgumentError(f"-o {os.fspath(out)!r}: cannot write {out.suffix!r}; use a folder, or one of {known}")
    return is_named


def _require_same_kind(source: Path, out: Path) -> None:
    """Raise ArgumentError unless both are shards of the same kind."""
    if source.suffix.lower() != out.suffix.lower():
        raise ArgumentError(f"-o {_name(out)}: {_name(source)} becomes a file of the same kind; use a folder")


class _Walk:
    """Files of folders in the order of their names, with counts of what is skipped; `excluded` is the output folder."""

    def __init__(self, excluded: str) -> None:
        self.excluded, self.links, self.errors = excluded, 0, list[str]()
        self.others = Counter[str]()  # by the endings of their names

    def files(self, given: Path) -> Iterator[tuple[Path, Path]]:
        """Yield files, each with its folder relative to the given one."""
        if not given.is_dir():
            yield given, Path()
            return
        for top, folders, names in os.walk(given, onerror=self._add_error):
            paths = [os.path.join(top, name) for name in sorted(folders) if not name.startswith(".")]
            self.links += sum(map(os.path.islink, paths))
            folders[:] = [os.path.basename(path) for path in paths if os.path.realpath(path) != self.excluded]
            for name in sorted(names):
                if formats.is_readable(name) and not name.startswith("."):
                    yield Path(top, name), Path(top).relative_to(given)
                elif not name.startswith("."):
                    self.others[os.path.splitext(name)[1].lower() or name] += 1

    def notes(self) -> tuple[str, ...]:
        """Return notes on what was skipped."""
        links = f"links to folders are not followed: {self.links:,}" if self.links else ""
        endings = ", ".join(dict(self.others.most_common(_MAX_ENDINGS)))
        more = ", ..." if len(self.others) > _MAX_ENDINGS else ""
        others = f"other files skipped: {self.others.total():,} ({endings}{more})" if self.others else ""
        return tuple(filter(None, (links, others)))

    def _add_error(self, error: OSError) -> None:
        self.errors.append(f"cannot read the folder {_name(Path(error.filename))}: {error.strerror}")


def _name(path: Path) -> str:
    return repr(os.fspath(path))
