"""Notes: what besides the weights to mind where one call takes the place of another."""

from __future__ import annotations

import numpy as np

from ...plan import Plan
from .comparing import Case, planned
from .syntax import Syntax
from .words import Words

_BYTES = np.dtype(np.uint8)


def of(source: Words, target: Words, origin: Syntax, syntax: Syntax, case: Case) -> tuple[str, ...]:
    """The notes of a translation."""
    found = []
    if origin.layout != syntax.layout and not syntax.any_dialect and not origin.any_dialect:
        found.append(f"{source.image} is {origin.layout} in {origin.title}, and {syntax.layout} in {syntax.title}.")
    if syntax.note:
        found.append(syntax.note)
    one, other = planned(source, case.input_size), planned(target, case.input_size)
    if one is not None and other is not None and source.dialect != target.dialect:
        said = _bytes(one, other)
        if said:
            found.append(said)
    return tuple(found)


def _bytes(one: Plan, other: Plan) -> str:
    """How results of uint8 differ, though weights do not."""
    first, second = (plan.arithmetic(_BYTES) for plan in (one, other))
    if one.picks or first == second:
        return ""
    if first.result != second.result:
        kinds = [
            f"{'stays uint8' if each.result == _BYTES else f'becomes {each.result}'} in {plan.request.dialect}"
            for each, plan in ((first, one), (second, other))
        ]
        return f"uint8 {', and '.join(kinds)}."
    overshoots = any(bool((taps.weights < 0).any()) for taps in one.taps)
    between = [_rounds_between(plan) for plan in (one, other)]
    if between[0] != between[1] and overshoots:
        which = (one if between[0] else other).request.dialect
        return f"The weights are the same; uint8 may differ where {which} clips overshoots between its two passes."
    return "The weights are the same; uint8 may differ by 1, for it is rounded otherwise."


def _rounds_between(plan: Plan) -> bool:
    arithmetic = plan.arithmetic(_BYTES)
    return arithmetic.between == _BYTES
