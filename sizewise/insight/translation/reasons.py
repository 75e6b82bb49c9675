"""Reasons: why two resizes are not the same, from their formulas, and by how much, from their matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import dialects
from ...dialects import Formula, Request
from ...plan import Plan
from ...taps import Taps
from .comparing import Case, apart, closeness, planned
from .matching import formula
from .syntax import Syntax, variants
from .words import Words

_KNOWN = {"__builtins__": {}, "floor": np.floor, "ceil": np.ceil, "min": np.minimum, "max": np.maximum}
_NUMBERS = 1 << 14  # of noise, at most about
_AROUND = 16  # outputs on both sides of the one that differs most
_TELLING = 4  # cases, which grow and shrink
_KERNELS = {"pick": "nearest", "mean": "area"}


@dataclass(frozen=True)
class Difference:
    """Something that two calls do not have in common: what it is, in the one, and in the other."""

    what: str
    here: str
    there: str


def difference(one: Plan, other: Plan) -> float:
    """The largest difference of two resizes of the same noise, whose numbers go from 0 to 1.

    >>> from sizewise.api import make_plan
    >>> difference(make_plan((4, 4), (8, 8), dialect="torch"), make_plan((4, 4), (8, 8), dialect="tensorflow"))
    0.0
    """
    windows = tuple(map(_window, one.taps, other.taps))
    tiles = [plan.tile(windows) for plan in (one, other)]
    read = [slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(tiles[0][0], tiles[1][0], strict=True)]
    size = [part.stop - part.start for part in read]
    x = np.random.default_rng(0).random((max(_NUMBERS // math.prod(size), 1), *size))
    results = [_applied(tile, x, inputs, read) for inputs, tile in tiles]
    return float(np.abs(results[0] - results[1]).max(initial=0.0))


def _window(mine: Taps, theirs: Taps) -> slice:
    """The outputs around the one that differs most."""
    o = int(apart(mine, theirs).argmax())
    return slice(max(o - _AROUND, 0), min(o + _AROUND + 1, mine.n_out))


def _applied(tile: Plan, x: Any, inputs: tuple[slice, ...], read: list[slice]) -> Any:
    """A tile of the noise, of which only what is read was made."""
    inner = [slice(a.start - b.start, a.stop - b.start) for a, b in zip(inputs, read, strict=True)]
    x = x[(slice(None), *inner)]
    for axis, matrix in enumerate(tile.matrices(), start=1):
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x


def between(source: Words, other: Words, case: Case) -> tuple[Difference, ...]:
    """What two calls do not have in common in a case, along the axis where it shows most."""
    one, two = planned(source, case.input_size), planned(other, case.input_size)
    if one is None or two is None:
        return (Difference("sizes", "taken", "refused"),)
    if one.output_size != two.output_size:
        return (Difference("result", str(case), str(Case(two.input_size, two.output_size))),)
    offs = [float(apart(*taps).max(initial=0.0)) for taps in zip(one.taps, two.taps, strict=True)]
    axis = int(np.argmax(offs))
    mine, theirs = formula(source, case), formula(other, case)
    assert mine is not None and theirs is not None
    found = list(_stated(mine, theirs, one.request, two.request, axis))
    return tuple(found) or (_output(one, two, axis),)


def _stated(mine: Formula, theirs: Formula, one: Request, two: Request, axis: int) -> Iterator[Difference]:
    """What the formulas have different, by their numbers, not their words."""
    if mine.kernel != theirs.kernel:
        yield Difference("filter", _filter(mine), _filter(theirs))
    if mine.is_filter != theirs.is_filter:
        return
    both = (mine, one), (theirs, two)
    widths = [float(np.max(_evaluated(each, each.stretch, request, axis))) for each, request in both]
    if abs(widths[0] - widths[1]) > 1e-6:
        yield Difference("widened", *(f"{width:.4g} times" if width > 1 else "no" for width in widths))
    places = [_evaluated(each, each.x, request, axis) for each, request in both]
    if not np.allclose(places[0], places[1], atol=1e-6):
        yield Difference("output o reads", *(_place(each, request, axis) for each, request in both))
    alike = not mine.is_filter or (mine.kernel == theirs.kernel == "linear" and max(widths) == 1)
    if mine.edges != theirs.edges and not (alike and "outputs" not in mine.edges + theirs.edges):
        yield Difference("beyond the edge", mine.edges, theirs.edges)


def _filter(stated: Formula) -> str:
    name, comma, rest = stated.kernel.partition(",")
    return f"{_KERNELS.get(name, name)}{comma}{rest}"


def _place(stated: Formula, request: Request, axis: int) -> str:
    if "step" not in stated.x:
        return stated.x
    ratio = "n_in / n_out" if request.scale is None else f"1 / {request.scale[axis]:.6g}"
    return f"{stated.x}, step = {stated.step.replace('1 / scale', ratio)}"


def _evaluated(stated: Formula, expression: str, request: Request, axis: int) -> Any:
    """The numbers of an expression along one axis of a request."""
    n_in, n_out = request.input_size[axis], request.output_size[axis]
    scale = n_out / n_in if request.scale is None else request.scale[axis]
    known = {**_KNOWN, "o": np.arange(n_out), "n_in": n_in, "n_out": n_out, "scale": scale, **_placement(request, axis)}
    known["step"] = eval(stated.step, dict(known))  # our own words, in which nothing else is known
    return eval(expression, known)


def _placement(request: Request, axis: int) -> dict[str, Any]:
    options, count = dict(request.options), len(request.input_size)
    moved, box, roi = (options.get(name) for name in ("translation", "box", "roi"))
    start, end = (0.0, 1.0)
    if isinstance(box, tuple):
        start, end = box[1 - axis], box[3 - axis]
    elif isinstance(roi, tuple):
        start, end = roi[axis], roi[count + axis]
    return {"translation": moved[axis] if isinstance(moved, tuple) else moved or 0.0, "start": start, "end": end}


def _output(one: Plan, two: Plan, axis: int) -> Difference:
    """The output that differs most, where formulas are the same and roundings are not."""
    mine, theirs = one.taps[axis], two.taps[axis]
    rows = apart(mine, theirs)
    o = int(rows.argmax())
    what = f"{mine.n_in} -> {mine.n_out}, output {o}"
    if rows[o] <= closeness(mine):
        return Difference(what, "one value outside", "another")
    if mine.is_selection and theirs.is_selection:
        return Difference(f"{what}, by rounding", f"pixel {mine.start[o]}", f"pixel {theirs.start[o]}")
    return Difference(what, _weights(mine, o), _weights(theirs, o))


def _weights(taps: Taps, o: int) -> str:
    shown = ", ".join(f"{weight:.4g}" for weight in taps.weights[o, : min(int(taps.count[o]), 6)])
    return f"weights {shown}{' ...' if taps.count[o] > 6 else ''} from pixel {taps.start[o]} on"


def missing(source: Words, target: Syntax, cases: list[Case]) -> str:
    """Why no call of the target is the same, in a sentence."""
    asked = list(dict.fromkeys(_filter(stated) for case in cases if (stated := formula(source, case))))
    there = dict.fromkeys(_filters(target, cases))
    for one in asked:
        if one not in there:
            method = f"{source.dialect} {source.method} ({one})"
            return f"{target.title} has no filter like {method}. It has: {'; '.join(there)}."
    return f"{target.title} has this filter ({asked[0]}), but no call that uses it in the same way."


def _filters(target: Syntax, cases: list[Case]) -> Iterator[str]:
    for method, antialias, options in variants(target):
        for case in cases[:_TELLING]:
            request = Request(target.dialect, method, antialias, *case, None, options)
            yield _filter(dialects.get(target.dialect).formula(request))
