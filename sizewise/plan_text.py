"""Plans as text, the form in which compilers keep them in a graph."""

from __future__ import annotations

import weakref
from ast import literal_eval
from dataclasses import replace
from functools import lru_cache

import numpy as np

from .dialects import Request, request_to_text
from .plan import Plan, build, request_arithmetic

MAX_TEXTS = 128
_plans: weakref.WeakValueDictionary[tuple[object, ...], Plan] = weakref.WeakValueDictionary()


def to_text_without_sizes(kind: str, request: Request) -> str:
    """Return the text of a request without its sizes, which `from_text` then takes."""
    return request_to_text(kind, replace(request, input_size=(), output_size=()))


@lru_cache(maxsize=MAX_TEXTS)
def _parse(text: str) -> tuple[str, Request]:
    kind, fields = literal_eval(text)
    return kind, Request(*fields)


def from_text(text: str, input_size: tuple[int, ...] | None = None, output_size: tuple[int, ...] | None = None) -> Plan:
    """Return the plan of a text from `Plan.to_text`, for other sizes if these are given."""
    cached = _plans.get((text, input_size, output_size))
    if cached is not None:
        return cached
    kind, request = _parse(text)
    if input_size is not None and output_size is not None:
        forward = (output_size, input_size) if kind == "T" else (input_size, output_size)
        request = replace(request, input_size=forward[0], output_size=forward[1])
    plan = build(request)
    plan = {"T": plan.T, "linear": plan.linear, "whole": plan}[kind]
    _plans[text, input_size, output_size] = plan
    return plan


def transpose_text(text: str) -> str:
    """Return the text of the transpose of a text's plan."""
    kind, request = _parse(text)
    return request_to_text("linear" if kind == "T" else "T", request)


def result_dtype(text: str, dtype: np.dtype) -> np.dtype:
    """Return the dtype of the result of a text's plan for arrays of a dtype, for any sizes."""
    kind, request = _parse(text)
    return request_arithmetic(replace(request, input_size=(), output_size=()), kind == "T", dtype).result
