"""What became of files that were resized: a line or a record each, and a summary."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..files.batch import Outcome
from ..files.fit import Placement


def shown(words: str | os.PathLike[str]) -> str:
    """Words as they may be printed: those with newlines, terminal escapes or the like are escaped.

    >>> shown("photo.png"), shown("a\\x1b[31m.png")
    ('photo.png', 'a\\\\x1b[31m.png')
    """
    text = os.fspath(words)
    return text if text.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def record(outcome: Outcome) -> str:
    """One line of JSON: sizes in array order, and where the resized image begins in the result."""
    facts: dict[str, Any] = {
        "input": os.fspath(outcome.job.source),
        "output": os.fspath(outcome.job.target),
        "status": outcome.status,
    }
    placements = dict(outcome.placements)
    if placements.keys() == {""}:
        facts |= _sizes(placements[""])
    elif placements:
        facts["arrays"] = {key: _sizes(placement) for key, placement in placements.items()}
    facts |= {"notes": list(outcome.notes), "error": outcome.error}
    return json.dumps(facts)


def line(outcome: Outcome) -> str:
    """What is to be done with one file, or was, for people."""
    sizes = ", ".join(
        f"{shown(key)} {_lengths(one.input_size)} -> {_lengths(one.output_size)}".strip()
        for key, one in outcome.placements
    )
    names = f"{shown(outcome.job.source)} -> {shown(outcome.job.target)}"
    return f"{names}  {sizes or outcome.status}"


def summary(outcomes: Sequence[Outcome], seconds: float, total: int) -> str:
    """All outcomes in one line.

    >>> summary([], 1.0, 0)
    'resized 0 files'
    """
    count = Counter(outcome.status for outcome in outcomes)
    done = count["planned"] or count["resized"]
    words = [f"{'would resize' if count['planned'] else 'resized'} {_files(done)}"]
    words += [f"{count[status]:,} {status}" for status in ("failed", "skipped") if count[status]]
    if len(outcomes) < total:
        words.append(f"{total - len(outcomes):,} not begun (--skip-existing goes on from here)")
    if count["resized"] > 1 and seconds > 0:
        words.append(f"{count['resized'] / seconds:,.1f} files/s")
    return ", ".join(words)


def notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Each note once, with the file that it is on, or with how many."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for note in outcome.notes:
            found.setdefault(note, []).append(outcome)
    return [
        f"{shown(of[0].job.source) if len(of) == 1 else _files(len(of))}: {shown(note)}" for note, of in found.items()
    ]


def _sizes(placement: Placement) -> dict[str, list[int]]:
    return {
        "input_size": list(placement.input_size),
        "resized": list(placement.size),
        "start": list(placement.start),
        "output_size": list(placement.output_size),
    }


def _lengths(size: tuple[int, ...]) -> str:
    return "x".join(map(str, size))


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
