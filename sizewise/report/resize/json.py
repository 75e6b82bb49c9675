"""Outcomes of resized files as JSON: one object per file with stable keys."""

from __future__ import annotations

import json
import os
from typing import Any

from ...files.batch import Outcome
from ...files.fit import Placement


def record(outcome: Outcome) -> str:
    """Return one line of JSON: sizes in array order, and the offset of the resized image in the result."""
    facts: dict[str, Any] = {
        "input": os.fspath(outcome.job.source),
        "output": os.fspath(outcome.job.target),
        "status": outcome.status,
    }
    placements = dict(outcome.placements)
    if placements.keys() == {""}:
        facts |= _sizes(placements[""])
    elif placements:
        facts["arrays"] = {key: _sizes(placement) for key, placement in placements.items()}
    if outcome.images is not None:
        failed = [{"name": one.name, "error": one.error} for one in outcome.failures]
        facts |= {"images": outcome.images, "failed": failed}
    if outcome.drafts:
        facts["draft"] = outcome.drafts[0][0] if outcome.images is None else dict(outcome.drafts)
    facts |= {"notes": list(outcome.notes), "error": outcome.error}
    return json.dumps(facts)


def _sizes(placement: Placement) -> dict[str, list[int]]:
    return {
        "input_size": list(placement.input_size),
        "resized": list(placement.size),
        "start": list(placement.start),
        "output_size": list(placement.output_size),
    }
