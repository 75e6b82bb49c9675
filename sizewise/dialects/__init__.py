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
from ._arithmetic import Arithmetic as Arithmetic
from ._arithmetic import FixedPoint as FixedPoint
from ._arithmetic import IntegerTaps as IntegerTaps
from ._arithmetic import Reduction as Reduction
from ._arithmetic import TwoPassInteger as TwoPassInteger
from ._arithmetic import float_arithmetic as float_arithmetic
from ._arithmetic import is_floating as is_floating
from ._dialect import Dialect as Dialect
from ._dialect import Fill as Fill
from ._dialect import FittedSize as FittedSize
from ._dialect import per_axis as per_axis
from ._formula import Formula as Formula
from ._options import OpenOption as OpenOption
from ._options import flag_option as flag_option
from ._options import float_option as float_option
from ._options import per_axis_option as per_axis_option
from ._request import OptionItems as OptionItems
from ._request import Options as Options
from ._request import Request as Request
from ._request import request_to_text as request_to_text
from ._request import scale_and_translation as scale_and_translation
from ._suggestions import suggest_dialect


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
