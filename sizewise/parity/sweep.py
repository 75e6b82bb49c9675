"""Sweep: a dialect and its framework on the same images, for every method and option of the dialect."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import dialects
from ..api import make_plan
from ..errors import FRAMEWORKS, ArgumentError, UnsupportedError, is_raised_by
from ..plan import Plan
from .reference import Array, Reference, installed, known, of

Size = tuple[int, int]

# Integer and odd factors, almost 1, large ratios, mixed, one axis unchanged, one pixel; random sizes follow.
_FIXED_SIZES: tuple[tuple[Size, Size], ...] = (
    ((48, 64), (24, 32)), ((37, 50), (50, 37)), ((64, 48), (64, 100)), ((101, 99), (100, 100)), ((150, 7), (3, 90)),
    ((1, 40), (5, 13)), ((12, 18), (4, 6)), ((23, 14), (46, 28)),
)  # fmt: skip
_MAX_LINE_LENGTH = 300


@dataclass(frozen=True)
class Measure:
    """How many elements were compared, how many differ, the largest difference, and the largest allowed."""

    compared: int
    differing: int
    largest: float
    allowed: float

    @property
    def passed(self) -> bool:
        """Return whether the largest difference is allowed."""
        return self.largest <= self.allowed


@dataclass(frozen=True)
class Row:
    """One method with one set of options, compared with the framework; None for what cannot be compared.

    `indices` are the pixels that nearest-like methods select, `bytes` uint8 results; `floats` (float32) and `gradient`
    are in units in the last place. `failures` are the calls that raised, in either library.
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
    def passed(self) -> bool:
        """Return whether nothing raised and every difference is allowed."""
        measures = (self.indices, self.floats, self.bytes, self.gradient)
        return not self.failures and all(measure is None or measure.passed for measure in measures)

    @property
    def name(self) -> str:
        """Return the dialect, the method, and the options that are not the default."""
        options = [name if value is True else f"{name}={value}" for name, value in self.options]
        return " ".join([self.dialect, self.method, *(["antialias"] if self.antialias else []), *options])


@dataclass(frozen=True)
class Parity:
    """All rows of a sweep, the versions they were compared with, and the dialects whose framework is not installed."""

    versions: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    missing: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Return whether every row passed."""
        return all(row.passed for row in self.rows)


def sweep(
    names: Iterable[str] = (), *, images: int = 16, lines: int = 100, on_row: Callable[[Row], None] | None = None
) -> Parity:
    """Compare the named dialects (by default all whose framework is installed) with their frameworks.

    Args:
        names: of dialects.
        images: the number of image sizes to compare in each row.
        lines: the number of line lengths, for methods that select pixels.
        on_row: called with each finished row.

    There is a row for each method and set of options, with the elements compared, how many differ, the largest
    difference, and the largest allowed. `passed`, of a row and of the sweep, is whether every difference is allowed.

    >>> sweep(["pillow"], images=1, lines=1).passed
    True
    """
    here = installed()
    chosen = tuple(dialects.get(name).name for name in names) or here
    require_installed(chosen)
    rows = []
    for name in chosen:
        fraction = of(name).case_fraction
        for arguments in variants(name):
            rows.append(_row(of(name), arguments, math.ceil(images * fraction), math.ceil(lines * fraction)))
            if on_row is not None:
                on_row(rows[-1])
    missing = tuple(name for name in known() if name not in here)
    return Parity(tuple(sorted({version_of(of(name)) for name in chosen})), tuple(rows), missing)


def count(names: Iterable[str] = ()) -> int:
    """Return the number of rows of a sweep of these dialects."""
    chosen = tuple(names) or installed()
    return sum(len(list(dialects.get(name).variants())) for name in chosen)


def require_installed(names: Iterable[str]) -> None:
    """Raise ArgumentError for a dialect whose framework is not installed."""
    for name in names:
        if name not in known():
            raise ArgumentError(f"dialect {name!r} has no framework to compare with; these have: {', '.join(known())}")
        if not of(name).is_installed():
            package, is_python = of(name).contract.package, of(name).version is None
            how = f"pip install {package}" if is_python else f"npm install {package}, and run it in that folder"
            raise ArgumentError(f"dialect {name!r} is compared with the real {package}, which is not installed: {how}")


def version_of(reference: Reference) -> tuple[str, str]:
    """Return the installed distribution and its version."""
    if reference.version is not None:
        return reference.contract.package, reference.version() or ""
    names = importlib.metadata.packages_distributions().get(reference.module, [reference.contract.package])
    return names[0], importlib.metadata.version(names[0])


def variants(dialect: str) -> Iterator[dict[str, Any]]:
    """Yield the arguments of every variant of a dialect."""
    for method, antialias, options in dialects.get(dialect).variants():
        yield {"method": method, "antialias": antialias, "dialect": dialect, **options}


def _row(reference: Reference, arguments: dict[str, Any], images: int, lines: int) -> Row:
    """Compare one method with one set of options on all images and lines."""
    method, failures = str(arguments["method"]), list[str]()
    floats, integers, gradients, indices = _Tally(), _Tally(), _Tally(), _Tally()
    image_plans = [plan for _, plan in plans(arguments, _sizes(images))]
    for seed, plan in enumerate(image_plans):
        with _collect_failures(failures, plan):
            _compare(reference, plan, seed, floats, integers, gradients)
    is_selection = image_plans and all(plan.is_selection for plan in image_plans)
    line_plans = [plan for _, plan in plans(arguments, _lines(lines) if is_selection else ())]
    for plan in line_plans:
        with _collect_failures(failures, plan):
            x = np.arange(plan.input_size[1], dtype=np.float32).reshape(1, -1, 1)
            indices.add(plan(x, (0, 1)), reference.resize(x, plan.request), 1.0)
    defaults = dict(dialects.get(reference.dialect).fill_options({}))
    options = tuple((name, arguments[name]) for name in defaults if arguments[name] != defaults[name])
    return Row(
        reference.dialect, method, bool(arguments["antialias"]), options, len(image_plans) + len(line_plans),
        indices.measure(0.0), floats.measure(reference.ulp.get(method, 0.0)), integers.measure(0.0),
        gradients.measure(reference.gradient_ulp.get(method, 0.0)), tuple(failures),
    )  # fmt: skip


def _compare(reference: Reference, plan: Plan, seed: int, floats: _Tally, integers: _Tally, gradients: _Tally) -> None:
    """Compare one size: a float32 image, a uint8 image if that is promised, and the framework's gradient."""
    random, request = np.random.default_rng(seed), plan.request
    x = random.standard_normal((*plan.input_size, 3)).astype(np.float32)
    theirs = reference.resize(x, request)
    floats.add(plan(x, (0, 1)), theirs, _unit(x, theirs))
    if request.method in reference.contract.bit_exact:
        pixels = random.integers(0, 256, x.shape, np.uint8)
        integers.add(plan(pixels, (0, 1)), reference.resize(pixels, request), 1.0)
    dy = random.standard_normal((*plan.output_size, 3)).astype(np.float32)
    dx = reference.gradient_or_none(x, dy, request)
    if dx is not None:
        gradients.add(plan.T(dy, (0, 1)), dx, _unit(dy, dx))


class _Tally:
    """Counts of compared elements, and their largest difference."""

    def __init__(self) -> None:
        self.compared, self.differing, self.largest = 0, 0, 0.0

    def add(self, ours: Array, theirs: Array, unit: float) -> None:
        """Add two arrays that should be equal; differences are in multiples of `unit`, NaN is infinite."""
        if ours.shape != theirs.shape:
            raise ValueError(f"shape {theirs.shape} instead of {ours.shape}")
        difference = np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) / unit
        self.compared += difference.size
        self.differing += int(np.count_nonzero(difference))
        self.largest = max(self.largest, float(np.nan_to_num(difference, nan=np.inf).max(initial=0.0)))

    def measure(self, allowed: float) -> Measure | None:
        """Return the measure, or None if nothing was added."""
        return Measure(self.compared, self.differing, self.largest, allowed) if self.compared else None


@contextmanager
def _collect_failures(failures: list[str], plan: Plan) -> Iterator[None]:
    """Append errors of the framework to `failures`, and continue."""
    try:
        yield
    except Exception as error:  # frameworks raise any type
        if not is_raised_by(error, *FRAMEWORKS):
            raise
        sizes = " -> ".join("x".join(map(str, size)) for size in (plan.input_size, plan.output_size))
        failures.append(f"{sizes}: {type(error).__name__}: {str(error).strip().splitlines()[0][:200]}")


def _unit(x: Array, theirs: Array) -> float:
    """Return a unit in the last place, in float32, of the largest value among inputs and results."""
    largest = max(float(np.abs(x).max()), float(np.abs(theirs.astype(np.float64)).max()))
    return float(np.spacing(np.float32(largest)))


def plans(arguments: dict[str, Any], sizes: Iterable[tuple[Size, Size]]) -> Iterator[tuple[Size, Plan]]:
    """Yield the requested size and the plan of each of these sizes that the dialect supports."""
    for input_size, output_size in sizes:
        try:
            plan = make_plan(input_size, output_size, **arguments)
        except (UnsupportedError, ArgumentError):
            continue
        yield output_size, plan


def _sizes(count: int) -> list[tuple[Size, Size]]:
    # At least two pixels: PyTorch antialiases the wrong pixel if there is one (docs/explanation/framework-faults.md).
    random_sizes = np.random.default_rng(0).integers(2, 80, (max(count - len(_FIXED_SIZES), 0), 4)).tolist()
    return [*_FIXED_SIZES[:count], *(((h, w), (a, b)) for h, w, a, b in random_sizes)]


def _lines(count: int) -> list[tuple[Size, Size]]:
    random_sizes = np.random.default_rng(1).integers(1, _MAX_LINE_LENGTH + 1, (count, 2)).tolist()
    return [((1, n_in), (1, n_out)) for n_in, n_out in random_sizes]
