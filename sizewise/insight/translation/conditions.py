"""Conditions: the sizes at which two calls are the same, as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .equivalence import Case

Scales = tuple[float, ...] | None
Pairs = list[tuple[int, int]]  # input and output length of each axis
Condition = Callable[[Pairs, Scales], bool]


def _has_integer_lengths(pairs: Pairs, scales: Scales) -> bool:
    return scales is not None and all((n * one).is_integer() for (n, _), one in zip(pairs, scales, strict=True))


# From the widest to the narrowest; each is tried alone, and then together with _ABOVE_ONE.
_ABOVE_ONE = "every output length is above 1"
_ALONE: dict[str, Condition] = {
    "": lambda pairs, scales: True,
    "every length changes": lambda pairs, scales: all(n_in != n_out for n_in, n_out in pairs),
    "the scale leaves no fraction of a pixel": _has_integer_lengths,
    "no axis shrinks": lambda pairs, scales: all(n_out >= n_in for n_in, n_out in pairs),
    "no axis grows": lambda pairs, scales: all(n_out <= n_in for n_in, n_out in pairs),
    "every axis grows by an integer factor": lambda pairs, scales: all(n_out % n_in == 0 for n_in, n_out in pairs),
    "every axis shrinks by an integer factor": lambda pairs, scales: all(n_in % n_out == 0 for n_in, n_out in pairs),
}
_CONDITIONS = [text for alone in _ALONE for text in (alone, f"{alone}, and {_ABOVE_ONE}" if alone else _ABOVE_ONE)]


def find_conditions(found: Sequence[tuple[Case, bool]], scales: Scales) -> tuple[tuple[str, ...], tuple[Case, ...]]:
    """Return the conditions under which all cases are good, and the cases that meet one of them."""
    texts, covered = list[str](), list[Case]()
    if not any(good for _, good in found):
        return (), ()
    for text in _CONDITIONS:
        chosen = [(case, good) for case, good in found if holds(text, case, scales)]
        # Axes that keep their length tell nothing about others, unless there are no others.
        more = [case for case, _ in chosen if case not in covered and (len(found) == 1 or case[0] != case[1])]
        if all(good for _, good in chosen) and len(more) >= min(2, len(found)):
            texts.append(text)
            covered += [case for case, _ in chosen if case not in covered]
        if len(covered) == len(found):
            break
    return tuple(texts), tuple(covered)


def holds(text: str, case: Case, scales: Scales) -> bool:
    """Return whether a case meets a condition."""
    alone = text.removesuffix(_ABOVE_ONE).removesuffix(", and ")
    above_one = alone == text or min(case.output_size) > 1
    return above_one and _ALONE[alone](list(zip(*case, strict=True)), scales)
