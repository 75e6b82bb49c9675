"""Comparisons of recipes as JSON: one object with stable keys."""

from __future__ import annotations

import json
import math
from typing import Any

from ...preprocess import Preprocessor
from ...preprocess.comparison import Difference, RecipeComparison


def recipe_as_json(recipe: Preprocessor, size: tuple[int, int]) -> str:
    """Return the JSON form of a recipe, with the size after each step."""
    sizes = [list(one) for one in recipe.sizes(size)]
    return json.dumps({**recipe.to_dict(), "input_size": list(size), "sizes": sizes[1:]}, allow_nan=False)


def as_json(facts: RecipeComparison, tolerance: float) -> str:
    """Return a comparison as one JSON object on one line."""
    first = facts.first
    record = {
        "agrees": facts.agrees(tolerance),
        "tolerance": tolerance,
        "first": None if first is None else first.name,
        "difference": _difference(facts.difference),
        "label_distance": facts.label_distance,
        "steps": [
            {
                "step": row.name,
                "changes": list(row.changes),
                "shapes": [list(shape) for shape in row.shapes],
                "difference": _difference(row.difference),
            }
            for row in facts.steps
        ],
    }
    return json.dumps(record, allow_nan=False)


def _difference(one: Difference | None) -> dict[str, Any] | None:
    """Return a difference as a dictionary; an infinite one, which JSON does not have, is None."""
    if one is None:
        return None
    return {name: value if math.isfinite(value) else None for name, value in one._asdict().items()}
