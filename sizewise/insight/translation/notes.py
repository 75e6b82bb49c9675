"""Notes: what else to mind when one call replaces another: memory layout, and results of uint8."""

from __future__ import annotations

import numpy as np

from ... import dialects
from ...errors import UnsupportedError
from ...plan import Plan
from ...resize_spec import ResizeSpec
from .equivalence import Case, try_plan
from .syntax import Syntax

_UINT8 = np.dtype(np.uint8)


def notes_on(
    source: ResizeSpec, target: ResizeSpec, image: str, origin: Syntax, syntax: Syntax, case: Case
) -> tuple[str, ...]:
    """Return the notes of a translation."""
    found = []
    if origin.layout != syntax.layout and not syntax.any_dialect and not origin.any_dialect:
        found.append(f"{image} is {origin.layout} in {origin.title}, and {syntax.layout} in {syntax.title}.")
    one, other = try_plan(source, case.input_size), try_plan(target, case.input_size)
    compared = one is not None and other is not None and source.dialect != target.dialect
    return tuple(filter(None, [*found, syntax.note, _uint8_note(one, other) if compared else ""]))  # type: ignore[arg-type]


def _uint8_note(one: Plan, other: Plan) -> str:
    """Return how uint8 results compare where the weights are the same."""
    if one.is_selection:
        return ""
    try:
        first, second = (plan.arithmetic(_UINT8) for plan in (one, other))
    except UnsupportedError as error:
        return f"{error}."
    names = [plan.request.dialect for plan in (one, other)]
    if first.result != second.result:
        kinds = ["stays uint8" if each.result == _UINT8 else f"becomes {each.result}" for each in (first, second)]
        return f"uint8 {kinds[0]} in {names[0]}, and {kinds[1]} in {names[1]}."
    if not all(_is_bit_exact(plan) for plan in (one, other)):
        return "uint8 is rounded differently, and may differ."
    if first == second:
        return "uint8 is the same, bit for bit."
    clipped = [name for name, each in zip(names, (first, second), strict=True) if each.intermediate == _UINT8]
    if len(clipped) == 1 and any(bool((taps.weights < 0).any()) for taps in one.taps):
        return f"uint8 may differ, since {clipped[0]} clips it between its two passes."
    return "uint8 may differ by 1: it is rounded differently."


def _is_bit_exact(plan: Plan) -> bool:
    """Return whether the dialect promises the uint8 results of its framework, bit for bit."""
    contract = dialects.get(plan.request.dialect).contract
    return contract is not None and plan.request.method in contract.bit_exact
