"""`--labels`: label files that are written with the images of a run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import typer

from ..errors import ArgumentError, SizewiseError
from ..report.text import printable

if TYPE_CHECKING:
    from ..files.jobs import Jobs
    from ..labels.document import Size
    from ..labels.mapping import ImageMap, MapOf
    from ..labels.results import JobIndex, Read, Written

MAX_NAMES = 3  # of images left out, in a note


@dataclass(frozen=True)
class LabelRun:
    """Label files read before a run, and what they become; `is_upright` says that images are rotated by EXIF."""

    map_of: MapOf
    index: JobIndex
    files: list[Read]
    targets: list[Path]
    is_upright: bool = True

    @classmethod
    def read(cls, paths: Sequence[Path], found: Jobs, replaces: bool, map_of: MapOf, is_upright: bool = True) -> Self:
        """Return the label files of a run; raise before anything is written."""
        from ..files import formats
        from ..labels import results

        if shard := next((job.source for job in found.jobs if formats.is_shard(job.source)), None):
            raise ArgumentError(f"--labels is for image files; {os.fspath(shard)!r} holds many")
        index = results.JobIndex(found.jobs)
        read = results.read_for_jobs(paths, index, lambda path: results.image_size(path, is_upright))
        results.require_matches(read, index, found.jobs)
        targets = results.targets(read, found.jobs[0].root, found.jobs, replaces=replaces)
        return cls(map_of, index, read, targets, is_upright)

    def write(self, sizes: Mapping[Path, Size | str | None], as_json: bool) -> list[str]:
        """Write the label files, report them, and return errors.

        `sizes` are those of the images that were resized, None where they must be read, or why one was not.
        """
        from ..labels import results

        maps = {path: self._map(path, size) for path, size in sizes.items()}
        try:
            written = results.write(self.files, self.targets, self.index, maps)
        except SizewiseError as error:
            return [str(error)]
        for one in written:
            report_labels(one, as_json)
        return [error for one in written for error in _errors(one)]

    def _map(self, path: Path, size: Size | str | None) -> ImageMap | str:
        """Return where an image went, or why it did not; one that was skipped went where it would go now."""
        from ..labels import results

        if isinstance(size, str):
            return size
        try:
            return self.map_of(size or results.image_size(path, self.is_upright))
        except SizewiseError as error:
            return str(error)


def report_labels(written: Written, as_json: bool) -> None:
    """Print a JSON record, or in a pipe the name of the label file; and what was left out on stderr."""
    if as_json:
        left_out = [{"image": name, "reason": reason} for name, reason in written.left_out]
        target = None if written.target is None else os.fspath(written.target)
        record = {"labels": os.fspath(written.source), "output": target, "images": written.images, "left_out": left_out}
        record["outside"] = written.outside
        typer.echo(json.dumps(record))
    elif written.target is not None and not sys.stdout.isatty():
        typer.echo(printable(os.fspath(written.target)))
    source = printable(os.fspath(written.source))
    for note in written.notes:
        typer.echo(f"note: {source}: {note}", err=True)
    if written.outside:
        count = f"{written.outside:,} label{' reaches' if written.outside == 1 else 's reach'}"
        typer.echo(f"note: {source}: {count} out of the image, not clipped; labels check names them", err=True)
    missing = [name for name, reason in written.left_out if reason == "it was not resized"]
    if missing:
        count = f"{len(missing):,} image{'' if len(missing) == 1 else 's'}"
        names = ", ".join(missing[:MAX_NAMES]) + (", ..." if len(missing) > MAX_NAMES else "")
        verb = "was not resized, and is" if len(missing) == 1 else "were not resized, and are"
        typer.echo(f"note: {source}: {count} {verb} left out: {printable(names)}", err=True)


def _errors(written: Written) -> list[str]:
    """Return the images that should have been mapped, and could not be."""
    expected = ("it was not resized", "resizing it failed", "preprocessing it failed")  # reported by the run
    return [
        f"{os.fspath(written.source)!r}: the labels of {name!r} are left out: {reason}"
        for name, reason in written.left_out
        if reason not in expected
    ]
