"""Notes: what besides the weights to mind where one call takes the place of another."""

from __future__ import annotations

import numpy as np

from ... import dialects
from ...errors import UnsupportedError
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
    """How results of uint8 compare, where weights are the same."""
    if one.is_selection:
        return ""
    try:
        first, second = (plan.arithmetic(_BYTES) for plan in (one, other))
    except UnsupportedError as error:
        return f"{error}."
    names = [plan.request.dialect for plan in (one, other)]
    if first.result != second.result:
        kinds = ["stays uint8" if each.result == _BYTES else f"becomes {each.result}" for each in (first, second)]
        return f"uint8 {kinds[0]} in {names[0]}, and {kinds[1]} in {names[1]}."
    if not all(_is_promised(plan) for plan in (one, other)):
        return "uint8 is rounded otherwise, and may differ."
    if first == second:
        return "uint8 is the same, bit for bit."
    clipped = [name for name, each in zip(names, (first, second), strict=True) if each.intermediate == _BYTES]
    if len(clipped) == 1 and any(bool((taps.weights < 0).any()) for taps in one.taps):
        return f"uint8 may differ, since {clipped[0]} clips it between its two passes."
    return "uint8 may differ by 1: it is rounded otherwise."


def _is_promised(plan: Plan) -> bool:
    """Return whether the dialect promises the uint8 results of its framework, bit for bit."""
    contract = dialects.get(plan.request.dialect).contract
    return contract is not None and plan.request.method in contract.bit_exact
