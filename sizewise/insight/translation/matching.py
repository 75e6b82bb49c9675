"""Matching: which of a framework's calls resize as another call does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from ... import dialects
from ...dialects import Formula
from ...errors import SizewiseError, UnsupportedError
from ...resize_spec import Factor, ResizeSpec
from .conditions import Scales, find_conditions
from .equivalence import Case, Relation, cases, relation, try_plan
from .syntax import Syntax, get, variants

_MIN_CASES = 4  # after which a call that agrees with none of them is given up
_ALMOST = 1.5  # how much farther off than the nearest a call with the same filter may be, to be preferred
_KINDS = {"mean": "box"}  # the same where a box covers whole pixels
_MIN_SHARE = 1 / 3  # of the cases, in which a call with another filter must be the same to count

Shape = tuple[tuple[int | Factor, ...] | None, Scales]


@dataclass(frozen=True)
class Match:
    """A call, and how it compares in each case.

    `conditions` say where it is the same ("" for everywhere), at the cases `covered`. `rounding` is one of these in
    which some outputs select a neighboring pixel.
    """

    spec: ResizeSpec
    found: tuple[tuple[Case, Relation], ...]
    conditions: tuple[str, ...]
    covered: tuple[Case, ...]
    rounding: Case | None = None

    @property
    def off(self) -> float:
        """The mean error of its weights."""
        return sum(one.off for _, one in self.found) / len(self.found)

    @property
    def sometimes(self) -> bool:
        """Whether it is the same at some sizes, however few."""
        return any(one.same and case.input_size != case.output_size for case, one in self.found)

    @property
    def worst(self) -> Case:
        """The case in which it differs most."""
        return max(self.found, key=lambda one: one[1].off)[0]


def scales_of(spec: ResizeSpec) -> Scales:
    """Return the scale of a call, also where its size is given as multiples of the input's."""
    if spec.scale is not None:
        return spec.scale
    by = [one.by for one in spec.size or () if isinstance(one, Factor)]
    return tuple(by) if by and len(by) == spec.axes else None


def formula(spec: ResizeSpec, case: Case) -> Formula | None:
    """Return the formula of a call in a case; None where it is refused."""
    plan = try_plan(spec, case.input_size)
    return None if plan is None else dialects.get(spec.dialect).formula(plan.request)


def _kinship(one: ResizeSpec, other: ResizeSpec, case: Case) -> int:
    """Return 0 for calls with the same filter, 1 where only its parameters differ, 2 for another filter."""
    mine, theirs = formula(one, case), formula(other, case)
    if mine is None or theirs is None:
        return 2
    if mine.kernel == theirs.kernel:
        return 0
    kinds = {_KINDS.get(kind, kind) for kind in (each.kernel.partition(",")[0] for each in (mine, theirs))}
    return 1 if len(kinds) == 1 else 2


def best(source: ResizeSpec, matches: list[Match]) -> Match | None:
    """Return the match that is the same in the most cases, if there is one.

    Another filter may agree by chance and does not count: at integer factors, bilinear may read the pixels of nearest.
    """
    fitting = [one for one in matches if one.covered]
    if any(len(one.found) > 1 for one in fitting):
        likely = (one for one in fitting if len(one.covered) >= _MIN_SHARE * len(one.found))
        related = (one for one in fitting if _kinship(source, one.spec, one.covered[0]) < 2)
        fitting = list(dict.fromkeys((*likely, *related)))
    return min(fitting, key=lambda one: (-len(one.covered), one.rounding is not None), default=None)


def nearest(source: ResizeSpec, matches: list[Match], case: Case) -> Match | None:
    """Return the match with the smallest error; of two that are almost as near, the one with the same filter."""
    least = min((one.off for one in matches), default=0.0)
    near = [one for one in matches if one.off <= _ALMOST * least]
    return min(near, key=lambda one: (_kinship(source, one.spec, case), one.off), default=None)


@cache
def nearest_of_kind(source: ResizeSpec, dialect: str) -> ResizeSpec | None:
    """Return the spec of another dialect with the same kind of filter that comes nearest, over many sizes.

    The same antialiasing comes first, then the same grid, then the error of the weights.
    """
    tried = cases(source, None)
    found = matches(source, get(dialect), tried, exact=False)
    shared = {one: sum(_kinship(source, one.spec, case) < 2 for case in tried[:_MIN_CASES]) for one in found}
    most = max(shared.values(), default=0)  # some calls use another filter to grow than to shrink
    related = [one for one, count in shared.items() if 0 < count == most]
    grid = _grid(source, tried[0])

    def key(one: Match) -> tuple[bool, bool, bool, float]:
        other = _grid(one.spec, tried[0])
        related_grid = other.removeprefix("symmetric ") == grid.removeprefix("symmetric ")
        return one.spec.antialias != source.antialias, not related_grid, other != grid, one.off

    chosen = min(related, key=key, default=None)
    return None if chosen is None else replace(chosen.spec, size=None, scale=None)


def _grid(spec: ResizeSpec, case: Case) -> str:
    stated = formula(spec, case)
    return "" if stated is None else grid_name(f"{stated.x}, {stated.step}")


def grid_name(coordinate: str) -> str:
    """Return the name of the grid of an expression for the coordinate of output `o`, with its step."""
    if "(n_in - 1)" in coordinate:
        return "aligned corners"
    if "o + 0.5" not in coordinate:
        return "an asymmetric grid"
    return "symmetric half-pixel centers" if "n_in / 2" in coordinate else "half-pixel centers"


def matches(source: ResizeSpec, target: Syntax, cases: list[Case], *, exact: bool) -> Iterator[Match]:
    """Yield calls of the target and how they compare, up to one that is the same in all cases.

    `exact` says that the cases are all that matter: rounding then counts as a difference.
    """
    if target.any_dialect:
        yield Match(source, tuple((case, Relation(True, 0.0)) for case in cases), ("",), tuple(cases))
        return
    candidates = _candidates(source, target, cases[0] if exact else None)
    for spec in sorted(candidates, key=lambda one: _kinship(source, one, cases[0])):
        found = list[tuple[Case, Relation]]()
        for case in cases:
            wanted = try_plan(source, case.input_size)
            assert wanted is not None
            found.append((case, relation(wanted, try_plan(spec, case.input_size))))
            if len(found) == _MIN_CASES and not any(one.near for _, one in found):
                break
        match = _match(spec, found, scales_of(source), exact)
        yield match
        if len(match.covered) == len(cases) and match.rounding is None:
            return  # none can be better


def _match(spec: ResizeSpec, found: list[tuple[Case, Relation]], scales: Scales, exact: bool) -> Match:
    """Return the match with the conditions under which it is the same, or the same up to rounding."""
    conditions, covered = find_conditions([(case, one.same) for case, one in found], scales)
    if not conditions and not exact:
        near, close = find_conditions([(case, one.near) for case, one in found], scales)
        rounded = [case for case, one in found if case in close and not one.same]
        if near and 2 * len(rounded) <= len(close):
            return Match(spec, tuple(found), near, close, rounded[0])
    return Match(spec, tuple(found), conditions, covered)


def _candidates(source: ResizeSpec, target: Syntax, case: Case | None) -> Iterator[ResizeSpec]:
    """Yield the calls that can be written: with the source's own options first, then all others."""
    plain, placed = _shapes(source, target, case)
    own = []
    with contextlib.suppress(SizewiseError):
        own = [ResizeSpec.of(target.dialect, source.method, source.antialias, source.unusual)]
    own = [spec for spec in own if not target.methods or spec.method in target.methods]
    for spec in dict.fromkeys((*own, *variants(target))):
        moved = dict(spec.options).get("translation") is not None
        found = [replace(spec, size=size, scale=scale) for size, scale in (placed if moved else plain)]
        if not moved:
            still = tuple({**dict(spec.options), "translation": source.unusual.get("translation", 0.0)}.items())
            found += [replace(spec, size=size, scale=scale, options=still) for size, scale in placed]
        yield from (one for one in found if _is_writable(one, target))


def _shapes(source: ResizeSpec, target: Syntax, case: Case | None) -> tuple[list[Shape], list[Shape]]:
    """Return the sizes and scales to try; and both together, where the target places the image by them."""
    size = source.size or tuple(map(Factor, source.scale or ())) if case is None else case.output_size
    plain: list[Shape] = [(size, None)]
    if source.scale is not None and source.size is None and target.scaled:
        plain.insert(0, (None, source.scale))
    places = source.scale is not None and "translation" in dialects.get(target.dialect).options
    return plain, [(size, source.scale)] if places else []


def _is_writable(spec: ResizeSpec, target: Syntax) -> bool:
    try:
        target.write(spec, "x")
    except UnsupportedError:
        return False
    return spec.axes in target.counts
