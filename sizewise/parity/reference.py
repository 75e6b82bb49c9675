"""References: the real frameworks that dialects reproduce, each behind one function of a channels-last image."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .. import dialects
from ..dialects import Request
from ..dialects._contract import Contract
from . import references

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Reference:
    """The framework behind a dialect.

    `resize(x, request)` returns the framework's result for an image x of shape (height, width, channels), or with as
    many axes before the channels as the framework supports; `gradient(x, dy, request)` the framework's gradient. Both
    raise the errors of the framework. `module` is the module to import. `since` is the first major release that the
    dialect reproduces, and `before` the first that it no longer does.

    `version` returns the installed release, or None, of a framework that is not a Python package.
    `case_fraction` is the part of the usual cases to compare: less than 1 for a framework that is slow for new shapes.
    """

    dialect: str
    module: str
    resize: Callable[[Array, Request], Array]
    gradient: Callable[[Array, Array, Request], Array] | None = None
    since: int = 0
    before: int | None = None
    case_fraction: float = 1.0
    version: Callable[[], str | None] | None = None

    @property
    def contract(self) -> Contract:
        """Return the contract of the dialect."""
        contract = dialects.get(self.dialect).contract
        assert contract is not None, f"{self.dialect} has a reference, and no contract"
        return contract

    @property
    def ulp(self) -> Mapping[str, float]:
        """Return the largest allowed difference of float32 results, by method."""
        return self.contract.ulp

    @property
    def gradient_ulp(self) -> Mapping[str, float]:
        """Return the largest allowed difference of gradients, by method."""
        return self.contract.gradient_ulp

    def gradient_or_none(self, x: Array, dy: Array, request: Request) -> Array | None:
        """Return the framework's gradient, or None if it has none for the method."""
        if self.gradient is None or request.method not in self.gradient_ulp:
            return None
        return self.gradient(x, dy, request)

    def is_installed(self) -> bool:
        """Return whether the framework is installed, in a release that the dialect reproduces."""
        if self.version is not None:
            return self.version() is not None
        if importlib.util.find_spec(self.module) is None:
            return False
        if self.since == 0 and self.before is None:
            return True
        major = int(importlib.import_module(self.module).__version__.partition(".")[0])
        return self.since <= major and (self.before is None or major < self.before)


@cache
def _all() -> dict[str, Reference]:
    names = (f"{references.__name__}.{file.name}" for file in pkgutil.iter_modules(references.__path__))
    return {reference.dialect: reference for name in names for reference in importlib.import_module(name).REFERENCES}


def of(dialect: str) -> Reference:
    """Return the framework behind a dialect."""
    return _all()[dialect]


def known() -> tuple[str, ...]:
    """Return the dialects that have a framework to compare with."""
    return tuple(sorted(_all()))


def installed() -> tuple[str, ...]:
    """Return the dialects whose framework is installed, in a release that the dialect reproduces.

    >>> "pillow" in installed(), "standard" in installed()  # which has no framework
    (True, False)
    """
    return tuple(name for name in known() if of(name).is_installed())
