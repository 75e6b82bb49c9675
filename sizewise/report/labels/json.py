"""Checks of labels as JSON: one object with stable keys."""

from __future__ import annotations

import dataclasses
import json

from ...insight.label_check import LabelCheck


def as_json(facts: LabelCheck) -> str:
    """Return a check as one JSON object on one line; lengths are in output pixels, sizes are (height, width)."""
    record = {
        "fine": facts.is_fine,
        "tolerance": facts.tolerance,
        "files": facts.files,
        "images": facts.images,
        "formats": dict(facts.formats),
        "labels": dict(facts.kinds),
        "deviation": facts.deviation,
        "maps": [dataclasses.asdict(one) for one in facts.maps.values()],
        "formulas": [dataclasses.asdict(one) for one in facts.formulas.values()],
        "problems": [dataclasses.asdict(one) for one in facts.problems],
    }
    return json.dumps(record, allow_nan=False)
