"""Exhaustive check: two calls compared at every input length up to a bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ...plan import Plan
from ...resize_spec import ResizeSpec
from .conditions import Scales, holds
from .differences import Difference, compare_formulas
from .equivalence import Case, build_plan, relation

MAX_NEAREST = 256  # input lengths at which calls that select pixels are compared: rounding decides there
MAX_FILTERED = 64  # the same for calls that filter, whose weights change gradually
_MAX_LENGTH = 1024
_MAX_OUTPUTS = 1 << 21  # over all comparisons, so that large sizes do not take minutes


@dataclass(frozen=True)
class Check:
    """How two calls compare at input lengths from 1 to `longest`: how many differ, and the first that does, and how."""

    longest: int
    differing: int = 0
    first: Case | None = None
    difference: Difference | None = None

    @property
    def mostly(self) -> bool:
        """Whether they are the same at more than half of the lengths."""
        return 2 * self.differing < self.longest


def check(source: ResizeSpec, target: ResizeSpec, conditions: tuple[str, ...], scales: Scales) -> Check:
    """Compare two calls at every input length up to a bound at which one of the conditions holds."""
    if any(isinstance(value, tuple) for _, value in (*source.options, *target.options)):
        return _check(source, target, conditions, scales)  # an option with values for all axes
    pairs = {(_along(source, axis), _along(target, axis)): axis for axis in range(source.axes)}
    checks = [_check(*pair, conditions, scales and scales[axis : axis + 1]) for pair, axis in pairs.items()]
    return max(checks, key=lambda one: (one.differing, -one.longest))


def _along(spec: ResizeSpec, axis: int) -> ResizeSpec:
    one = slice(axis, axis + 1)
    return replace(spec, size=spec.size and spec.size[one], scale=spec.scale and spec.scale[one])


@lru_cache(maxsize=256)
def _check(source: ResizeSpec, target: ResizeSpec, conditions: tuple[str, ...], scales: Scales) -> Check:
    longest, first, differing = _longest(source), None, 0
    for case, one in _cases(source, longest):
        applies = any(holds(name, case, scales) for name in conditions)
        if applies and not relation(one, build_plan(target, case.input_size)).same:
            differing, first = differing + 1, first or case
    return Check(longest, differing, first, first and compare_formulas(source, target, first)[-1])


def _longest(source: ResizeSpec) -> int:
    outputs = max((one for one in source.size or () if isinstance(one, int)), default=1)
    bound = MAX_NEAREST if source.method.startswith("nearest") else MAX_FILTERED
    return max(min(max(bound, 2 * outputs), _MAX_OUTPUTS // outputs, _MAX_LENGTH), 16)  # 2 * outputs: some shrink


@lru_cache(maxsize=4)  # one call is compared with several
def _cases(source: ResizeSpec, longest: int) -> list[tuple[Case, Plan]]:
    plans = (build_plan(source, (n,) * source.axes) for n in range(1, longest + 1))
    return [(Case(plan.input_size, plan.output_size), plan) for plan in plans if plan is not None]
