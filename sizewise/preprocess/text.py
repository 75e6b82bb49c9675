"""Preprocessors as text: a table with one line per step."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from .size_rules import SizeRule
from .steps import Decode, Layout, Resize, Step


def table(steps: Sequence[Step]) -> str:
    """Return a table of steps."""
    rows = [(str(index), step.name, describe(step)) for index, step in enumerate(steps, 1)]
    width = max((len(name) for _, name, _ in rows), default=0)
    lines = [f"{number:>3}  {name:<{width}}  {what}".rstrip() for number, name, what in rows]
    return "\n".join([f"Preprocessor of {len(rows)} steps", *lines])


def describe(step: Step) -> str:
    """Return the parameters of a step in words.

    >>> from sizewise.preprocess import Normalize, Rescale
    >>> describe(Rescale(1 / 255)), describe(Normalize((0.5,), (0.25,)))
    ('scale=1/255', 'mean=0.5 std=0.25')
    """
    if isinstance(step, Resize):
        compute = "" if step.compute is None else f", computed in {step.compute}"
        return f"{describe_rule(step.rule)}, {step.spec.label}{compute}"
    if isinstance(step, Layout):
        return step.order
    if isinstance(step, Decode):
        behind = f", background={_format(step.background)}" if step.background else ""
        return f"{step.decoder}, {step.mode}, orientation={step.orientation}{behind}"
    return _fields(step)


def describe_rule(rule: SizeRule) -> str:
    """Return a size rule in words."""
    values = vars(rule)
    if rule.name == "exact":
        return f"{values['height']}x{values['width']}"
    return f"{rule.name} {_fields(rule)}"


def _fields(value: Any) -> str:
    texts = []
    for field in dataclasses.fields(value):
        given = getattr(value, field.name)
        if field.default is dataclasses.MISSING or given != field.default:
            texts.append(f"{field.name}={_format(given)}")
    return " ".join(texts)


def _format(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_format, value))
    if isinstance(value, float):
        inverse = 1 / value if value else 0.0
        is_reciprocal = inverse > 10 and abs(inverse - round(inverse)) < 1e-9
        return f"1/{inverse:.0f}" if is_reciprocal else f"{value:.8g}"
    return str(value)
