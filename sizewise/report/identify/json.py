"""An identification as JSON: one object with stable keys."""

from __future__ import annotations

import json
from typing import Any

from ...insight.candidates import Candidate
from ...insight.identification import Group, Identification


def as_json(facts: Identification) -> str:
    """Return an identification as one JSON object on one line."""
    record = {
        "input_size": list(facts.input_size),
        "output_size": list(facts.output_size),
        "channels": facts.channels,
        "dtype": facts.dtype,
        "status": facts.status,
        "fits": facts.fits,
        "confidence": facts.confidence,
        "verdict": facts.verdict,
        "jpeg": facts.jpeg or None,
        "groups": [_group(group) for group in facts.groups],
        "lines": dict(facts.lines),
        "notes": list(facts.notes),
        "tried": facts.tried,
    }
    return json.dumps(record, allow_nan=False)


def _group(group: Group) -> dict[str, Any]:
    error = group.error
    return {
        "ways": [_candidate(spec) for spec in group.specs],
        "identical": error.identical,
        "pixels": error.pixels,
        "percent": group.percent,
        "largest": error.largest,
        "residual": error.residual,
    }


def _candidate(spec: Candidate) -> dict[str, Any]:
    return {
        "label": spec.label,
        "dialect": spec.dialect,
        "library": spec.library,
        "method": spec.method,
        "antialias": spec.antialias,
        "options": dict(spec.options),
        "scale": spec.scale and spec.scale[0],
        "finish": spec.finish or None,
    }
