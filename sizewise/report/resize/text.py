"""Outcomes of resized files as text: a line each, a summary, and notes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from ...files.batch import Outcome
from ...files.draft import Difference
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
    images = "" if outcome.images is None else _count(outcome.images, "image")
    return f"{names}  {sizes or images or outcome.status}"


def summary(outcomes: Sequence[Outcome], seconds: float, total: int) -> str:
    """Return all outcomes in one line."""
    count = Counter(outcome.status for outcome in outcomes)
    done = count["planned"] or count["resized"]
    parts = [f"{'would resize' if count['planned'] else 'resized'} {_count(done, 'file')}"]
    shards = [outcome for outcome in outcomes if outcome.images is not None]
    images = sum(outcome.images or 0 for outcome in shards)
    if shards:
        parts[0] += f" with {_count(images, 'image')} in shards"
    parts += [f"{count[status]:,} {status}" for status in ("failed", "skipped") if count[status]]
    if failures := sum(len(outcome.failures) for outcome in shards):
        parts.append(f"{_count(failures, 'image')} failed")
    if len(outcomes) < total:
        parts.append(f"{total - len(outcomes):,} not started (--skip-existing continues from here)")
    results = count["resized"] - len(shards) + images
    if count["resized"] and results > 1 and seconds > 0:
        parts.append(f"{results / seconds:,.1f} {'images' if shards else 'files'}/s")
    return ", ".join(parts)


def notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Return each note once, with its file, or with the number of files."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for note in outcome.notes:
            found.setdefault(note, []).append(outcome)
    return [
        f"{printable_path(of[0].job.source) if len(of) == 1 else _count(len(of), 'file')}: {printable(note)}"
        for note, of in found.items()
    ]


def draft_note(outcomes: Sequence[Outcome], difference: Difference | None) -> str | None:
    """Return how many files were decoded as drafts, and how much that changes pixels; None if there are none."""
    scales = Counter[str]()
    for outcome in outcomes:
        scales.update({scale: count for scale, count in outcome.drafts if scale != "1/1"})
    if not scales or difference is None:
        return None
    counts = ", ".join(f"{_count(count, 'image')} at {scale}" for scale, count in sorted(scales.items()))
    sample = f"{printable_path(difference.name)} ({difference.scale})"
    size = f"{difference.mean:.2g} on average, {difference.largest} at most, of 255"
    return f"--draft: {counts}; pixels differ from a full decode: in {sample} by {size}"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
