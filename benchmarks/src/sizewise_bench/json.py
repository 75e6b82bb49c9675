"""JSON of benchmark results: one object, stable keys; times are seconds."""

from __future__ import annotations

import json
import math
from typing import Any

from .runner import CaseResult, Results, Timing


def as_json(results: Results) -> str:
    """Return the results as one JSON object on one line.

    >>> from sizewise_bench.machine import this_machine
    >>> json.loads(as_json(Results(this_machine([], threads=2), 20, ())))["machine"]["threads"]
    2
    """
    machine = results.machine
    record = {
        "machine": {
            "processor": machine.processor,
            "cores": machine.cores,
            "threads": machine.threads,
            "versions": dict(machine.versions),
        },
        "rounds": results.rounds,
        "rows": [_row(row) for row in results.rows],
        "notes": list(results.notes),
    }
    return json.dumps(record, allow_nan=False)


def _row(row: CaseResult) -> dict[str, Any]:
    case = row.case
    return {
        "name": case.name,
        "shape": list(case.shape),
        "size": list(case.size),
        **{key: getattr(case, key) for key in ("method", "antialias", "gradient", "dtype", "layout", "dialect")},
        "entries": [_timing(timing) for timing in row.timings],
        "best_peer": row.best_peer.name if row.best_peer else None,
        "ahead": row.speedup,
        "of_copy_limit": row.copy_ratio,
        "refused": [str(mismatch) for mismatch in row.mismatches],
        "unable": list(row.errors),
    }


def _timing(timing: Timing) -> dict[str, Any]:
    return {
        "name": timing.name,
        "median": timing.median,
        "minimum": timing.minimum,
        "rounds": timing.rounds,
        "same_pixels": timing.same_pixels,
        "difference": timing.difference if math.isfinite(timing.difference) else None,
    }
