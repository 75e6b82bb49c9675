"""A translation as JSON: one object with stable keys."""

from __future__ import annotations

import json
from typing import Any

from ...insight.translation import Translation
from ...resize_spec import ResizeSpec


def as_json(facts: Translation) -> str:
    """Return a translation as one JSON object on one line."""
    near, rounding = facts.nearest, facts.rounding
    record = {
        "call": facts.call,
        "from": facts.source,
        "to": facts.to,
        "spec": _spec(facts.spec),
        "words": _spec(facts.spec),  # the key of earlier releases
        "input_size": facts.input_size,
        "result": facts.result,
        "result_spec": None if facts.target is None else _spec(facts.target),
        "result_words": None if facts.target is None else _spec(facts.target),
        "only_where": facts.condition or None,
        "compared_up_to": None if facts.check is None else facts.check.longest,
        "differing_lengths": None if facts.check is None else facts.check.differing,
        "rounding": None if rounding is None else vars(rounding),
        "notes": facts.notes,
        "reason": facts.reason or None,
        "nearest": None
        if near is None
        else {
            "call": near.call,
            "spec": _spec(near.spec),
            "words": _spec(near.spec),
            "differences": [vars(one) for one in near.differences],
            "off": near.off,
            "at": near.at,
        },
    }
    return json.dumps(record, allow_nan=False)


def _spec(spec: ResizeSpec) -> dict[str, Any]:
    size = None if spec.size is None else [one if isinstance(one, int) else {"times": one.by} for one in spec.size]
    return {
        "dialect": spec.dialect,
        "method": spec.method,
        "antialias": spec.antialias,
        "options": dict(spec.options),
        "size": size,
        "scale": spec.scale,
    }
