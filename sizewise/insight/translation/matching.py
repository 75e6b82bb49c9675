"""Matching: which of a framework's calls resize as another call does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ... import dialects
from ...dialects import Formula
from ...errors import SizewiseError, UnsupportedError
from .calls import Factor
from .comparing import Case, Relation, planned, relation
from .conditions import Scales, kept
from .syntax import Syntax, variants
from .words import Words

_PROBES = 4  # cases that a call which is like none of them is given up after
_ALMOST = 1.5  # how much farther off than the nearest a call of the same kind may be, and be named instead

_KINDS = {"mean": "box"}  # the same, where a box covers whole pixels
_WIDE = 1 / 3  # of the cases, in which a call with another filter must be the same to be worth telling

Options = tuple[tuple[str, object], ...]
Shape = tuple[tuple[int | Factor, ...] | None, Scales]


@dataclass(frozen=True)
class Match:
    """A call, and how it compares in each case.

    `conditions` say where it is the same ("" for everywhere), which are the cases `covered`. `rounding` is one of these
    in which some outputs pick the pixel beside.
    """

    words: Words
    found: tuple[tuple[Case, Relation], ...]
    conditions: tuple[str, ...]
    covered: tuple[Case, ...]
    rounding: Case | None = None

    @property
    def off(self) -> float:
        """How far its weights are from those asked for."""
        return sum(one.off for _, one in self.found) / len(self.found)

    @property
    def sometimes(self) -> bool:
        """Whether it is the same at some sizes, however few."""
        return any(one.same and case.input_size != case.output_size for case, one in self.found)

    @property
    def worst(self) -> Case:
        """The case in which it differs most."""
        return max(self.found, key=lambda one: one[1].off)[0]


def scales_of(words: Words) -> Scales:
    """The scale of a call, where it has one, also as factors of a size."""
    if words.scale is not None:
        return words.scale
    by = [one.by for one in words.size or () if isinstance(one, Factor)]
    return tuple(by) if by and len(by) == words.count else None


def formula(words: Words, case: Case) -> Formula | None:
    """The formula of a call in a case; None where it is refused."""
    plan = planned(words, case.input_size)
    return None if plan is None else dialects.get(words.dialect).formula(plan.request)


def _kinship(one: Words, other: Words, case: Case) -> int:
    """0 for calls of the same filter, 1 where only its numbers are others, 2 for another filter."""
    mine, theirs = formula(one, case), formula(other, case)
    if mine is None or theirs is None:
        return 2
    if mine.kernel == theirs.kernel:
        return 0
    kinds = {_KINDS.get(kind, kind) for kind in (each.kernel.partition(",")[0] for each in (mine, theirs))}
    return 1 if len(kinds) == 1 else 2


def best(source: Words, matches: list[Match]) -> Match | None:
    """The match that is the same in the most cases, if one is.

    Not if it is another filter, and the same by chance: at whole factors, bilinear may read the pixels of nearest.
    """
    fitting = [one for one in matches if one.covered]
    if any(len(one.found) > 1 for one in fitting):
        likely = (one for one in fitting if len(one.covered) >= _WIDE * len(one.found))
        related = (one for one in fitting if _kinship(source, one.words, one.covered[0]) < 2)
        fitting = list(dict.fromkeys((*likely, *related)))
    return min(fitting, key=lambda one: (-len(one.covered), one.rounding is not None), default=None)


def nearest(source: Words, matches: list[Match], case: Case) -> Match | None:
    """The match that is nearest to the call asked for; of two almost as near, the one with the same filter."""
    least = min((one.off for one in matches), default=0.0)
    near = [one for one in matches if one.off <= _ALMOST * least]
    return min(near, key=lambda one: (_kinship(source, one.words, case), one.off), default=None)


def matches(source: Words, target: Syntax, cases: list[Case], *, exact: bool) -> Iterator[Match]:
    """Calls of the target, and how they compare, up to one that is the same in all cases.

    `exact` says that the cases are all there are: roundings then count.
    """
    if target.any_dialect:
        yield Match(source, tuple((case, Relation(True, 0.0)) for case in cases), ("",), tuple(cases))
        return
    candidates = _candidates(source, target, cases[0] if exact else None)
    for words in sorted(candidates, key=lambda one: _kinship(source, one, cases[0])):
        found = list[tuple[Case, Relation]]()
        for case in cases:
            asked = planned(source, case.input_size)
            assert asked is not None
            found.append((case, relation(asked, planned(words, case.input_size))))
            if len(found) == _PROBES and not any(one.near for _, one in found):
                break
        match = _judged(words, found, scales_of(source), exact)
        yield match
        if len(match.covered) == len(cases) and match.rounding is None:
            return  # none can be better


def _judged(words: Words, found: list[tuple[Case, Relation]], scales: Scales, exact: bool) -> Match:
    """A match with the conditions under which it is the same; or else, but for roundings."""
    said, covered = kept([(case, one.same) for case, one in found], scales)
    if not said and not exact:
        near, close = kept([(case, one.near) for case, one in found], scales)
        rounded = [case for case, one in found if case in close and not one.same]
        if near and 2 * len(rounded) <= len(close):
            return Match(words, tuple(found), near, close, rounded[0])
    return Match(words, tuple(found), said, covered)


def _candidates(source: Words, target: Syntax, case: Case | None) -> Iterator[Words]:
    """The calls that can be written: with the source's own options first, and then in all other ways."""
    plain, placed = _shapes(source, target, case)
    for method, antialias, options in dict.fromkeys((*_carried(source, target), *variants(target))):
        moved = dict(options).get("translation") is not None
        words = Words(target.dialect, method, antialias, options, image=source.image)
        made = [replace(words, size=size, scale=scale) for size, scale in (placed if moved else plain)]
        if not moved:
            still = tuple({**dict(options), "translation": source.said.get("translation", 0.0)}.items())
            made += [replace(words, size=size, scale=scale, options=still) for size, scale in placed]
        yield from (one for one in made if is_writable(one, target))


def _shapes(source: Words, target: Syntax, case: Case | None) -> tuple[list[Shape], list[Shape]]:
    """The sizes and scales to ask the target for; and both together, where it places the image by them."""
    size = source.size or tuple(map(Factor, source.scale or ())) if case is None else case.output_size
    plain: list[Shape] = [(size, None)]
    if source.scale is not None and source.size is None and target.scaled:
        plain.insert(0, (None, source.scale))
    places = source.scale is not None and "translation" in dialects.get(target.dialect).options
    return plain, [(size, source.scale)] if places else []


def _carried(source: Words, target: Syntax) -> Iterator[tuple[str, bool, Options]]:
    """The source's own method and options, if the target knows them all."""
    chosen = dialects.get(target.dialect)
    try:
        method = chosen.resolve_method(source.method)
        if not target.methods or method in target.methods:
            yield method, chosen.resolve_antialias(method, source.antialias), chosen.fill_options(source.said)
    except SizewiseError:
        return


def is_writable(words: Words, target: Syntax) -> bool:
    """Whether the target has a way to write these words."""
    try:
        target.write(words)
    except UnsupportedError:
        return False
    return words.count in target.counts
