"""Performance targets of Sizewise, and the rows that meet or miss them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sizewise_bench import ours
from sizewise_bench.runner import CaseResult, Results

from .process import Curve, ProcessResults

FRAMEWORKS = ("PyTorch NCHW", "PyTorch channels_last", "TensorFlow", "JAX")


@dataclass(frozen=True)
class Target:
    """A limit, and the value of each row that it applies to; `is_minimum` states on which side values should be."""

    name: str
    limit: float
    is_minimum: bool
    values: tuple[tuple[str, float], ...]

    def is_met_by(self, value: float) -> bool:
        """Return whether a value is on the right side, rounded to two decimals as on the page."""
        rounded = round(value, 2)
        return rounded >= self.limit if self.is_minimum else rounded <= self.limit

    @property
    def condition(self) -> str:
        """Return the limit as text."""
        return f"{'>=' if self.is_minimum else '<='} {self.limit:g}"

    @property
    def missed(self) -> tuple[tuple[str, float], ...]:
        """Return the rows on the wrong side, worst first."""
        wrong = [(name, value) for name, value in self.values if not self.is_met_by(value)]
        return tuple(sorted(wrong, key=lambda pair: pair[1], reverse=not self.is_minimum))

    @property
    def worst(self) -> float:
        """Return the value closest to the limit, or farthest beyond it."""
        values = [value for _, value in self.values]
        return min(values) if self.is_minimum else max(values)


def targets(results: Results, processes: ProcessResults | None) -> list[Target]:
    """Return every target that the results apply to."""
    rows = results.rows
    found = [*_float32(rows), *_memory(rows), *_uint8(rows), *_dtypes(rows)]
    if processes is not None:
        measures = [measure for measure in processes.measures if measure.target]
        found += [Target(each.name, each.target, False, ((each.name, each.median),)) for each in measures]
        found += [linear(curve) for curve in processes.sizes if curve.name == ours.NAME]
    return [target for target in found if target.values]


def _speedup_over(row: CaseResult, names: Iterable[str], own: str = ours.NAME) -> float | None:
    """Return the time of the fastest of these contenders divided by our own; None if none was timed."""
    timings = [timing for timing in map(row.get, names) if timing is not None]
    mine = row.get(own)
    return min(timing.ratio_to(mine) for timing in timings) if timings and mine else None


def _target(
    name: str,
    limit: float,
    is_minimum: bool,
    rows: Iterable[CaseResult],
    value: Callable[[CaseResult], float | None] = lambda row: row.speedup,
) -> Target:
    pairs = ((row.case.name, value(row)) for row in rows)
    return Target(name, limit, is_minimum, tuple((case, number) for case, number in pairs if number is not None))


def _float32(rows: Sequence[CaseResult]) -> Iterator[Target]:
    single = [row for row in rows if row.case.dtype == "float32" and row.case.dialect == "standard"]
    large = [row for row in single if not _is_tiny(row)]
    few = [row for row in large if row.case.shape[3] <= 4]
    many = [row for row in large if row.case.shape[3] > 4]
    plain = [row for row in large if row.case.method == "bilinear" and not row.case.antialias and row.case.gradient]

    def antialiased(rows: Iterable[CaseResult], gradient: bool) -> list[CaseResult]:
        return [row for row in rows if row.case.antialias and row.case.gradient is gradient]

    yield _target("float32: speedup over the best peer", 1.0, True, single)
    growing = [row for row in plain if row.case.grows and row.case.shape[3] <= 4]
    yield _target("bilinear gradient, growing, C <= 4", 8.0, True, growing)
    yield _target("bilinear gradient, shrinking", 2.5, True, [row for row in plain if not row.case.grows])
    name = "antialiased forward, C <= 4, against PyTorch, TensorFlow and JAX"
    yield _target(name, 3.5, True, antialiased(few, False), lambda row: _speedup_over(row, FRAMEWORKS))
    name = "antialiased forward, C <= 4, against OpenCV's area"
    yield _target(name, 1.0, True, antialiased(few, False), lambda row: _speedup_over(row, ["OpenCV area"]))
    yield _target("antialiased gradients, C <= 4", 4.0, True, antialiased(few, True))
    yield _target("antialiased gradients, C = 64", 1.7, True, antialiased(many, True))


def _is_tiny(row: CaseResult) -> bool:
    """Return whether the image is so small that the overhead of the call, which has its own targets, dominates."""
    return row.case.shape[1] <= 32


def _memory(rows: Sequence[CaseResult]) -> Iterator[Target]:
    large = [row for row in rows if row.case.dtype == "float32" and not _is_tiny(row)]
    yield _target("float32 with `out=`, / time of a copy: every row", 1.5, False, large, lambda row: row.copy_ratio)
    if large:
        middle = statistics.median(row.copy_ratio for row in large)
        name = "float32 with `out=`, / time of a copy: the median of all rows"
        yield Target(name, 0.9, False, ((name, middle),))


def _uint8(rows: Sequence[CaseResult]) -> Iterator[Target]:
    def of(dialect: str) -> list[CaseResult]:
        return [row for row in rows if row.case.dialect == dialect and row.case.dtype == "uint8"]

    name = "uint8, Pillow-exact, one thread, against Pillow"
    yield _target(name, 4.0, True, of("pillow"), lambda row: _speedup_over(row, ["Pillow"], ours.ONE_THREAD))
    name = "uint8, Pillow-exact, against pillow-simd"
    yield _target(name, 1.0, True, of("pillow"), lambda row: _speedup_over(row, ["pillow-simd"]))
    name = "uint8, PyTorch-exact, antialiased, against PyTorch"
    yield _target(name, 1.0, True, of("torch"), lambda row: _speedup_over(row, FRAMEWORKS))
    name = "uint8, OpenCV-exact, against OpenCV (with IPP)"
    yield _target(name, 1.0, True, of("opencv"), lambda row: _speedup_over(row, ["OpenCV"]))


def _dtypes(rows: Sequence[CaseResult]) -> Iterator[Target]:
    def float32_ratio(row: CaseResult) -> float:
        return row[ours.NAME].ratio_to(row[ours.FLOAT32])

    for dtype, limit in (("float64", 2.2), ("float16", 1.3)):
        of_dtype = [row for row in rows if row.case.dtype == dtype]
        yield _target(f"{dtype}, / time in float32", limit, False, of_dtype, float32_ratio)


def linear(curve: Curve) -> Target:
    """Return the target for doubled sides: four times the pixels cost four times as much, plus a fifth for noise."""
    values = []
    for (side, before), (_, after) in zip(curve.points, curve.points[1:], strict=False):
        values.append((f"{side}x{side} to {2 * side}x{2 * side}", after / before))
    return Target("cost of four times the pixels, from 64x64 to 16384x16384", 4.8, False, tuple(values))


def format_value(value: float) -> str:
    """Return a value as the page shows it."""
    return f"{value:.2f}" if math.isfinite(value) else "-"
