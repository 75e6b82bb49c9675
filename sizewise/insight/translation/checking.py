"""Checking: two calls compared at every input length up to a bound, before anything is said of all sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ...plan import Plan
from .comparing import Case, built, relation
from .conditions import Scales, holds
from .words import Words

MAX_PICKED = 256  # input lengths that calls are compared at which pick pixels: roundings decide there
MAX_MIXED = 64  # the same of those that mix them, whose weights change little by little
_MAX_LENGTH = 1024
_MAX_OUTPUTS = 1 << 21  # in all that are compared, so that large sizes do not take minutes


@dataclass(frozen=True)
class Check:
    """How two calls compare at every input length from 1 to `longest`: how many differ, and the first that does."""

    longest: int
    differing: int = 0
    first: Case | None = None

    @property
    def mostly(self) -> bool:
        """Whether they are the same at more than half of the lengths."""
        return 2 * self.differing < self.longest


def check(source: Words, target: Words, conditions: tuple[str, ...], scales: Scales) -> Check:
    """Compare two calls at every input length up to a bound at which one of the conditions holds.

    >>> from .words import made
    >>> one, other = made("tensorflow", "nearest", size=(41, 41)), made("torch", "nearest-exact", size=(41, 41))
    >>> check(one, other, ("",), None)
    Check(longest=256, differing=1, first=Case(input_size=(2,), output_size=(41,)))
    """
    pairs = {(_alone(source, axis), _alone(target, axis)): axis for axis in range(source.count)}
    checks = [_check(*pair, conditions, scales and scales[axis : axis + 1]) for pair, axis in pairs.items()]
    return max(checks, key=lambda one: (one.differing, -one.longest))


def _alone(words: Words, axis: int) -> Words:
    """A call along one of its axes, where no option speaks of all of them."""
    if any(isinstance(value, tuple) for _, value in words.options):
        return words
    one = slice(axis, axis + 1)
    return replace(words, size=words.size and words.size[one], scale=words.scale and words.scale[one])


@lru_cache(maxsize=256)
def _check(source: Words, target: Words, conditions: tuple[str, ...], scales: Scales) -> Check:
    longest, first, differing = _longest(source), None, 0
    for case, one in _cases(source, longest):
        if any(holds(name, case, scales) for name in conditions) and not relation(one, built(target, case[0])).same:
            differing, first = differing + 1, first or case
    return Check(longest, differing, first)


def _longest(source: Words) -> int:
    outputs = max((one for one in source.size or () if isinstance(one, int)), default=1)
    most = max(MAX_PICKED if source.method.startswith("nearest") else MAX_MIXED, 2 * outputs)  # so that some shrink
    return max(min(most, _MAX_OUTPUTS // outputs, _MAX_LENGTH), 16)


@lru_cache(maxsize=4)  # one call is compared with several
def _cases(source: Words, longest: int) -> list[tuple[Case, Plan]]:
    plans = (built(source, (n,) * source.count) for n in range(1, longest + 1))
    return [(Case(plan.input_size, plan.output_size), plan) for plan in plans if plan is not None]
