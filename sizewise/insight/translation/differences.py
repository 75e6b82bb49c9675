"""Differences: why two resizes are not the same, from their formulas; by how much, from their matrices; and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import dialects
from ...dialects import Formula, Request
from ...errors import UnsupportedError
from ...plan import Plan
from ...resize_spec import ResizeSpec
from ...taps import Taps
from .equivalence import Case, try_plan, weight_errors, weight_tolerance
from .matching import formula
from .syntax import Syntax, variants

_KNOWN = {"__builtins__": {}, "floor": np.floor, "ceil": np.ceil, "min": np.minimum, "max": np.maximum}
_UINT8 = np.dtype(np.uint8)
_NOISE_PIXELS = 1 << 14
_MARGIN = 16  # outputs on both sides of the one that differs most
_MAX_CASES = 4  # enough to grow and shrink
_FILTERS = {"pick": "nearest", "mean": "area"}

FILTER, WIDENED, COORDINATES, EDGES = "filter", "widened", "output o reads", "beyond the edge"


@dataclass(frozen=True)
class Difference:
    """One difference of two calls: what differs, its value in the first call, and in the second."""

    what: str
    here: str
    there: str


def noise_error(one: Plan, other: Plan) -> float:
    """Return the largest difference of two resizes of the same noise, from 0 to 1."""
    windows = tuple(map(_window, one.taps, other.taps))
    tiles = [plan.tile(windows) for plan in (one, other)]
    read = [slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(tiles[0][0], tiles[1][0], strict=True)]
    size = [part.stop - part.start for part in read]
    x = np.random.default_rng(0).random((max(_NOISE_PIXELS // math.prod(size), 1), *size))
    results = [_apply(tile, x, inputs, read) for inputs, tile in tiles]
    return float(np.abs(results[0] - results[1]).max(initial=0.0))


def _window(mine: Taps, theirs: Taps) -> slice:
    """Return the outputs around the one that differs most."""
    o = int(weight_errors(mine, theirs).argmax())
    return slice(max(o - _MARGIN, 0), min(o + _MARGIN + 1, mine.n_out))


def _apply(tile: Plan, x: Any, inputs: tuple[slice, ...], read: list[slice]) -> Any:
    """Apply a tile to the part of the noise that was generated."""
    inner = [slice(a.start - b.start, a.stop - b.start) for a, b in zip(inputs, read, strict=True)]
    x = x[(slice(None), *inner)]
    for axis, matrix in enumerate(tile.matrices(), start=1):
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x


def compare_formulas(source: ResizeSpec, other: ResizeSpec, case: Case) -> tuple[Difference, ...]:
    """Return how two calls differ in a case, along the axis where they differ most."""
    one, two = try_plan(source, case.input_size), try_plan(other, case.input_size)
    if one is None or two is None:
        return (Difference("sizes", "accepted", "refused"),)
    if one.output_size != two.output_size:
        return (Difference("result", str(case), str(Case(two.input_size, two.output_size))),)
    offs = [float(weight_errors(*taps).max(initial=0.0)) for taps in zip(one.taps, two.taps, strict=True)]
    axis = int(np.argmax(offs))
    mine, theirs = formula(source, case), formula(other, case)
    assert mine is not None and theirs is not None
    found = list(_stated(mine, theirs, one.request, two.request, axis))
    return tuple(found) or (_output(one, two, axis),)


def _stated(mine: Formula, theirs: Formula, one: Request, two: Request, axis: int) -> Iterator[Difference]:
    """Yield the differences of two formulas, by their values rather than their text."""
    if mine.kernel != theirs.kernel:
        yield Difference(FILTER, filter_name(mine), filter_name(theirs))
    if mine.is_filter != theirs.is_filter:
        return
    both = (mine, one), (theirs, two)
    widths = [float(np.max(_evaluated(each, each.stretch, request, axis))) for each, request in both]
    if abs(widths[0] - widths[1]) > 1e-6:
        yield Difference(WIDENED, *(f"{width:.4g} times" if width > 1 else "no" for width in widths))
    places = [_evaluated(each, each.x, request, axis) for each, request in both]
    here, there = (_place(each, request, axis) for each, request in both)
    if here != there and not np.allclose(places[0], places[1], atol=1e-6):  # else they differ by rounding
        yield Difference(COORDINATES, here, there)
    alike = not mine.is_filter or (mine.kernel == theirs.kernel == "linear" and max(widths) == 1)
    if mine.edges != theirs.edges and not (alike and "outputs" not in mine.edges + theirs.edges):
        yield Difference(EDGES, mine.edges, theirs.edges)


def filter_name(stated: Formula) -> str:
    """Return the filter of a formula, with its parameters."""
    name, comma, rest = stated.kernel.partition(",")
    return f"{_FILTERS.get(name, name)}{comma}{rest}"


def _place(stated: Formula, request: Request, axis: int) -> str:
    if "step" not in stated.x:
        return stated.x
    ratio = "n_in / n_out" if request.scale is None else f"1 / {request.scale[axis]:.6g}"
    return f"{stated.x}, step = {stated.step.replace('1 / scale', ratio)}"


def _evaluated(stated: Formula, expression: str, request: Request, axis: int) -> Any:
    """Evaluate an expression along one axis of a request."""
    n_in, n_out = request.input_size[axis], request.output_size[axis]
    scale = n_out / n_in if request.scale is None else request.scale[axis]
    known = {**_KNOWN, "o": np.arange(n_out), "n_in": n_in, "n_out": n_out, "scale": scale, **_placement(request, axis)}
    known["step"] = eval(stated.step, dict(known))  # expressions of our own dialects, without builtins
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
    """Return the output that differs most, where the formulas are the same and the rounding is not."""
    mine, theirs = one.taps[axis], two.taps[axis]
    rows = weight_errors(mine, theirs)
    o = int(rows.argmax())
    what = f"{mine.n_in} -> {mine.n_out}, output {o}"
    if rows[o] <= weight_tolerance(mine):
        return Difference(what, "one fill value", "another")
    if mine.is_selection and theirs.is_selection:
        return Difference(f"{what}, by rounding", f"pixel {mine.start[o]}", f"pixel {theirs.start[o]}")
    return Difference(what, _weights(mine, o), _weights(theirs, o))


def _weights(taps: Taps, o: int) -> str:
    weights = ", ".join(f"{weight:.4g}" for weight in taps.weights[o, : min(int(taps.count[o]), 6)])
    return f"weights {weights}{' ...' if taps.count[o] > 6 else ''} from pixel {taps.start[o]} on"


def explain_missing(source: ResizeSpec, origin: Syntax, target: Syntax, cases: list[Case]) -> str:
    """Return why no call of the target is the same."""
    asked = list(dict.fromkeys(filter_name(stated) for case in cases if (stated := formula(source, case))))
    there = dict.fromkeys(_filters(target, cases))
    for one in asked:
        if one not in there:
            method = f"{origin.title}'s {source.method} ({one})"
            return f"{target.title} has no filter like {method}. It has: {'; '.join(there)}."
    return f"{target.title} has this filter ({asked[0]}), but no call that applies it in the same way."


def _filters(target: Syntax, cases: list[Case]) -> Iterator[str]:
    for spec in variants(target):
        for case in cases[:_MAX_CASES]:
            request = Request(spec.dialect, spec.method, spec.antialias, *case, None, spec.options)
            yield filter_name(dialects.get(target.dialect).formula(request))


def notes_on(
    source: ResizeSpec, target: ResizeSpec, image: str, origin: Syntax, syntax: Syntax, case: Case
) -> tuple[str, ...]:
    """Return the notes of a translation."""
    found = []
    if origin.layout != syntax.layout and not syntax.any_dialect and not origin.any_dialect:
        found.append(f"{image} is {origin.layout} in {origin.title}, and {syntax.layout} in {syntax.title}.")
    one, other = try_plan(source, case.input_size), try_plan(target, case.input_size)
    titles = (origin.title, syntax.title)
    compared = one is not None and other is not None and source.dialect != target.dialect
    return tuple(filter(None, [*found, syntax.note, _uint8_note(one, other, titles) if compared else ""]))  # type: ignore[arg-type]


def _uint8_note(one: Plan, other: Plan, titles: tuple[str, str]) -> str:
    """Return how uint8 results of two libraries compare where the weights are the same."""
    if one.is_selection:
        return ""
    try:
        first, second = (plan.arithmetic(_UINT8) for plan in (one, other))
    except UnsupportedError as error:
        return f"{error}."
    if first.result != second.result:
        kinds = ["stays uint8" if each.result == _UINT8 else f"becomes {each.result}" for each in (first, second)]
        return f"uint8 {kinds[0]} in {titles[0]}, and {kinds[1]} in {titles[1]}."
    if not all(_is_bit_exact(plan) for plan in (one, other)):
        return "uint8 is rounded differently, and may differ."
    if first == second:
        return "uint8 is the same, bit for bit."
    clipped = [name for name, each in zip(titles, (first, second), strict=True) if each.intermediate == _UINT8]
    if len(clipped) == 1 and any(bool((taps.weights < 0).any()) for taps in one.taps):
        return f"uint8 may differ, since {clipped[0]} clips it between its two passes."
    return "uint8 may differ by 1: it is rounded differently."


def _is_bit_exact(plan: Plan) -> bool:
    """Return whether the dialect promises the uint8 results of its framework, bit for bit."""
    contract = dialects.get(plan.request.dialect).contract
    return contract is not None and plan.request.method in contract.bit_exact
