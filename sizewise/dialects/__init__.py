"""Dialects: how each framework chooses its taps and its arithmetic, one file each.

A dialect is a record of functions. The registry finds the files of this folder, so that a new dialect is one new file.
Dialects do not import kernels, plans or frameworks.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

from .. import deprecation
from ..errors import UnknownNameError
from ..fork_safety import import_module
from ._arithmetic import Arithmetic, FixedPoint, IntegerTaps, Reduction, TwoPassInteger, float_arithmetic, is_floating
from ._dialect import Dialect, per_axis
from ._dialect import Fill as Fill
from ._dialect import FittedSize as FittedSize
from ._formula import Formula
from ._grid import grids as grids
from ._grid import is_part as is_part
from ._options import OpenOption, flag_option, float_option, per_axis_option
from ._registry import file_of, names, unknown
from ._registry import find as find
from ._request import OptionItems as OptionItems
from ._request import Options as Options
from ._request import Request, scale_and_translation
from ._request import request_to_text as request_to_text

__all__ = [
    "Arithmetic", "Dialect", "FixedPoint", "Formula", "IntegerTaps", "OpenOption", "Reduction", "Request",
    "TwoPassInteger", "flag_option", "float_arithmetic", "float_option", "get", "is_floating", "names", "notes",
    "per_axis", "per_axis_option", "scale_and_translation",
]  # fmt: skip
__dir__ = __all__.copy


def get(name: object) -> Dialect:
    """Return the dialect of that name; case is ignored.

    >>> get("standard").methods["bilinear"]
    (True, False)
    """
    if isinstance(name, str):
        with contextlib.suppress(UnknownNameError):
            return find(name.lower())
    raise unknown(name)


def notes(name: object) -> str:
    """Return the documentation of a dialect: how close it is to its framework, and where it differs.

    >>> notes("tfjs").splitlines()[0]
    'TensorFlow.js, CPU backend: coordinates in float64, as JavaScript computes them.'
    """
    return inspect.getdoc(import_module(f"{__name__}.{file_of(get(name).name)}")) or ""


def __getattr__(name: str) -> Any:
    return globals()[deprecation.new_name(name, deprecation.DIALECTS, f"module {__name__!r}")]
