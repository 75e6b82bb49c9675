"""Comparison of two recipes: the first step where they part, and the difference after each step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentTypeError, short_repr
from . import array_ops, decoding
from .grids import distance
from .pointwise_steps import Normalize
from .size_rules import SizeRule
from .steps import Decode, Step
from .text import describe

if TYPE_CHECKING:
    from .preprocessor import Preprocessor

SAMPLE_SIZE = (375, 500)  # of the synthetic image: no size rule rounds both of its edges exactly


class Difference(NamedTuple):
    """How far two arrays are apart: the largest and the mean absolute difference, and the share of unequal values."""

    largest: float
    mean: float
    share: float


@dataclasses.dataclass(frozen=True)
class StepComparison:
    """One step of each recipe, or None where it has none; what to change in B; and the difference after the step.

    `difference` is None where the shapes differ, which are in `shapes`.
    """

    a: Step | None
    b: Step | None
    changes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    difference: Difference | None

    @property
    def name(self) -> str:
        """The name of the step."""
        step = self.a or self.b
        return step.name if step is not None else ""


@dataclasses.dataclass(frozen=True)
class RecipeComparison:
    """Two recipes step by step.

    `label_distance` is how far apart they put the same point of the image at most, in output pixels: by that much a
    mask or the boxes of one do not fit the image of the other. It is None where the sizes of the results differ.

    >>> from sizewise.preprocess import Exact, Preprocessor, Rescale, Resize
    >>> a = Preprocessor([Resize(Exact(32, 32), "bicubic", "torch", True), Rescale(1 / 255)])
    >>> b = Preprocessor([Resize(Exact(32, 32), "bicubic", "torch"), Rescale(1 / 255)])
    >>> facts = a.compare(b)
    >>> facts.first.name, facts.first.changes
    ('resize', ('antialias is False; set antialias=True',))
    """

    steps: tuple[StepComparison, ...]
    label_distance: float | None = 0.0

    @property
    def first(self) -> StepComparison | None:
        """The first step where the recipes part; None if they say the same.

        One that changes this image, if there is any: ways to decode may differ in what this image does not have.
        """
        changed = [step for step in self.steps if step.changes]
        visible = (step for step in changed if step.difference is None or step.difference.largest > 0)
        return next(visible, changed[0] if changed else None)

    @property
    def difference(self) -> Difference | None:
        """The difference of the results; None if their shapes differ."""
        return self.steps[-1].difference if self.steps else Difference(0.0, 0.0, 0.0)

    def agrees(self, tolerance: float = 0.0) -> bool:
        """Return whether the results have the same shape and differ by at most `tolerance`."""
        return self.difference is not None and self.difference.largest <= tolerance


def compare(a: Preprocessor, b: Preprocessor, image: Any = None) -> RecipeComparison:
    """Return where two recipes first differ, on an image or on a synthetic one."""
    if type(b) is not type(a):
        raise ArgumentTypeError(f"a recipe is compared with another Preprocessor, not with {short_repr(b)}")
    source = sample_image() if image is None else image
    trace_a, trace_b = _trace(a, source), _trace(b, source)
    rows: list[StepComparison] = []
    x: NDArray | None = None
    y: NDArray | None = None
    for one, other in _align([step for step, _ in trace_a], [step for step, _ in trace_b]):
        step, x = (None, x) if one is None else trace_a[one]
        other_step, y = (None, y) if other is None else trace_b[other]
        shapes = () if x is None else x.shape, () if y is None else y.shape
        rows.append(StepComparison(step, other_step, _changes(step, other_step), shapes, _difference(x, y)))
    return RecipeComparison(tuple(rows), _label_distance(a, b, trace_a[0][1], trace_b[0][1]))


def _label_distance(a: Preprocessor, b: Preprocessor, x: NDArray, y: NDArray) -> float | None:
    """Return how far apart two recipes put points of an image, decoded as `x` and `y`."""
    sizes = [(int(image.shape[-3]), int(image.shape[-2])) for image in (x, y)]
    return distance(a.geometry(sizes[0]), b.geometry(sizes[1]))


def _trace(pre: Preprocessor, image: Any) -> list[tuple[Step, NDArray]]:
    """Return each step that has an effect, with its defaults filled in, and the array after it; decoding first."""
    pixels = decoding.to_pixels(image, pre.decode, None)
    trace = [(pre.decode, pixels), *((step, x) for step, x in pre.trace(image) if not isinstance(step, Decode))]
    return [(step.canonical, array_ops.convert(x, "numpy")) for step, x in trace if step.canonical is not None]


def sample_image() -> NDArray[np.uint8]:
    """Return a synthetic photo: gradients, edges and fine texture in three different channels."""
    height, width = SAMPLE_SIZE
    y, x = np.mgrid[:height, :width]
    noise = np.random.default_rng(0).normal(0, 12, (height, width, 3))
    smooth = np.stack([255 * x / width, 255 * y / height, 128 + 100 * np.sin(x / 9) * np.cos(y / 7)], axis=-1)
    smooth[(x // 40 + y // 30) % 5 == 0] *= 0.4
    return np.clip(smooth + noise, 0, 255).astype(np.uint8)


def _align(a: Sequence[Step], b: Sequence[Step]) -> Iterator[tuple[int | None, int | None]]:
    """Yield pairs of steps of the same kind, and steps that only one recipe has."""
    names_a, names_b = [step.name for step in a], [step.name for step in b]
    for _, start_a, end_a, start_b, end_b in SequenceMatcher(None, names_a, names_b, False).get_opcodes():
        if names_a[start_a:end_a] == names_b[start_b:end_b]:
            yield from zip(range(start_a, end_a), range(start_b, end_b), strict=True)
            continue
        yield from ((index, None) for index in range(start_a, end_a))
        yield from ((None, index) for index in range(start_b, end_b))


def _changes(a: Step | None, b: Step | None) -> tuple[str, ...]:
    """Return what to change in B, one text for each parameter."""
    if a is None and b is not None:
        return (f"B has this step, and A does not; remove {b.name} ({describe(b)})",)
    if b is None and a is not None:
        return (f"B lacks this step; add {a.name} ({describe(a)})",)
    return tuple(_field_changes(a, b))


def _field_changes(a: Any, b: Any) -> Iterator[str]:
    for field in dataclasses.fields(a):
        wanted, given = getattr(a, field.name), getattr(b, field.name)
        is_of_dialect = field.name == "options" and a.dialect != b.dialect
        if wanted == given or is_of_dialect:
            continue
        if isinstance(wanted, SizeRule) and type(wanted) is type(given):
            yield from _field_changes(wanted, given)
        elif isinstance(wanted, dict):
            for name in sorted({*wanted, *given}):
                if wanted.get(name) != given.get(name):
                    yield f"{name} is {given.get(name)}; set {name}={wanted.get(name)}"
        else:
            yield f"{field.name} is {_format(a, given)}; set {field.name}={_format(a, wanted)}"


def _format(step: Any, value: Any) -> str:
    """Return a value as text; constants of bytes, as torchvision's processors fuse them, as multiples of 255."""
    if isinstance(step, Normalize) and isinstance(value, tuple) and max(map(abs, value)) > 1:
        return f"255 * {tuple(float(f'{one / 255:.6g}') for one in value)}"
    return str(value)


def _difference(a: NDArray | None, b: NDArray | None) -> Difference | None:
    if a is None or b is None or a.shape != b.shape:
        return None
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
    gap[np.isnan(gap)] = np.inf  # NaN beside a number
    return Difference(float(gap.max(initial=0.0)), float(gap.mean()) if gap.size else 0.0, float((gap > 0).mean()))
