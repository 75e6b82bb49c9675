"""The bars that Sizewise sets itself, held against the facts: which are reached, which are not, and by how much."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sizewise.racing import ours
from sizewise.racing.race import Race, Row

from .process import Curve, Own

FRAMEWORKS = ("PyTorch NCHW", "PyTorch channels_last", "TensorFlow", "JAX")


@dataclass(frozen=True)
class Bar:
    """A bar, and the value of each row that it speaks of; `above` says on which side of the limit a row should be."""

    words: str
    limit: float
    above: bool
    values: tuple[tuple[str, float], ...]

    def reaches(self, value: float) -> bool:
        """Whether one value is on the right side, as it is shown: with two digits after the point."""
        rounded = round(value, 2)
        return rounded >= self.limit if self.above else rounded <= self.limit

    @property
    def wanted(self) -> str:
        """The limit, in words."""
        return f"{'>=' if self.above else '<='} {self.limit:g}"

    @property
    def missed(self) -> tuple[tuple[str, float], ...]:
        """The rows on the wrong side, worst first."""
        wrong = [(name, value) for name, value in self.values if not self.reaches(value)]
        return tuple(sorted(wrong, key=lambda pair: pair[1], reverse=not self.above))

    @property
    def worst(self) -> float:
        """The value nearest to the limit, or farthest beyond it."""
        values = [value for _, value in self.values]
        return min(values) if self.above else max(values)


def bars(race: Race, own: Own | None) -> list[Bar]:
    """Every bar that the facts speak of."""
    found = [*_float32(race.rows), *_memory(race.rows), *_bytes(race.rows), *_dtypes(race.rows)]
    if own is not None:
        found += [Bar(one.what, one.bar, False, ((one.what, one.median),)) for one in own.measures if one.bar]
        found += [linear(curve) for curve in own.sizes if curve.name == ours.NAME]
    return [bar for bar in found if bar.values]


def _over(row: Row, names: Iterable[str], own: str = ours.NAME) -> float | None:
    """How many times longer the fastest of these takes than we do."""
    entries = [entry for entry in map(row.entry, names) if entry is not None]
    mine = row.entry(own)
    return min(entry.over(mine) for entry in entries) if entries and mine else None


def _bar(
    words: str, limit: float, above: bool, rows: Iterable[Row], value: Callable[[Row], float | None] = lambda r: r.ahead
) -> Bar:
    pairs = ((row.case.name, value(row)) for row in rows)
    return Bar(words, limit, above, tuple((name, number) for name, number in pairs if number is not None))


def _float32(rows: Sequence[Row]) -> Iterator[Bar]:
    single = [row for row in rows if row.case.dtype == "float32" and row.case.dialect == "standard"]
    large = [row for row in single if not _is_tiny(row)]
    few = [row for row in large if row.case.shape[3] <= 4]
    many = [row for row in large if row.case.shape[3] > 4]
    plain = [row for row in large if row.case.method == "bilinear" and not row.case.antialias and row.case.gradient]

    def smooth(chosen: Iterable[Row], gradient: bool) -> list[Row]:
        return [row for row in chosen if row.case.antialias and row.case.gradient is gradient]

    yield _bar("float32: ahead of the best peer", 1.0, True, single)
    growing = [row for row in plain if row.case.grows and row.case.shape[3] <= 4]
    yield _bar("bilinear gradient, growing, C <= 4", 8.0, True, growing)
    yield _bar("bilinear gradient, shrinking", 2.5, True, [row for row in plain if not row.case.grows])
    words = "antialiased forward, C <= 4, against PyTorch, TensorFlow and JAX"
    yield _bar(words, 3.5, True, smooth(few, False), lambda row: _over(row, FRAMEWORKS))
    words = "antialiased forward, C <= 4, against OpenCV's area"
    yield _bar(words, 1.0, True, smooth(few, False), lambda row: _over(row, ["OpenCV area"]))
    yield _bar("antialiased gradients, C <= 4", 4.0, True, smooth(few, True))
    yield _bar("antialiased gradients, C = 64", 1.7, True, smooth(many, True))


def _is_tiny(row: Row) -> bool:
    """Whether the image is so small that the call itself is all there is; the time of a call has bars of its own."""
    return row.case.shape[1] <= 32


def _memory(rows: Sequence[Row]) -> Iterator[Bar]:
    large = [row for row in rows if row.case.dtype == "float32" and not _is_tiny(row)]
    yield _bar("float32 with `out=`, over the copy limit: every row", 1.5, False, large, lambda row: row.of_limit)
    if large:
        middle = statistics.median(row.of_limit for row in large)
        words = "float32 with `out=`, over the copy limit: the median of all rows"
        yield Bar(words, 0.9, False, ((words, middle),))


def _bytes(rows: Sequence[Row]) -> Iterator[Bar]:
    def of(dialect: str) -> list[Row]:
        return [row for row in rows if row.case.dialect == dialect and row.case.dtype == "uint8"]

    words = "bytes, Pillow-exact, one thread, against Pillow"
    yield _bar(words, 4.0, True, of("pillow"), lambda row: _over(row, ["Pillow"], ours.ALONE))
    words = "bytes, Pillow-exact, against pillow-simd"
    yield _bar(words, 1.0, True, of("pillow"), lambda row: _over(row, ["pillow-simd"]))
    words = "bytes, PyTorch-exact, antialiased, against PyTorch"
    yield _bar(words, 1.0, True, of("torch"), lambda row: _over(row, FRAMEWORKS))
    words = "bytes, OpenCV-exact, against OpenCV (with IPP)"
    yield _bar(words, 1.0, True, of("opencv"), lambda row: _over(row, ["OpenCV"]))


def _dtypes(rows: Sequence[Row]) -> Iterator[Bar]:
    def over_single(row: Row) -> float:
        return row[ours.NAME].over(row[ours.SINGLE])

    for dtype, limit in (("float64", 2.2), ("float16", 1.3)):
        chosen = [row for row in rows if row.case.dtype == dtype]
        yield _bar(f"{dtype}, over the time in float32", limit, False, chosen, over_single)


def linear(curve: Curve) -> Bar:
    """How the cost grows when a side doubles: fourfold pixels should cost at most fourfold, with a fifth for noise."""
    values = []
    for (side, before), (_, after) in zip(curve.points, curve.points[1:], strict=False):
        values.append((f"{side}x{side} to {2 * side}x{2 * side}", after / before))
    return Bar("cost of four times the pixels, from 64x64 to 16384x16384", 4.8, False, tuple(values))


def shown(value: float) -> str:
    """A value as the page writes it."""
    return f"{value:.2f}" if math.isfinite(value) else "-"
