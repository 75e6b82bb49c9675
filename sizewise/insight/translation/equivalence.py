"""Equivalence: whether two resizes have the same matrices, at the sizes that a call may meet."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import SizewiseError
from ...plan import Plan
from ...resize_spec import Factor, ResizeSpec
from ...taps import Taps

Size = tuple[int, ...]

_FLOAT32 = np.dtype(np.float32)
_EPS = float(np.finfo(np.float32).eps)
_MAX_ROUNDED = 0.1  # share of outputs that may select a neighboring pixel and still count as rounding
_MAX_CACHED_LENGTH = 256
_MAX_TRIED_LENGTH = 48  # longer outputs teach nothing more about a call

# Inputs for calls with a scale; inputs with outputs for calls with a size: upscaling and downscaling by integer and by
# odd factors first, both at once, axes that keep their length, single pixels, and sizes that float32 and float64
# round differently.
_INPUTS = ((8, 10), (9, 7), (12, 16), (15, 21), (6, 5), (20, 33), (24, 12), (3, 2), (4, 1))
_SIZES = (
    ((4, 5), (8, 15)), ((8, 15), (4, 5)), ((5, 7), (11, 16)), ((11, 16), (5, 7)), ((10, 8), (11, 13)),
    ((13, 11), (7, 10)), ((9, 12), (3, 4)), ((3, 4), (9, 12)), ((16, 16), (4, 4)), ((26, 20), (22, 19)),
    ((14, 9), (23, 20)), ((21, 25), (7, 5)), ((6, 12), (12, 6)), ((7, 15), (15, 4)), ((8, 9), (8, 5)),
    ((8, 5), (8, 9)), ((45, 53), (41, 47)), ((41, 47), (45, 53)), ((7, 9), (1, 1)), ((7, 9), (1, 4)),
    ((1, 1), (3, 5)), ((5, 1), (3, 4)), ((2, 3), (3, 2)), ((12, 17), (6, 34)),
)  # fmt: skip


class Case(NamedTuple):
    """An input size and the output size of a call."""

    input_size: Size
    output_size: Size

    def __str__(self) -> str:
        return " -> ".join("x".join(map(str, size)) for size in self)


@dataclass(frozen=True)
class Relation:
    """How a resize compares with another: whether they are the same, the largest error of a weight (or the share of
    outputs that select another pixel, where both select pixels), and whether only a few outputs differ by rounding.
    """

    same: bool
    off: float
    rounded: bool = False

    @property
    def near(self) -> bool:
        """Whether they are the same up to rounding."""
        return self.same or self.rounded


DIFFERENT = Relation(same=False, off=2.0)


def build_plan(spec: ResizeSpec, input_size: Size) -> Plan | None:
    """Return the float32 plan of a spec; None where it is refused."""
    try:
        return spec.make_plan(input_size).for_dtype(_FLOAT32)
    except SizewiseError:
        return None


_cached_plan = lru_cache(maxsize=8192)(build_plan)


def try_plan(spec: ResizeSpec, input_size: Size) -> Plan | None:
    """Return the same plan, cached for small sizes."""
    return _cached_plan(spec, input_size) if max(input_size) <= _MAX_CACHED_LENGTH else build_plan(spec, input_size)


def relation(one: Plan, other: Plan | None) -> Relation:
    """Compare two plans."""
    if other is None or one.output_size != other.output_size or not _same_fill(one, other):
        return DIFFERENT
    axes = list(itertools.starmap(_axis_relation, zip(one.taps, other.taps, strict=True)))
    off = max(each.off for each in axes)
    return Relation(all(each.same for each in axes), off, all(each.near for each in axes))


def _axis_relation(mine: Taps, theirs: Taps) -> Relation:
    if mine.is_selection and theirs.is_selection:
        moved = np.abs(mine.start - theirs.start)
        count = int((moved > 0).sum())
        few = count <= max(_MAX_ROUNDED * len(moved), 1) and len(moved) > 2
        return Relation(count == 0, count / len(moved), rounded=bool(moved.max() <= 1 and few))
    off = float(weight_errors(mine, theirs).max(initial=0.0))
    return Relation(off <= weight_tolerance(mine), off)


def weight_errors(mine: Taps, theirs: Taps) -> NDArray[np.float64]:
    """Return the largest difference of weights in each row."""
    first = np.minimum(mine.start, theirs.start)
    width = max(int((one.start - first).max(initial=0)) + one.width for one in (mine, theirs))
    table = np.zeros((mine.n_out, width))
    for one, sign in ((mine, 1.0), (theirs, -1.0)):
        columns = (one.start - first)[:, None] + np.arange(one.width)
        table[np.arange(one.n_out)[:, None], columns] += sign * one.weights
    rows: NDArray[np.float64] = np.abs(table).max(axis=1, initial=0.0)
    return rows


def weight_tolerance(taps: Taps) -> float:
    """Return how far weights may differ that come from float32 coordinates."""
    return 1e-6 + 4 * _EPS * (taps.n_in + taps.n_out)


def _same_fill(one: Plan, other: Plan) -> bool:
    if one.fill is None or other.fill is None:
        return one.fill is other.fill
    (value, along), (other_value, other_along) = one.fill, other.fill
    return value == other_value and all((a == b).all() for a, b in zip(along, other_along, strict=True))


def cases(spec: ResizeSpec, input_size: Size | None) -> list[Case]:
    """Return the sizes to compare at: the known one, or many."""
    if input_size is not None:
        return [Case(input_size, spec.make_plan(input_size).output_size)]
    plans = ((size, try_plan(spec, size)) for size in _input_sizes(spec))
    return [Case(size, plan.output_size) for size, plan in plans if plan is not None]


def _input_sizes(spec: ResizeSpec) -> Iterator[Size]:
    lengths = [one for one in spec.size or () if not isinstance(one, Factor)]
    if spec.scale is not None or not lengths:
        yield from (tuple(itertools.islice(itertools.cycle(pair), spec.axes)) for pair in _INPUTS)
        return
    for given, wanted in _SIZES:
        ratios = itertools.cycle(n_in / n_out for n_in, n_out in zip(given, wanted, strict=True))
        yield tuple(max(round(ratio * one), 1) for ratio, one in zip(ratios, lengths, strict=False))


def placeholder(spec: ResizeSpec) -> ResizeSpec:
    """Return the spec with lengths that are quicker to compare at; odd ones stay odd."""
    if spec.size is None or spec.scale is not None:
        return spec
    half = _MAX_TRIED_LENGTH // 2
    size = [n if isinstance(n, Factor) or n <= _MAX_TRIED_LENGTH else half + n % half for n in spec.size]
    return replace(spec, size=tuple(size))
