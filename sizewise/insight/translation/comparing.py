"""Comparing: two resizes by their matrices, at the sizes that a call may meet."""

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
from ...taps import Taps
from .calls import Factor
from .words import Size, Words

_SINGLE = np.dtype(np.float32)
_EPS = float(np.finfo(np.float32).eps)
_FEW = 0.1  # of the outputs: where no more of them pick a neighbour instead, it is for rounding
_SMALL = 256  # lengths up to which plans are kept
_LARGE = 48  # lengths beyond this need not be tried as they are, to learn how a call behaves

# For calls with a scale, inputs; for those with a size, inputs beside outputs: growth and shrinks by whole and by odd
# factors, which come first, both at once, axes that stay, single pixels, and what float32 and float64 round otherwise.
_INPUTS = ((8, 10), (9, 7), (12, 16), (15, 21), (6, 5), (20, 33), (24, 12), (3, 2), (4, 1))
_SIZES = (
    ((4, 5), (8, 15)), ((8, 15), (4, 5)), ((5, 7), (11, 16)), ((11, 16), (5, 7)), ((10, 8), (11, 13)),
    ((13, 11), (7, 10)), ((9, 12), (3, 4)), ((3, 4), (9, 12)), ((16, 16), (4, 4)), ((26, 20), (22, 19)),
    ((14, 9), (23, 20)), ((21, 25), (7, 5)), ((6, 12), (12, 6)), ((7, 15), (15, 4)), ((8, 9), (8, 5)),
    ((8, 5), (8, 9)), ((45, 53), (41, 47)), ((41, 47), (45, 53)), ((7, 9), (1, 1)), ((7, 9), (1, 4)),
    ((1, 1), (3, 5)), ((5, 1), (3, 4)), ((2, 3), (3, 2)), ((12, 17), (6, 34)),
)  # fmt: skip


class Case(NamedTuple):
    """The size of an image, and of what is made of it.

    >>> str(Case((4, 6), (8, 12)))
    '4x6 -> 8x12'
    """

    input_size: Size
    output_size: Size

    def __str__(self) -> str:
        return " -> ".join("x".join(map(str, size)) for size in self)


@dataclass(frozen=True)
class Relation:
    """How another resize compares with the one asked for: whether it is the same, how far a weight is off at most (or
    how large a part of the outputs is another pixel, where both pick them), and whether what is not the same are a few
    outputs that pick the pixel beside.
    """

    same: bool
    off: float
    rounded: bool = False

    @property
    def near(self) -> bool:
        """Whether it is the same, but for roundings."""
        return self.same or self.rounded


DIFFERENT = Relation(same=False, off=2.0)


def planned(words: Words, input_size: Size) -> Plan | None:
    """The plan of a call for images of that size, as float32 sees it; None where it is refused."""
    return _kept(words, input_size) if max(input_size) <= _SMALL else built(words, input_size)


@lru_cache(maxsize=8192)
def _kept(words: Words, input_size: Size) -> Plan | None:
    return built(words, input_size)


def built(words: Words, input_size: Size) -> Plan | None:
    """The same, and not kept."""
    try:
        return words.plan(input_size).for_dtype(_SINGLE)
    except SizewiseError:
        return None


def relation(one: Plan, other: Plan | None) -> Relation:
    """How two plans compare.

    >>> from sizewise.api import make_plan
    >>> relation(make_plan((4,), (8,), dialect="torch"), make_plan((4,), (8,), dialect="tensorflow")).same
    True
    """
    if other is None or one.output_size != other.output_size or not _same_outside(one, other):
        return DIFFERENT
    axes = list(itertools.starmap(_axis, zip(one.taps, other.taps, strict=True)))
    off = max(each.off for each in axes)
    return Relation(all(each.same for each in axes), off, all(each.near for each in axes))


def _axis(mine: Taps, theirs: Taps) -> Relation:
    if mine.is_selection and theirs.is_selection:
        moved = np.abs(mine.start - theirs.start)
        count = int((moved > 0).sum())
        few = count <= max(_FEW * len(moved), 1) and len(moved) > 2
        return Relation(count == 0, count / len(moved), rounded=bool(moved.max() <= 1 and few))
    off = float(apart(mine, theirs).max(initial=0.0))
    return Relation(off <= closeness(mine), off)


def apart(mine: Taps, theirs: Taps) -> NDArray[np.float64]:
    """The largest difference of weights in each row.

    >>> from sizewise.sampling import identity, nearest
    >>> apart(identity(3), nearest(3, np.array([0, 1, 1])))
    array([0., 0., 1.])
    """
    first = np.minimum(mine.start, theirs.start)
    width = max(int((one.start - first).max(initial=0)) + one.width for one in (mine, theirs))
    table = np.zeros((mine.n_out, width))
    for one, sign in ((mine, 1.0), (theirs, -1.0)):
        columns = (one.start - first)[:, None] + np.arange(one.width)
        table[np.arange(one.n_out)[:, None], columns] += sign * one.weights
    rows: NDArray[np.float64] = np.abs(table).max(axis=1, initial=0.0)
    return rows


def closeness(taps: Taps) -> float:
    """How far weights may differ that were computed from coordinates of float32."""
    return 1e-6 + 4 * _EPS * (taps.n_in + taps.n_out)


def _same_outside(one: Plan, other: Plan) -> bool:
    if one.fill is None or other.fill is None:
        return one.fill is other.fill
    (value, along), (other_value, other_along) = one.fill, other.fill
    return value == other_value and all((a == b).all() for a, b in zip(along, other_along, strict=True))


def cases(words: Words, input_size: Size | None) -> list[Case]:
    """The sizes to compare at: the one that is known, or many."""
    if input_size is not None:
        return [Case(input_size, words.plan(input_size).output_size)]
    plans = ((size, planned(words, size)) for size in _inputs(words))
    return [Case(size, plan.output_size) for size, plan in plans if plan is not None]


def _inputs(words: Words) -> Iterator[Size]:
    whole = [one for one in words.size or () if not isinstance(one, Factor)]
    if words.scale is not None or not whole:
        yield from (tuple(itertools.islice(itertools.cycle(pair), words.count)) for pair in _INPUTS)
        return
    for given, wanted in _SIZES:
        ratios = itertools.cycle(n_in / n_out for n_in, n_out in zip(given, wanted, strict=True))
        yield tuple(max(round(ratio * one), 1) for ratio, one in zip(ratios, whole, strict=False))


def standing_in(words: Words) -> Words:
    """The same call for lengths that are quicker to compare at; odd ones stay odd.

    >>> standing_in(Words("torch", "area", False, (), size=(225, 7))).size
    (33, 7)
    """
    if words.size is None or words.scale is not None:
        return words
    size = [n if isinstance(n, Factor) or n <= _LARGE else _LARGE // 2 + n % (_LARGE // 2) for n in words.size]
    return replace(words, size=tuple(size))
