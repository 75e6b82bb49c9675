"""Descriptions of dialects as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ...insight.description import Description


def as_json(facts: Description | tuple[Description, ...]) -> str:
    """Return one description, or a list of them, as JSON on one line."""
    record: Any = asdict(facts) if isinstance(facts, Description) else [asdict(one) for one in facts]
    return json.dumps(record, allow_nan=False, default=dict)
