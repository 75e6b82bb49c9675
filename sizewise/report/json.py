"""Facts as JSON, for machines: one object, stable keys, plain numbers."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from ..parity import Parity
from ..parity import Row as Compared
from ..racing.race import Race, Row


def race(facts: Race) -> str:
    """A race as one JSON object on one line; times are seconds.

    >>> from sizewise.racing.machine import here
    >>> json.loads(race(Race(here([], threads=2), 20, ())))["machine"]["threads"]
    2
    """
    machine = facts.machine
    record = {
        "machine": {
            "processor": machine.processor,
            "cores": machine.cores,
            "threads": machine.threads,
            "versions": dict(machine.versions),
        },
        "rounds": facts.rounds,
        "rows": [_row(row) for row in facts.rows],
        "notes": list(facts.notes),
    }
    return json.dumps(record, allow_nan=False)


def parity(facts: Parity) -> str:
    """A parity sweep as one JSON object on one line.

    >>> json.loads(parity(Parity((("torch", "2.13.0"),), ())))["versions"]
    {'torch': '2.13.0'}
    """
    record = {
        "versions": dict(facts.versions),
        "kept": facts.kept,
        "missing": list(facts.missing),
        "rows": [_compared(row) for row in facts.rows],
    }
    return json.dumps(record, allow_nan=False)


def _compared(row: Compared) -> dict[str, Any]:
    measures = {name: getattr(row, name) for name in ("indices", "floats", "bytes", "gradient")}
    return {
        "dialect": row.dialect,
        "method": row.method,
        "antialias": row.antialias,
        "options": dict(row.options),
        "cases": row.cases,
        "kept": row.kept,
        **{name: one and {**asdict(one), "largest": _finite(one.largest)} for name, one in measures.items()},
        "failures": list(row.failures),
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _row(row: Row) -> dict[str, Any]:
    case = row.case
    return {
        "name": case.name,
        "shape": list(case.shape),
        "size": list(case.size),
        **{key: getattr(case, key) for key in ("method", "antialias", "gradient", "dtype", "layout", "dialect")},
        "entries": [
            {
                "name": entry.name,
                "median": entry.median,
                "minimum": entry.minimum,
                "rounds": entry.rounds,
                "same_pixels": entry.same,
                "difference": _finite(entry.difference),
            }
            for entry in row.entries
        ],
        "best_peer": row.best.name if row.best else None,
        "ahead": row.ahead,
        "of_copy_limit": row.of_limit,
        "refused": [str(refusal) for refusal in row.refusals],
        "unable": list(row.unable),
    }
