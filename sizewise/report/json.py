"""Facts as JSON, for machines: one object, stable keys, plain numbers."""

from __future__ import annotations

import json
from typing import Any

from ..insight.coverage import Coverage
from ..insight.explanation import Explanation

_MOST_PIXELS = 64 * 64


def explanation(facts: Explanation) -> str:
    """An explanation as one JSON object on one line.

    >>> from sizewise.insight.explanation import explain
    >>> json.loads(explanation(explain((16, 16), (4, 4))))["variants"][0]["percent"]
    6.25
    """
    record = {
        "input_size": list(facts.input_size),
        "output_size": list(facts.output_size),
        "variants": [_variant(one) for one in facts.variants],
        "notes": list(facts.notes),
    }
    return json.dumps(record, allow_nan=False)


def _variant(one: Coverage) -> dict[str, Any]:
    record: dict[str, Any] = {
        "label": one.label,
        "dialect": one.dialect,
        "method": one.method,
        "antialias": one.antialias,
        "options": dict(one.options),
        "input_size": list(one.input_size),
        "output_size": list(one.output_size),
        "reached": one.reached,
        "pixels": one.pixels,
        "percent": one.percent,
        "total": one.total,
        "largest": one.largest,
        "finding": one.finding,
    }
    if one.pixels <= _MOST_PIXELS:
        record["gradient"] = one.gradient.tolist()
    else:
        record["note"] = f"gradient left out: {one.pixels:,} pixels are more than {_MOST_PIXELS:,}"
    return record
