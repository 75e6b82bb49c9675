"""Old names of public attributes: they work for one more release, with a DeprecationWarning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

PLAN = {
    "at": "for_dtype",
    "copies": "is_masked_selection",
    "outside": "fill",
    "picks": "is_selection",
    "placed": "bind",
    "text": "to_text()",
    "whole": "parent",
}
TAPS = {
    "copies": "is_masked_selection",
    "picks": "is_selection",
    "profile": "column_sums",
    "reach": "is_read",
    "reads": "input_range",
}
DIALECTS = {
    "Open": "OpenOption",
    "Stepwise": "TwoPassInteger",
    "Table": "IntegerTaps",
    "flag": "flag_option",
    "floating": "float_arithmetic",
    "number": "float_option",
    "numbers": "per_axis_option",
    "placed": "scale_and_translation",
}


def new_name(old: str, names: Mapping[str, str], owner: str) -> str:
    """Return the new name of an attribute, with a DeprecationWarning; raise AttributeError if it never existed."""
    if old not in names:
        raise AttributeError(f"{owner} has no attribute {old!r}")
    warnings.warn(f"{owner}: {old} is now {names[old]}", DeprecationWarning, stacklevel=3)
    return names[old]


class OldNames:
    """Base class of objects whose old attribute names still work. `dir` does not list them, nor do types know them."""

    _OLD_NAMES: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the attribute that had this name before."""
            new = new_name(name, self._OLD_NAMES, type(self).__name__)
            return getattr(self, new[:-2])() if new.endswith("()") else getattr(self, new)
