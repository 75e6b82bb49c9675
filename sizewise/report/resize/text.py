"""Outcomes of resized files as text: a line each, a summary, and notes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from ...files.batch import Outcome
from ..text import format_sizes, printable


def printable_path(path: str | os.PathLike[str]) -> str:
    """Return a path with control characters escaped."""
    return printable(os.fspath(path))


def line(outcome: Outcome) -> str:
    """Return the names and sizes of one file, resized or planned."""
    sizes = ", ".join(
        f"{printable(key)} {format_sizes(one.input_size, one.output_size)}".strip() for key, one in outcome.placements
    )
    names = f"{printable_path(outcome.job.source)} -> {printable_path(outcome.job.target)}"
    return f"{names}  {sizes or outcome.status}"


def summary(outcomes: Sequence[Outcome], seconds: float, total: int) -> str:
    """Return all outcomes in one line."""
    count = Counter(outcome.status for outcome in outcomes)
    done = count["planned"] or count["resized"]
    parts = [f"{'would resize' if count['planned'] else 'resized'} {_files(done)}"]
    parts += [f"{count[status]:,} {status}" for status in ("failed", "skipped") if count[status]]
    if len(outcomes) < total:
        parts.append(f"{total - len(outcomes):,} not started (--skip-existing continues from here)")
    if count["resized"] > 1 and seconds > 0:
        parts.append(f"{count['resized'] / seconds:,.1f} files/s")
    return ", ".join(parts)


def notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Return each note once, with its file, or with the number of files."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for note in outcome.notes:
            found.setdefault(note, []).append(outcome)
    return [
        f"{printable_path(of[0].job.source) if len(of) == 1 else _files(len(of))}: {printable(note)}"
        for note, of in found.items()
    ]


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
