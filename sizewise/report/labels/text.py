"""Checks of labels as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from ...insight.label_check import PROBLEMS, FormulaError, LabelCheck, Problem
from ...labels.mapping import ImageMap
from ..text import TextReport, bullets, columns, format_size, printable

MAX_SIZES = 5  # of images, in the table
MAX_PROBLEMS = 3  # of a kind, by name
_NAMES = {
    "box": ("box", "boxes"),
    "polygon": ("polygon", "polygons"),
    "line": ("line", "lines"),
    "points": ("set of points", "sets of points"),
    "rectangle": ("rotated box", "rotated boxes"),
    "ellipse": ("ellipse", "ellipses"),
    "mask": ("mask", "masks"),
}


@dataclass(frozen=True)
class LabelCheckText(TextReport):
    """The labels of files and a resize: where images go, the usual formulas, and problems."""

    facts: LabelCheck

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the verdict, the tables and the problems."""
        facts = self.facts
        yield Text(verdict(facts), style="bold")
        yield Text(_counts(facts))
        yield Text()
        yield _maps(facts)
        if facts.deviation >= 0.005:
            yield Text(f"Single pixels are up to {facts.deviation:.2g} output pixels away from that line.")
        if facts.formulas:
            yield Text()
            yield _formulas(facts)
            if any("index" in one.text for one in facts.formulas.values()):
                yield Text("index: COCO stores keypoints as indices of pixels, where 0 is the center of pixel 0.")
        if facts.problems:
            yield Text()
            problems = sorted(facts.problems, key=lambda one: list(PROBLEMS).index(one.kind))
            yield bullets(_problem(kind, list(of)) for kind, of in groupby(problems, key=lambda one: one.kind))


def verdict(facts: LabelCheck) -> str:
    """Return in one sentence whether labels move or have problems."""
    parts = []
    if facts.moved:
        worst = max(facts.moved, key=lambda one: one.largest)
        parts.append(f"{worst.text} moves {worst.moved:,} of {worst.labels:,} labels by up to {_pixels(worst.largest)}")
    if facts.problems:
        count = len({(one.file, one.image, one.where) for one in facts.problems})
        parts.append(f"{_count(count, 'label has a problem', 'labels have problems')}")
    if not parts:
        return f"The usual formulas are right within {facts.tolerance:g} output pixel, and no label has a problem"
    return "; ".join(parts)


def _counts(facts: LabelCheck) -> str:
    files = ", ".join(f"{_count(n, 'file', 'files')} of {name}" for name, n in facts.formats.items())
    kinds = ", ".join(_count(facts.kinds[kind], *names) for kind, names in _NAMES.items() if facts.kinds[kind])
    return f"{files}: {_count(facts.images, 'image', 'images')}, {kinds or 'no labels'}"


def _maps(facts: LabelCheck) -> RenderableType:
    table = columns("image", "result", "x", "y")
    for size, mapping in list(facts.maps.items())[:MAX_SIZES]:
        table.add_row(format_size(size), format_size(mapping.output_size), _line(mapping, 1), _line(mapping, 0))
    if len(facts.maps) > MAX_SIZES:
        table.add_row(f"and {len(facts.maps) - MAX_SIZES:,} more sizes")
    return table


def _line(mapping: ImageMap, axis: int) -> str:
    shift = round(mapping.shift[axis], 4) + 0.0
    sign = "" if not shift else f" {'-' if shift < 0 else '+'} {abs(shift):.6g}"
    return f"{mapping.scale[axis]:.6g} {'xy'[1 - axis]}{sign}"


def _formulas(facts: LabelCheck) -> RenderableType:
    table = columns("usual formula", right=("moved", "of", "at most"))
    table.add_column("worst label", overflow="fold")
    for one in facts.formulas.values():
        worst = _name(one) if one.largest > 1e-6 else ""
        table.add_row(one.text, f"{one.moved:,}", f"{one.labels:,}", f"{one.largest:.3f} px", printable(worst))
    return table


def _problem(kind: str, problems: list[Problem]) -> str:
    largest = max(one.amount for one in problems)
    amount = f", by up to {_pixels(largest, 'input' if kind == 'outside' else 'output')}" if largest else ""
    names = "; ".join(map(_name, problems[:MAX_PROBLEMS]))
    more = f"; and {len(problems) - MAX_PROBLEMS:,} more" if len(problems) > MAX_PROBLEMS else ""
    text = PROBLEMS[kind] if len(problems) > 1 else _singular(PROBLEMS[kind])
    return printable(f"{_count(len(problems), 'label', 'labels')} {text}{amount} ({names}{more})")


def _name(one: Problem | FormulaError) -> str:
    """Return the image and the record of a label."""
    return one.where if one.image in one.where else f"{one.image}, {one.where}"


def _singular(text: str) -> str:
    verb, _, rest = text.partition(" ")
    words = {"have": "has", "are": "is", "reach": "reaches", "leave": "leaves"}
    return f"{words[verb]} {rest}".replace("is empty boxes", "is an empty box").replace("their image", "its image")


def _pixels(amount: float, kind: str = "output") -> str:
    return f"{amount:.3g} {kind} pixel{'' if amount <= 1 else 's'}"


def _count(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
