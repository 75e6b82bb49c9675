"""Recipes and their comparison as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from ...preprocess import Preprocessor
from ...preprocess.comparison import RecipeComparison, StepComparison
from ...preprocess.grids import MIN_DISTANCE
from ...preprocess.text import describe
from ..text import TextReport, bullets, columns, printable


@dataclass(frozen=True)
class RecipeText(TextReport):
    """The steps of a recipe, with the size after each for an input of `size`."""

    recipe: Preprocessor
    size: tuple[int, int]

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the table of steps."""
        height, wide = self.size
        yield Text(f"{len(self.recipe.steps)} steps; sizes for an image of {height}x{wide}", style="bold")
        yield Text()
        table = columns("step", "size after", "parameters")
        for step, size in zip(self.recipe.steps, self.recipe.sizes(self.size)[1:], strict=True):
            table.add_row(Text(step.name), f"{size[0]}x{size[1]}", Text(printable(describe(step))))
        yield table


@dataclass(frozen=True)
class RecipeComparisonText(TextReport):
    """Two recipes step by step: the difference after each, and what to change in B."""

    facts: RecipeComparison
    tolerance: float = 0.0

    def parts(self, width: int) -> Iterator[RenderableType]:
        """Yield the verdict, the table of steps and the changes."""
        yield Text(verdict(self.facts, self.tolerance), style="bold")
        if labels := label_sentence(self.facts):
            yield Text(labels)
        yield Text()
        table = columns("step", right=("largest", "mean", "differ"))
        for row in self.facts.steps:
            table.add_row(Text(row.name), *_difference(row))
        yield table
        changes = [f"{row.name}: {change}" for row in self.facts.steps for change in row.changes]
        if changes:
            yield Text()
            yield bullets(map(printable, changes), "In B:")


def verdict(facts: RecipeComparison, tolerance: float) -> str:
    """Return in one sentence whether two recipes agree, and where they part."""
    first, difference = facts.first, facts.difference
    where = "" if first is None else f"; they first differ at {first.name}"
    if difference is None:
        shapes = facts.steps[-1].shapes
        return f"The results have different shapes, {shapes[0]} and {shapes[1]}{where}"
    if difference.largest == 0:
        return "The recipes give the same values" + (" in other words" if first else "")
    relation = "at most" if difference.largest <= tolerance else "up to"
    return f"The results differ by {relation} {difference.largest:.4g}{where}"


def label_sentence(facts: RecipeComparison) -> str:
    """Return how far labels of one recipe are off in the other; empty where they are not."""
    if facts.label_distance is None or facts.label_distance < MIN_DISTANCE:
        return ""
    pixels = f"{facts.label_distance:.3g} output pixel{'' if facts.label_distance <= 1 else 's'}"
    return f"Labels are up to {pixels} apart: a mask or boxes of one do not fit the image of the other"


def _difference(row: StepComparison) -> tuple[str, str, str]:
    if row.difference is None:
        shapes = " / ".join("x".join(map(str, shape)) or "-" for shape in row.shapes)
        return shapes, "", ""
    largest, mean, share = row.difference
    return f"{largest:.4g}", f"{mean:.3g}", f"{100 * share:.3g} %"
