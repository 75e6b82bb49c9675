"""Grids: where the centers of outputs lie in the input, from the formula of a dialect, in exact fractions."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from math import lcm
from types import CodeType
from typing import Any, NamedTuple, cast

from ._formula import MEAN, Formula
from ._registry import find
from ._request import Request

HALF = Fraction(1, 2)


class Grid(NamedTuple):
    """The grid of one axis: the center of output o is at `first + o * step` of the input, where pixel i is i .. i + 1.

    `first` is None if the formula is no grid; only the taps say then where the outputs are.

    >>> grids(Request("standard", "bilinear", True, (4,), (2,)))
    (Grid(step=Fraction(2, 1), first=Fraction(1, 1)),)
    """

    step: Fraction
    first: Fraction | None


def grids(request: Request) -> tuple[Grid, ...]:
    """Return the grid of each axis. Copies of single pixels lie around it, by up to half a pixel on either side.

    >>> grids(Request("torch", "nearest", False, (4,), (8,), options=(("recompute_scale_factor", False),
    ...     ("align_corners", False))))
    (Grid(step=Fraction(1, 2), first=Fraction(1, 4)),)
    """
    formula = find(request.dialect).formula(request)
    return tuple(
        _grid(formula, n_in, n_out, _names(request, axis)) for axis, (n_in, n_out, _) in enumerate(request.axes)
    )


def is_part(request: Request) -> bool:
    """Return whether a request places a part of the image, or the image inside a larger output.

    >>> is_part(Request("standard", "bilinear", True, (4,), (2,)))
    False
    """
    options = dict(request.options)
    crops = options.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    return crops or any(options.get(name) is not None for name in ("box", "translation"))


def _names(request: Request, axis: int) -> dict[str, Any]:
    """Return the names that formulas use, with their values along an axis."""
    options, n_axes = dict(request.options), len(request.input_size)
    n_in, n_out, scale = request.axes[axis]
    names = {"n_in": Fraction(n_in), "n_out": Fraction(n_out), "start": Fraction(0), "end": Fraction(1)}
    names["scale"] = Fraction(scale) if scale else Fraction(n_out, n_in)
    translation = options.get("translation") or 0.0
    names["translation"] = Fraction(cast(Any, translation[axis] if isinstance(translation, tuple) else translation))
    if (roi := cast(Any, options.get("roi"))) is not None:
        names["start"], names["end"] = Fraction(roi[axis]), Fraction(roi[n_axes + axis])
    if (box := cast(Any, options.get("box"))) is not None:
        names["start"], names["end"] = Fraction(box[1 - axis]), Fraction(box[3 - axis])
    return names


def _grid(formula: Formula, n_in: int, n_out: int, names: dict[str, Any]) -> Grid:
    """Return the grid of one axis."""
    names["step"] = _value(formula.step, names, _Roundings())
    roundings = _Roundings()
    expressions = (formula.x, formula.to) if formula.kernel == MEAN else (formula.x,)
    first, second = ([_value(one, {**names, "o": Fraction(o)}, roundings) for one in expressions] for o in (0, 1))
    step = second[0] - first[0]
    if formula.kernel == MEAN:  # between two edges
        return _nonzero(Grid(step, sum(first, Fraction()) / 2), n_in, n_out)
    rounded = roundings.found
    if len(rounded) > 2 or (rounded and rounded[0].argument != first[0]):
        return Grid(names["step"], None)
    if rounded:  # copies of single pixels: the grid runs through the middle of their centers
        mean = _mean_rounded(rounded[0].direction, step, first[0], n_out)
        first[0] = mean - step * Fraction(n_out - 1, 2)
    if n_out == 1 and " if " in formula.x:  # the step of a single output is arbitrary
        step = Fraction(0)
    return _nonzero(Grid(step, first[0] + HALF), n_in, n_out, names["end"] - names["start"])


def _nonzero(grid: Grid, n_in: int, n_out: int, span: Fraction = Fraction(1)) -> Grid:
    """Return the grid; if all outputs are at one point, one with the ratio of the sizes around this point."""
    if grid.step or grid.first is None:
        return grid
    step = Fraction(n_in, n_out) * (span if 0 < abs(span) <= 1 else 1)
    middle = min(max(grid.first, HALF), n_in - HALF)
    return Grid(step, middle - step * Fraction(n_out - 1, 2))


class _Rounding(NamedTuple):
    """A call of floor or ceil in a formula, and its argument."""

    direction: str
    argument: Fraction


class _Roundings:
    """Functions floor and ceil that return their argument, and remember the calls."""

    def __init__(self) -> None:
        self.found: list[_Rounding] = []

    def floor(self, value: Fraction) -> Fraction:
        """Return the argument."""
        return self._note("floor", value)

    def ceil(self, value: Fraction) -> Fraction:
        """Return the argument."""
        return self._note("ceil", value)

    def _note(self, direction: str, value: Fraction) -> Fraction:
        self.found.append(_Rounding(direction, value))
        return value


@lru_cache(maxsize=512)
def _compile(expression: str) -> CodeType:
    """Return an expression compiled, with exact fractions in place of decimals."""
    return compile(re.sub(r"\b\d+\.\d+\b", r"Fraction('\g<0>')", expression), "<formula>", "eval")


def _value(expression: str, names: dict[str, Any], roundings: _Roundings) -> Fraction:
    """Return the value of an expression of a formula."""
    known = {"__builtins__": {}, "Fraction": Fraction, "min": min, "max": max}
    functions = {"floor": roundings.floor, "ceil": roundings.ceil}
    return Fraction(eval(_compile(expression), known | functions | names))


def _mean_rounded(direction: str, step: Fraction, first: Fraction, count: int) -> Fraction:
    """Return the mean of floor(first + o * step), or of ceil, over o from 0 to count - 1.

    >>> _mean_rounded("floor", Fraction(1, 2), Fraction(0), 4)
    Fraction(1, 2)
    """
    if direction == "ceil":
        return -_mean_rounded("floor", -step, -first, count)
    unit = lcm(step.denominator, first.denominator)
    return Fraction(_sum_floors(count, unit, int(step * unit), int(first * unit)), count)


def _sum_floors(count: int, unit: int, step: int, first: int) -> int:
    """Return the sum of (step * o + first) // unit over o from 0 to count - 1, like Euclid's algorithm.

    >>> _sum_floors(4, 2, 1, 0)
    2
    """
    total = 0
    while count:
        whole, step = divmod(step, unit)
        start, first = divmod(first, unit)
        total += count * (count - 1) // 2 * whole + count * start
        above = step * count + first
        if above < unit:
            break
        count, unit, step, first = above // unit, step, unit, above % unit
    return total
