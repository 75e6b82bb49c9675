"""`--labels`: label files that are written with the images of a run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import ArgumentError, SizewiseError
from ..report.text import printable

if TYPE_CHECKING:
    from ..files.batch import Outcome
    from ..files.jobs import Jobs
    from ..files.resizing import Recipe
    from ..labels.mapping import ImageMap
    from ..labels.results import JobIndex, Read, Written

MAX_NAMES = 3  # of images left out, in a note


@dataclass(frozen=True)
class LabelRun:
    """Label files read before a run, and what they become."""

    recipe: Recipe
    index: JobIndex
    files: list[Read]
    targets: list[Path]

    @classmethod
    def read(cls, paths: Sequence[Path], found: Jobs, out: Path, replaces: bool, recipe: Recipe) -> LabelRun:
        """Return the label files of a run; raise before anything is written."""
        from ..files import formats
        from ..labels import results

        if recipe.draft:
            raise ArgumentError(
                "--draft rounds the part of a JPEG that is resized to pixels; leave it out for --labels"
            )
        if shard := next((job.source for job in found.jobs if formats.is_shard(job.source)), None):
            raise ArgumentError(f"--labels is for image files; {os.fspath(shard)!r} holds many")
        index = results.JobIndex(found.jobs)
        read = results.read_for_jobs(paths, index)
        root = found.jobs[0].root if found.jobs else out
        return cls(recipe, index, read, results.targets(read, root, found.jobs, replaces=replaces))

    def write(self, outcomes: Sequence[Outcome], as_json: bool) -> list[str]:
        """Write the label files, report them, and return errors."""
        from ..labels import results

        maps: dict[Path, ImageMap | str] = {}
        for outcome in outcomes:
            maps[outcome.job.source] = self._map(outcome)
        try:
            written = results.write(self.files, self.targets, self.index, maps)
        except SizewiseError as error:
            return [str(error)]
        for one in written:
            report_labels(one, as_json)
        return [error for one in written for error in _errors(one)]

    def _map(self, outcome: Outcome) -> ImageMap | str:
        """Return where an image went, or why it did not; one that was skipped went where it would go now."""
        from ..files import reading
        from ..labels import mapping

        if outcome.status == "failed":
            return "resizing it failed"
        try:
            placement = dict(outcome.placements).get("")
            if placement is None:
                height, width = reading.read_shapes(outcome.job.source)[""][:2]
                placement = self.recipe.placement((height, width))
            return mapping.of_placement(self.recipe, placement)
        except (SizewiseError, KeyError, ValueError) as error:
            return f"it is no image whose labels can be mapped ({error})"


def report_labels(written: Written, as_json: bool) -> None:
    """Print a JSON record, or in a pipe the name of the label file; and what was left out on stderr."""
    if as_json:
        left_out = [{"image": name, "reason": reason} for name, reason in written.left_out]
        target = None if written.target is None else os.fspath(written.target)
        record = {"labels": os.fspath(written.source), "output": target, "images": written.images, "left_out": left_out}
        typer.echo(json.dumps(record))
    elif written.target is not None and not sys.stdout.isatty():
        typer.echo(printable(os.fspath(written.target)))
    source = printable(os.fspath(written.source))
    for note in written.notes:
        typer.echo(f"note: {source}: {note}", err=True)
    missing = [name for name, reason in written.left_out if reason == "it was not resized"]
    if missing:
        count = f"{len(missing):,} image{'' if len(missing) == 1 else 's'}"
        names = ", ".join(missing[:MAX_NAMES]) + (", ..." if len(missing) > MAX_NAMES else "")
        verb = "was not resized, and is" if len(missing) == 1 else "were not resized, and are"
        typer.echo(f"note: {source}: {count} {verb} left out: {printable(names)}", err=True)


def _errors(written: Written) -> list[str]:
    """Return the images that should have been mapped, and could not be."""
    expected = ("it was not resized", "resizing it failed")
    return [
        f"{os.fspath(written.source)!r}: the labels of {name!r} are left out: {reason}"
        for name, reason in written.left_out
        if reason not in expected
    ]
