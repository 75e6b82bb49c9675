"""A sweep: a dialect and its framework on the same images, in every way that the dialect resizes."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import dialects
from ..api import make_plan
from ..errors import FRAMEWORKS, ArgumentError, UnsupportedError, is_of
from ..plan import Plan
from .reference import Array, Reference, installed, known, of

Size = tuple[int, int]

# Whole and odd factors, almost 1, great shrinks and growths, mixed, one axis that stays, one pixel; then drawn ones.
_TELLING: tuple[tuple[Size, Size], ...] = (
    ((48, 64), (24, 32)), ((37, 50), (50, 37)), ((64, 48), (64, 100)), ((101, 99), (100, 100)), ((150, 7), (3, 90)),
    ((1, 40), (5, 13)), ((12, 18), (4, 6)), ((23, 14), (46, 28)),
)  # fmt: skip
_LONGEST_LINE = 300


@dataclass(frozen=True)
class Measure:
    """How many numbers were compared, how many of them differ, and the largest difference, beside what is allowed."""

    compared: int
    differing: int
    largest: float
    allowed: float

    @property
    def kept(self) -> bool:
        """Whether the promise is kept.

        >>> Measure(compared=10, differing=2, largest=3.0, allowed=4.0).kept
        True
        """
        return self.largest <= self.allowed


@dataclass(frozen=True)
class Row:
    """One way to resize against its framework: what was compared of it, None where there is nothing to compare.

    `indices` are the pixels that are picked, `floats` of float32 and `gradient` in units in the last place, `bytes` of
    uint8. `failures` are the calls in which either side raised.
    """

    dialect: str
    method: str
    antialias: bool
    options: tuple[tuple[str, object], ...]
    cases: int
    indices: Measure | None
    floats: Measure | None
    bytes: Measure | None
    gradient: Measure | None
    failures: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether every promise is kept."""
        measures = (self.indices, self.floats, self.bytes, self.gradient)
        return not self.failures and all(one is None or one.kept for one in measures)

    @property
    def name(self) -> str:
        """The row in words.

        >>> Row("tfjs", "nearest", False, (("align_corners", True),), 0, None, None, None, None).name
        'tfjs nearest align_corners'
        """
        words = [name if value is True else f"{name}={value}" for name, value in self.options]
        return " ".join([self.dialect, self.method, *(["antialias"] if self.antialias else []), *words])


@dataclass(frozen=True)
class Parity:
    """All rows of a sweep, the versions they were compared with, and the frameworks that are missing here."""

    versions: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    missing: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether every promise of every row is kept."""
        return all(row.kept for row in self.rows)


def sweep(
    names: Iterable[str] = (), *, images: int = 16, lines: int = 100, done: Callable[[Row], None] | None = None
) -> Parity:
    """Every dialect named (by default all whose framework is installed) against its framework.

    `images` is how many sizes of images are compared, and `lines` how many lengths of lines for methods that pick.

    >>> sweep([], images=0, lines=0).kept
    True
    """
    here = installed()
    chosen = tuple(dialects.get(name).name for name in names) or here
    for name in chosen:
        if name not in here:
            raise ArgumentError(f"dialect {name!r} {_why_not(name)}")
    rows = []
    for name in chosen:
        share = of(name).share
        for row in _rows(of(name), math.ceil(images * share), math.ceil(lines * share)):
            rows.append(row)
            if done is not None:
                done(row)
    missing = tuple(name for name in known() if name not in here)
    return Parity(tuple(sorted({version_of(of(name)) for name in chosen})), tuple(rows), missing)


def count(names: Iterable[str] = ()) -> int:
    """How many rows a sweep of these dialects has."""
    chosen = tuple(names) or installed()
    return sum(len(list(dialects.get(name).variants())) for name in chosen)


def _why_not(name: str) -> str:
    if name not in known():
        return f"has no framework to compare with; these have: {', '.join(known())}"
    package = of(name).package
    how = f"pip install {package}" if of(name).version is None else f"npm install {package}, and run it in that folder"
    return f"is compared with the real {package}, which is not installed: {how}"


def version_of(reference: Reference) -> tuple[str, str]:
    """The distribution that is installed, and its version."""
    if reference.version is not None:
        return reference.package, reference.version() or ""
    names = importlib.metadata.packages_distributions().get(reference.module, [reference.package])
    return names[0], importlib.metadata.version(names[0])


def _rows(reference: Reference, images: int, lines: int) -> Iterator[Row]:
    for method, antialias, options in dialects.get(reference.dialect).variants():
        words: dict[str, Any] = {"method": method, "antialias": antialias, "dialect": reference.dialect, **options}
        yield _row(reference, words, images, lines)


def _row(reference: Reference, words: dict[str, Any], images: int, lines: int) -> Row:
    """One way to resize, on all images and lines."""
    method, failures = str(words["method"]), list[str]()
    floats, whole, slopes, picked = _Tally(), _Tally(), _Tally(), _Tally()
    plans = list(_plans(words, _sizes(images)))
    for seed, plan in enumerate(plans):
        with _noted(failures, plan):
            _compare(reference, plan, seed, floats, whole, slopes)
    pairs = list(_plans(words, _lines(lines) if plans and all(plan.picks for plan in plans) else ()))
    for plan in pairs:
        with _noted(failures, plan):
            x = np.arange(plan.input_size[1], dtype=np.float32).reshape(1, -1, 1)
            picked.add(plan(x, (0, 1)), reference.resize(x, plan.request), 1.0)
    defaults = dict(dialects.get(reference.dialect).complete({}))
    said = tuple((name, words[name]) for name in defaults if words[name] != defaults[name])
    return Row(
        reference.dialect, method, bool(words["antialias"]), said, len(plans) + len(pairs),
        picked.measure(0.0), floats.measure(reference.ulp.get(method, 0.0)), whole.measure(0.0),
        slopes.measure(reference.gradient_ulp.get(method, 0.0)), tuple(failures),
    )  # fmt: skip


def _compare(reference: Reference, plan: Plan, seed: int, floats: _Tally, whole: _Tally, slopes: _Tally) -> None:
    """One size: an image of float32, one of uint8 where it is promised, and a gradient where the framework has one."""
    random, request = np.random.default_rng(seed), plan.request
    x = random.standard_normal((*plan.input_size, 3)).astype(np.float32)
    theirs = reference.resize(x, request)
    floats.add(plan(x, (0, 1)), theirs, _unit(x, theirs))
    if request.method in reference.whole:
        pixels = random.integers(0, 256, x.shape, np.uint8)
        whole.add(plan(pixels, (0, 1)), reference.resize(pixels, request), 1.0)
    if reference.gradient is not None and request.method in reference.gradient_ulp:
        dy = random.standard_normal((*plan.output_size, 3)).astype(np.float32)
        theirs = reference.gradient(x, dy, request)
        slopes.add(plan.T(dy, (0, 1)), theirs, _unit(dy, theirs))


class _Tally:
    """Adds up comparisons."""

    def __init__(self) -> None:
        self.compared, self.differing, self.largest = 0, 0, 0.0

    def add(self, ours: Array, theirs: Array, unit: float) -> None:
        """Two arrays that should be equal; differences count in multiples of `unit`, NaN as endless."""
        if ours.shape != theirs.shape:
            raise ValueError(f"shape {theirs.shape} instead of {ours.shape}")
        difference = np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) / unit
        self.compared += difference.size
        self.differing += int(np.count_nonzero(difference))
        self.largest = max(self.largest, float(np.nan_to_num(difference, nan=np.inf).max(initial=0.0)))

    def measure(self, allowed: float) -> Measure | None:
        """What was added up; None for nothing."""
        return Measure(self.compared, self.differing, self.largest, allowed) if self.compared else None


@contextmanager
def _noted(failures: list[str], plan: Plan) -> Iterator[None]:
    """Notes what is raised inside, by whomever, and goes on."""
    try:
        yield
    except Exception as error:  # frameworks raise what they like
        if not is_of(error, *FRAMEWORKS):
            raise
        sizes = " -> ".join("x".join(map(str, size)) for size in (plan.input_size, plan.output_size))
        failures.append(f"{sizes}: {type(error).__name__}: {str(error).strip().splitlines()[0][:200]}")


def _unit(x: Array, theirs: Array) -> float:
    """A unit in the last place of the largest number among inputs and results, of float32."""
    largest = max(float(np.abs(x).max()), float(np.abs(theirs.astype(np.float64)).max()))
    return float(np.spacing(np.float32(largest)))


def _plans(words: dict[str, Any], sizes: Iterable[tuple[Size, Size]]) -> Iterator[Plan]:
    """The plans of these sizes, without those that the dialect refuses."""
    for input_size, output_size in sizes:
        with suppress(UnsupportedError, ArgumentError):
            yield make_plan(input_size, output_size, **words)


def _sizes(count: int) -> list[tuple[Size, Size]]:
    # Of an output of one pixel PyTorch antialiases another pixel than it should: docs/explanation/framework-faults.md.
    drawn = np.random.default_rng(0).integers(2, 80, (max(count - len(_TELLING), 0), 4)).tolist()
    return [*_TELLING[:count], *(((h, w), (a, b)) for h, w, a, b in drawn)]


def _lines(count: int) -> list[tuple[Size, Size]]:
    drawn = np.random.default_rng(1).integers(1, _LONGEST_LINE + 1, (count, 2)).tolist()
    return [((1, n_in), (1, n_out)) for n_in, n_out in drawn]
