"""Plans as text: the form in which compilers keep them in a graph."""

from __future__ import annotations

import weakref
from ast import literal_eval
from dataclasses import replace
from functools import lru_cache

import numpy as np

from .dialects import Request
from .plan import Plan, arithmetic_of, build, write

MAX_TEXTS = 128
_plans: weakref.WeakValueDictionary[tuple[object, ...], Plan] = weakref.WeakValueDictionary()


def write_without_sizes(kind: str, request: Request) -> str:
    """Return the text of a request for any sizes; `read` is then given these."""
    return write(kind, replace(request, input_size=(), output_size=()))


@lru_cache(maxsize=MAX_TEXTS)
def _parse(text: str) -> tuple[str, Request]:
    kind, words = literal_eval(text)
    return kind, Request(*words)


def read(text: str, input_size: tuple[int, ...] | None = None, output_size: tuple[int, ...] | None = None) -> Plan:
    """Return the plan of a text, as `Plan.text` gives it; for other sizes, where these are given.

    >>> import sizewise as sw
    >>> text = sw.make_plan((4, 4), (2, 2), "area").T.text
    >>> read(text, (3, 3), (9, 9)) is sw.make_plan((9, 9), (3, 3), "area").T
    True
    """
    known = _plans.get((text, input_size, output_size))
    if known is not None:
        return known
    kind, request = _parse(text)
    if input_size is not None and output_size is not None:
        forward = (output_size, input_size) if kind == "T" else (input_size, output_size)
        request = replace(request, input_size=forward[0], output_size=forward[1])
    plan = build(request)
    found = {"T": plan.T, "linear": plan.linear, "whole": plan}[kind]
    _plans[text, input_size, output_size] = found
    return found


def transpose(text: str) -> str:
    """Return the text of the transpose of a text's plan.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((4, 4), (2, 2), "area")
    >>> transpose(plan.text) == plan.T.text and transpose(plan.T.text) == plan.text
    True
    """
    kind, request = _parse(text)
    return write("linear" if kind == "T" else "T", request)


def result(text: str, dtype: np.dtype) -> np.dtype:
    """Return the dtype that a text's plan makes of an array of a dtype, for any sizes.

    >>> import sizewise as sw
    >>> result(sw.make_plan((4, 4), (2, 2), dialect="tfjs").text, np.dtype(np.uint8))
    dtype('float32')
    """
    kind, request = _parse(text)
    return arithmetic_of(replace(request, input_size=(), output_size=()), kind == "T", dtype).result
