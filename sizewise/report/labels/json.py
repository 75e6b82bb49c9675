"""Checks of labels as JSON: one object with stable keys."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ...insight.label_check import LabelCheck
from ...labels.mapping import ImageMap


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
        "maps": [_map(one) for one in facts.maps.values()],
        "formulas": [dataclasses.asdict(one) for one in facts.formulas.values()],
        "problems": [dataclasses.asdict(one) for one in facts.problems],
    }
    return json.dumps(record, allow_nan=False)


def _map(one: ImageMap) -> dict[str, Any]:
    facts = {"input_size": one.input_size, "output_size": one.output_size, "resized": one.resized}
    return {**facts, "scale": one.scale, "shift": one.shift, "deviation": one.geometry.deviation}
