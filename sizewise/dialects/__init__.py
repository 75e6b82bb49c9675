"""Dialects: how each framework chooses its taps and its arithmetic, one file each.

A dialect is a record of functions. The registry finds the files of this folder, so that a new dialect is one new file.
Dialects do not import kernels, plans or frameworks.
"""

from __future__ import annotations

import inspect
from functools import cache, lru_cache
from typing import Any

from .. import deprecation
from ..errors import unknown_name
from ..fork_safety import import_module
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


@cache
def names() -> tuple[str, ...]:
    """Return the names of all dialects.

    >>> "tfjs" in names()
    True
    """
    pkgutil = import_module("pkgutil")
    files = (module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(sorted(name for file in files for name in _load_file(file)))


def get(name: object) -> Dialect:
    """Return the dialect of that name; case is ignored.

    >>> get("standard").methods["bilinear"]
    (True, False)
    """
    dialect = _load(name.lower()) if isinstance(name, str) else None
    if dialect is None:
        raise unknown_name("dialect", name, names(), suggest_dialect(name))
    return dialect


def notes(name: object) -> str:
    """Return the documentation of a dialect: how close it is to its framework, and where it differs.

    >>> notes("tfjs").splitlines()[0]
    'TensorFlow.js, CPU backend: coordinates in float64, as JavaScript computes them.'
    """
    return inspect.getdoc(import_module(f"{__name__}.{_file_of(get(name).name)}")) or ""


@lru_cache(maxsize=64)
def _load(name: str) -> Dialect | None:
    """Return the dialect of that name, importing only its file; None if there is none."""
    file = _file_of(name)
    if not file.isidentifier() or file.startswith("_"):  # files with an underscore hold shared code
        return None
    try:
        return _load_file(file).get(name)
    except ModuleNotFoundError as missing:
        if missing.name == f"{__name__}.{file}":
            return None
        raise


@cache
def _load_file(file: str) -> dict[str, Dialect]:
    """Return the dialects of one file by name: its DIALECT, and OLDER ones as `name@version`."""
    module = import_module(f"{__name__}.{file}")
    return {dialect.name: dialect for dialect in (module.DIALECT, *getattr(module, "OLDER", ()))}


def _file_of(name: str) -> str:
    return name.partition("@")[0].replace("-", "_")


def __getattr__(name: str) -> Any:
    return globals()[deprecation.new_name(name, deprecation.DIALECTS, f"module {__name__!r}")]
