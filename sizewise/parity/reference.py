"""The real frameworks that dialects reproduce, each behind one function of an image with channels last."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..dialects import Request
from . import references

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Reference:
    """The framework behind a dialect, and what the dialect promises of it.

    `resize(x, request)` is the framework's own result for an image x of shape (height, width, channels), or of as many
    axes before its channels as it knows, and `gradient(x, dy, request)` the gradient that it reports itself; both raise
    what it raises. `module` is the one to import, and `package` the distribution that a user installs. `since` and
    `before` are the first major release that the dialect is of, and the first that it is not of any more.

    `version` gives the release that is installed, or None, of a framework that is no Python package.

    `share` is the part of the usual cases to compare it on: less than 1 for one that takes long over each shape.

    `ulp` is how far floats of float32 may be from the framework, by method, in units in the last place of the largest
    value; `gradient_ulp` the same of gradients. Methods in `whole` give the framework's uint8 bit for bit.
    """

    dialect: str
    module: str
    package: str
    resize: Callable[[Array, Request], Array]
    ulp: Mapping[str, float]
    gradient: Callable[[Array, Array, Request], Array] | None = None
    gradient_ulp: Mapping[str, float] = field(default_factory=dict)
    whole: tuple[str, ...] = ()
    since: int = 0
    before: int | None = None
    share: float = 1.0
    version: Callable[[], str | None] | None = None

    def is_installed(self) -> bool:
        """Whether the framework is here, in a release that the dialect is of."""
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
    files = (importlib.import_module(f"{references.__name__}.{file.name}") for file in _files())
    return {reference.dialect: reference for file in files for reference in file.REFERENCES}


def _files() -> list[pkgutil.ModuleInfo]:
    return list(pkgutil.iter_modules(references.__path__))


def of(dialect: str) -> Reference:
    """The framework behind a dialect.

    >>> of("torch").package
    'torch'
    """
    return _all()[dialect]


def known() -> tuple[str, ...]:
    """The dialects that have a framework.

    >>> "torch" in known()
    True
    """
    return tuple(sorted(_all()))


def installed() -> tuple[str, ...]:
    """The dialects whose framework is installed here.

    >>> set(installed()) <= set(_all())
    True
    """
    return tuple(sorted(one.dialect for one in _all().values() if one.is_installed()))
