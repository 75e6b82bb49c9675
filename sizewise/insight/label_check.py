"""Check of label files against a resize: labels that the usual formulas move, and labels that leave the image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..labels import labelme
from ..labels.document import LabelFile, LabelImage, Shape, Size
from ..labels.formulas import usual
from ..labels.mapping import ImageMap, MapOf

TOLERANCE = 0.1  # output pixels
# Kinds of problems -> their text.
PROBLEMS = {
    "not finite": "have coordinates that are not finite",
    "inverted": "are inverted: the right or bottom edge is before the left or top one",
    "empty": "are empty boxes",
    "outside": "reach out of their image",
    "leaves": "leave the result in part",
    "lost": "leave the result altogether",
}


@dataclass(frozen=True)
class Problem:
    """A label with a problem, and by how many pixels: of the input for "outside", of the result for "leaves"."""

    kind: str
    file: str
    image: str
    where: str
    amount: float = 0.0


@dataclass
class FormulaError:
    """A usual formula over all labels: how many it moves by more than the tolerance, and the worst of them."""

    name: str
    text: str
    labels: int = 0
    moved: int = 0
    largest: float = 0.0
    image: str = ""
    where: str = ""

    def add(self, error: float, image: LabelImage, shape: Shape, tolerance: float) -> None:
        """Count one label."""
        self.labels += 1
        self.moved += error > tolerance
        if error > self.largest:
            self.largest, self.image, self.where = error, image.name, shape.where


@dataclass
class LabelCheck:
    """The facts of label files and a resize: counts of labels by kind, the usual formulas, and problems.

    `maps` has the resize of each size of image, and `deviation` is the most that single pixels are away from it.
    """

    tolerance: float
    files: int = 0
    images: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    formulas: dict[str, FormulaError] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    maps: dict[Size, ImageMap] = field(default_factory=dict)

    @property
    def deviation(self) -> float:
        """The most that single pixels are away from where labels go, in output pixels."""
        return max((one.geometry.deviation for one in self.maps.values()), default=0.0)

    @property
    def moved(self) -> tuple[FormulaError, ...]:
        """The formulas that move labels by more than the tolerance."""
        return tuple(one for one in self.formulas.values() if one.moved)

    @property
    def is_fine(self) -> bool:
        """Whether there is nothing to report beyond the tolerance."""
        return not self.moved and not self.problems


def check_labels(files: Sequence[LabelFile], map_of: MapOf, tolerance: float = TOLERANCE) -> LabelCheck:
    """Return what a resize does to the labels of files, compared with the usual formulas."""
    facts = LabelCheck(tolerance)
    for file in files:
        facts.files += 1
        facts.formats[file.format] += 1
        for image in file.images:
            facts.images += 1
            if image.size not in facts.maps:
                facts.maps[image.size] = map_of(image.size)
            _check_image(facts, file, image, facts.maps[image.size])
    return facts


def _check_image(facts: LabelCheck, file: LabelFile, image: LabelImage, mapping: ImageMap) -> None:
    formulas = usual(mapping)
    for shape in image.shapes:
        facts.kinds[shape.kind] += 1
        for kind, amount in _problems(_ordered(shape, file), image.size, mapping, facts.tolerance):
            facts.problems.append(Problem(kind, file.path, image.name, shape.where, amount))
        if shape.mask is not None or not len(shape.points):
            continue
        for formula in formulas:
            if not formula.indices or shape.is_index:
                found = facts.formulas.setdefault(formula.name, FormulaError(formula.name, formula.text))
                found.add(formula.error(shape, mapping), image, shape, facts.tolerance)


def _problems(shape: Shape, size: Size, mapping: ImageMap, tolerance: float) -> Iterator[tuple[str, float]]:
    if not np.isfinite(shape.points).all():
        yield "not finite", 0.0
        return
    if shape.mask is not None or not len(shape.points):
        return
    if shape.kind == "box":
        width, height = shape.points[1] - shape.points[0]
        if min(width, height) < 0:
            yield "inverted", 0.0
        elif min(width, height) == 0:
            yield "empty", 0.0
    if (before := _beyond(shape.points, size)) > tolerance:
        yield "outside", before
    mapped = mapping.points(shape.points)
    after, lengths = _beyond(mapped, mapping.output_size), np.array(mapping.output_size[::-1])
    if after and ((mapped.max(axis=0) <= 0).any() or (mapped.min(axis=0) >= lengths).any()):
        yield "lost", after
    elif after > max(tolerance, before * max(mapping.scale) + 1e-6):
        yield "leaves", after


def _ordered(shape: Shape, file: LabelFile) -> Shape:
    """Return a box with its first corner first: LabelMe stores corners in the order in which they were drawn."""
    if file.format != labelme.NAME or shape.kind != "box":
        return shape
    return replace(shape, points=np.sort(shape.points, axis=0))


def _beyond(points: np.ndarray, size: Size) -> float:
    """Return how far points are outside of an image."""
    return float(max(0.0, -points.min(), (points - size[::-1]).max()))
