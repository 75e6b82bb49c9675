"""A comparison as JSON: one object with stable keys."""

from __future__ import annotations

import json
import math
from typing import Any

from ...insight.comparison import Comparison, Difference, Entry


def as_json(facts: Comparison) -> str:
    """Return a comparison as one JSON object on one line; PSNR is null where nothing differs."""
    record = {
        "input_size": list(facts.input_size),
        "output_size": list(facts.output_size),
        "dtype": facts.dtype,
        "range": facts.range,
        "variants": [_entry(entry) for entry in facts.entries],
        "notes": list(facts.notes),
    }
    return json.dumps(record, allow_nan=False)


def _entry(entry: Entry) -> dict[str, Any]:
    spec = entry.spec
    return {
        "label": spec.label,
        "dialect": spec.dialect,
        "source": spec.source,
        "method": spec.method,
        "antialias": spec.antialias,
        "options": dict(spec.options),
        "finish": spec.finish or None,
        "difference": _difference(entry.difference),
        "channels": [_difference(channel) for channel in entry.channels],
        "finding": entry.finding or None,
    }


def _difference(one: Difference) -> dict[str, float | None]:
    psnr = one.psnr if math.isfinite(one.psnr) else None
    return {"largest": one.largest, "mean": one.mean, "psnr": psnr, "percent": one.percent}
