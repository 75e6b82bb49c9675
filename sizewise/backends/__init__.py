"""Backends: the arrays of one framework, and how to differentiate through a plan there; one file each.

A backend file is named after the framework's root package and is found from the type of the caller's array, so that
no framework is imported unless its arrays are used. It offers:

- `AXES`: the axes resized by default in arrays of rank 3 and more;
- `array(x)`: x as an array, with a `shape` and a `dtype`, once it is known to hold numbers that can be resized;
- `prepare(plan, x, axes)`: what applies the plan to arrays like x, as a function of (x, out, threads);
- `apply(plan, x, axes, out, threads)`: the plan applied to x, as an array of x's own kind, whose derivative is
  `apply(plan.T, ...)`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import Any

from ..errors import DtypeError


@cache
def names() -> tuple[str, ...]:
    """The frameworks there is a backend for.

    >>> "numpy" in names()
    True
    """
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def _of_type(kind: type) -> ModuleType:
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        if root in names():
            return importlib.import_module(f".{root}", __name__)
    if issubclass(kind, (list, tuple, int, float)):  # array-likes become NumPy arrays
        return importlib.import_module(".numpy", __name__)
    known = ", ".join(["numpy", *(name for name in names() if name != "numpy")])
    raise DtypeError(f"cannot resize a {kind.__module__}.{kind.__name__}; use an array of: {known}")


def of(x: Any) -> ModuleType:
    """The backend of an array.

    >>> import numpy as np
    >>> of(np.zeros(3)).AXES
    (-3, -2)
    """
    return _of_type(type(x))  # type: ignore[arg-type]  # mypy takes a class for unhashable
