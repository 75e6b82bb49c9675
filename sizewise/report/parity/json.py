"""JSON of a parity sweep: one object, stable keys."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...parity.sweep import Measure, Parity, Row


def as_json(facts: Parity) -> str:
    """Return a parity sweep as one JSON object on one line."""
    record = {
        "versions": dict(facts.versions),
        "passed": facts.passed,
        "kept": facts.passed,  # the key of earlier releases
        "missing": list(facts.missing),
        "rows": [_row(row) for row in facts.rows],
    }
    return json.dumps(record, allow_nan=False)


def _row(row: Row) -> dict[str, Any]:
    return {
        "dialect": row.dialect,
        "method": row.method,
        "antialias": row.antialias,
        "options": dict(row.options),
        "cases": row.cases,
        "passed": row.passed,
        "kept": row.passed,
        **{name: _measure(getattr(row, name)) for name in ("indices", "floats", "bytes", "gradient")},
        "failures": list(row.failures),
    }


def _measure(measure: Measure | None) -> dict[str, Any] | None:
    """Return the measure as a dictionary; an infinite difference, which JSON does not have, is None."""
    if measure is None:
        return None
    return {**asdict(measure), "largest": measure.largest if math.isfinite(measure.largest) else None}
