"""Dialects: how each framework chooses its taps and its arithmetic, one file each.

A dialect is a record of functions. The registry finds the files of this folder, so that a new dialect is one new file.
Dialects do not import kernels, plans or frameworks.
"""

from __future__ import annotations

import inspect
from typing import Any

from .. import deprecation
from ..errors import unknown_name
from ..fork_safety import import_module
from . import _registry
from ._arithmetic import Arithmetic, FixedPoint, IntegerTaps, Reduction, TwoPassInteger, float_arithmetic, is_floating
from ._dialect import Dialect, Fill, FittedSize, per_axis
from ._formula import Formula
from ._options import OpenOption, flag_option, float_option, per_axis_option
from ._request import OptionItems, Options, Request, request_to_text, scale_and_translation
from ._suggestions import suggest_dialect

__all__ = [
    "Arithmetic", "Dialect", "Fill", "FittedSize", "FixedPoint", "Formula", "IntegerTaps", "OpenOption", "OptionItems",
    "Options", "Reduction", "Request", "TwoPassInteger", "flag_option", "float_arithmetic", "float_option", "get",
    "is_floating", "names", "notes", "per_axis", "per_axis_option", "request_to_text", "scale_and_translation",
]  # fmt: skip
__dir__ = __all__.copy


def names() -> tuple[str, ...]:
    """Return the names of all dialects.

    >>> "tfjs" in names()
    True
    """
    return _registry.all_names()


def get(name: object) -> Dialect:
    """Return the dialect of that name; case is ignored.

    >>> get("standard").methods["bilinear"]
    (True, False)
    """
    dialect = _registry.find(name.lower()) if isinstance(name, str) else None
    if dialect is None:
        raise unknown_name("dialect", name, names(), suggest_dialect(name))
    return dialect


def notes(name: object) -> str:
    """Return the documentation of a dialect: how close it is to its framework, and where it differs.

    >>> notes("tfjs").splitlines()[0]
    'TensorFlow.js, CPU backend: coordinates in float64, as JavaScript computes them.'
    """
    return inspect.getdoc(import_module(f"{__name__}.{_registry.file_of(get(name).name)}")) or ""


def __getattr__(name: str) -> Any:
    return globals()[deprecation.new_name(name, deprecation.DIALECTS, f"module {__name__!r}")]
