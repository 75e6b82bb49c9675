"""Which files become which: folders walked, outputs named, and every clash found before anything is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import ArgumentError, FileError
from . import formats


@dataclass(frozen=True)
class Job:
    """One file to read, and the one to write, below `root`."""

    source: Path
    target: Path
    root: Path

    def require_inside(self) -> None:
        """Refuses to write outside of `root`, where a link below it might lead."""
        root, parent = os.path.realpath(self.root), os.path.realpath(self.target.parent)
        if os.path.commonpath([root, parent]) != root:
            raise FileError(f"{os.fspath(self.target)!r} is outside of {os.fspath(self.root)!r}: a link leads there")


@dataclass(frozen=True)
class Jobs:
    """The jobs of one call, notes on what was passed over, and which folders could not be read."""

    jobs: tuple[Job, ...]
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def find(inputs: Sequence[Path], out: Path, format: str | None = None) -> Jobs:
    """The jobs that turn these files, and the images and arrays in these folders, into files below `out`.

    A folder's tree is kept below `out`. Hidden names, links to folders, and `out` itself are passed over. A single
    file may become the file `out`.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "in" / "deeper").mkdir(parents=True)
    >>> (folder / "in" / "deeper" / "a.png").touch()
    >>> [job.target.relative_to(folder).as_posix() for job in find([folder / "in"], folder / "out", "jpeg").jobs]
    ['out/deeper/a.jpg']
    """
    if _is_file(inputs, out):
        if format is not None and formats.of_name(out) != format:
            raise ArgumentError(f"-o {os.fspath(out)!r} is not named as --format {format} is; leave one of them out")
        return Jobs((Job(inputs[0], out, out.parent),))
    if out.exists() and not out.is_dir():
        raise ArgumentError(f"-o {os.fspath(out)!r} is a file; several inputs, or a folder, need a folder")
    jobs, passed = [], _Passed()
    for given in inputs:
        for path, place in _files(given, out, passed):
            jobs.append(Job(path, out / place / formats.renamed(path.name, format), out))
    if not jobs and not passed.errors:
        raise ArgumentError(f"nothing to resize: no {', '.join(formats.READABLE)} in {', '.join(map(_name, inputs))}")
    return Jobs(tuple(jobs), passed.notes(), tuple(passed.errors))


def check(jobs: Sequence[Job], *, overwrite: bool, skip: bool) -> None:
    """Refuses jobs that would write the same file twice, write what another reads, or replace what is there."""
    targets: dict[str, Job] = {}
    for job in jobs:
        other = targets.setdefault(os.path.normcase(os.path.abspath(job.target)), job)
        if other is not job:
            raise ArgumentError(f"{_name(other.source)} and {_name(job.source)} would both become {_name(job.target)}")
    there = [job for job in jobs if os.path.lexists(job.target)]
    _require_apart(jobs, there)
    if overwrite or skip or not there:
        return
    first = _name(there[0].target)
    if os.path.exists(there[0].target) and os.path.samefile(there[0].source, there[0].target):
        raise ArgumentError(f"{first} is input and output; --overwrite replaces it")
    which = f"{first} is there already" if len(there) == 1 else f"{len(there):,} outputs are there already, as {first}"
    raise ArgumentError(f"{which}; --skip-existing leaves such files, --overwrite replaces them")


def _require_apart(jobs: Sequence[Job], there: Sequence[Job]) -> None:
    """Refuses jobs whose output is `there` as the input of another."""
    folder = cache(os.path.realpath)  # of few, for many files

    def place(path: Path) -> str:
        return os.path.join(folder(path.parent), path.name)

    sources: dict[str, Job] = {}
    for job in jobs if there else ():
        sources[os.path.realpath(job.source) if job.source.is_symlink() else place(job.source)] = job
    for job in there:
        other = sources.get(place(job.target), job)
        if other is not job:
            raise ArgumentError(f"{_name(job.source)} would become {_name(other.source)}, which is an input, too")


class _Passed:
    """What was passed over in folders."""

    def __init__(self) -> None:
        self.links = self.others = 0
        self.errors: list[str] = []

    def notes(self) -> tuple[str, ...]:
        links = f"links to folders are not followed: {self.links:,}" if self.links else ""
        others = f"other files passed over: {self.others:,}" if self.others else ""
        return tuple(filter(None, (links, others)))


def _is_file(inputs: Sequence[Path], out: Path) -> bool:
    """Whether `out` names a file: one input that is no folder, and an ending that we write."""
    named = formats.of_name(out) is not None and not out.is_dir()
    if named and (len(inputs) > 1 or inputs[0].is_dir()):
        if out.exists():
            return False
        raise ArgumentError(f"-o {os.fspath(out)!r} is named as a file; several inputs, or a folder, need a folder")
    if len(inputs) == 1 and not inputs[0].is_dir() and not named and out.suffix and not out.is_dir():
        known = ", ".join(ending for endings in formats.ENDINGS.values() for ending in endings)
        raise ArgumentError(f"-o {os.fspath(out)!r}: cannot write {out.suffix!r}; use a folder, or one of {known}")
    return named


def _files(given: Path, out: Path, passed: _Passed) -> Iterator[tuple[Path, Path]]:
    """Files, each with its folder below the given one, in the order of their names."""
    if not given.is_dir():
        yield given, Path()
        return
    beyond = os.path.realpath(out)
    waiting = [Path()]
    while waiting:
        place = waiting.pop()
        folders = []
        for entry in _entries(given / place, passed):
            if entry.is_dir(follow_symlinks=False):
                if os.path.realpath(entry.path) != beyond:
                    folders.append(place / entry.name)
            elif entry.is_dir():
                passed.links += 1
            elif formats.is_readable(entry.name):
                yield given / place / entry.name, place
            else:
                passed.others += 1
        waiting.extend(reversed(folders))


def _entries(folder: Path, passed: _Passed) -> list[os.DirEntry[str]]:
    """What a folder holds, by name, but for hidden names."""
    try:
        with os.scandir(folder) as entries:
            return sorted((one for one in entries if not one.name.startswith(".")), key=lambda one: one.name)
    except OSError as error:
        passed.errors.append(f"cannot read the folder {_name(folder)}: {error.strerror}")
        return []


def _name(path: Path) -> str:
    return repr(os.fspath(path))
