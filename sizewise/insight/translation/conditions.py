"""Conditions: at which sizes two calls are the same, said in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .comparing import Case

Scales = tuple[float, ...] | None
Condition = tuple[str, Callable[[Case, Scales], bool]]


def _pairs(case: Case) -> Iterable[tuple[int, int]]:
    return zip(*case, strict=True)


def _always(case: Case, scales: Scales) -> bool:
    return True


def _many(case: Case, scales: Scales) -> bool:
    return min(case.output_size) > 1


def _changed(case: Case, scales: Scales) -> bool:
    return all(n_in != n_out for n_in, n_out in _pairs(case))


def _exact(case: Case, scales: Scales) -> bool:
    return scales is not None and all((n * one).is_integer() for n, one in zip(case.input_size, scales, strict=True))


def _growing(case: Case, scales: Scales) -> bool:
    return all(n_out >= n_in for n_in, n_out in _pairs(case))


def _shrinking(case: Case, scales: Scales) -> bool:
    return all(n_out <= n_in for n_in, n_out in _pairs(case))


def _times(case: Case, scales: Scales) -> bool:
    return all(n_out % n_in == 0 for n_in, n_out in _pairs(case))


def _parts(case: Case, scales: Scales) -> bool:
    return all(n_in % n_out == 0 for n_in, n_out in _pairs(case))


_MANY = ("every length of the result is above 1", _many)
# From the widest to the narrowest; each is tried alone, and then where no length of the result is 1.
_ALONE: tuple[Condition, ...] = (
    ("", _always),
    ("every length changes", _changed),
    ("the scale leaves no fraction of a pixel", _exact),
    ("no axis shrinks", _growing),
    ("no axis grows", _shrinking),
    ("every axis grows by a whole factor", _times),
    ("every axis shrinks by a whole factor", _parts),
)


def _and_many(one: Condition) -> Condition:
    said, holds = one
    text = f"{said}, and {_MANY[0]}" if said else _MANY[0]
    return text, lambda case, scales: holds(case, scales) and _many(case, scales)


_CONDITIONS = tuple(each for one in _ALONE for each in (one, _and_many(one)))


def kept(found: Sequence[tuple[Case, bool]], scales: Scales) -> tuple[tuple[str, ...], tuple[Case, ...]]:
    """The conditions under which all is well, and the cases that keep one of them; none where there are none.

    >>> grown, shrunk = Case((4, 5), (8, 9)), Case((8, 9), (4, 5))
    >>> kept([(grown, True), (Case((2, 2), (5, 5)), True), (shrunk, False)], None)[0]
    ('no axis shrinks',)
    """
    said, covered = list[str](), list[Case]()
    if not any(good for _, good in found):
        return (), ()
    for text, holds in _CONDITIONS:
        chosen = [(case, good) for case, good in found if holds(case, scales)]
        # Axes that keep their length tell nothing of others; where they are all there is, nothing else is asked.
        more = [case for case, _ in chosen if case not in covered and (len(found) == 1 or case[0] != case[1])]
        if all(good for _, good in chosen) and len(more) >= min(2, len(found)):
            said.append(text)
            covered += [case for case, _ in chosen if case not in covered]
        if len(covered) == len(found):
            break
    return tuple(said), tuple(covered)


def holds(name: str, case: Case, scales: Scales) -> bool:
    """Whether a case keeps the condition of that name.

    >>> holds("no axis shrinks", Case((4, 5), (8, 9)), None)
    True
    """
    return dict(_CONDITIONS)[name](case, scales)
