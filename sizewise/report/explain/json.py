"""An explanation as JSON: one object with stable keys."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from ...insight.axis import Axis
from ...insight.explanation import Explanation
from ...insight.variant import Variant

_MAX_VALUES = 64 * 64  # of a gradient, or of the weights of an axis


def as_json(facts: Explanation) -> str:
    """Return an explanation as one JSON object on one line."""
    record = {
        "input_size": list(facts.input_size),
        "output_size": list(facts.output_size),
        "variants": [_variant(one) for one in facts.variants],
        "notes": list(facts.notes),
    }
    return json.dumps(record, allow_nan=False)


def _variant(one: Variant) -> dict[str, Any]:
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
        "ratio": _finite(one.ratio),
        "variation": _finite(one.variation),
        "findings": [
            {"severity": found.severity, "message": found.message, "words": found.message} for found in one.findings
        ],
        "axes": [_axis(axis) for axis in one.axes],
    }
    if one.pixels <= _MAX_VALUES:
        record["gradient"] = one.gradient.tolist()
    else:
        record["note"] = f"gradient left out: {one.pixels:,} pixels are more than {_MAX_VALUES:,}"
    return record


def _axis(one: Axis) -> dict[str, Any]:
    place, response, taps = one.placement, one.response, one.taps
    record: dict[str, Any] = {
        "n_in": one.n_in,
        "n_out": one.n_out,
        "taps": [one.fewest, one.most],
        "sums": [one.least_sum, one.most_sum],
        "negative": one.negative,
        "empty": one.empty,
        "shift": place.shift,
        "shift_out": place.shift_out,
        "stretch": place.stretch,
        "limit": response.limit,
        "alias": response.alias,
        "alias_at": response.alias_at,
        "alias_share": response.alias_share,
        "frequency": [float(f"{number:.6g}") for number in response.frequency],
        "strength": [float(f"{number:.6g}") for number in response.strength],
    }
    if taps.weights.size <= _MAX_VALUES:
        runs = np.arange(taps.width) < taps.count[:, None]
        record["start"] = taps.start.tolist()
        record["weights"] = [row[run].tolist() for row, run in zip(taps.weights, runs, strict=True)]
    return record


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
