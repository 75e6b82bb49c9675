"""Backends: one file per array library: how to read its arrays, apply a plan to them, and differentiate that.

A backend is named after the library's root package and found from the type of the caller's array, so that no library is
imported unless its arrays are used. It defines:

- `AXES`: the axes resized by default in arrays of rank 3 and more;
- `array(x)`: return x as an array with a `shape` (None for a length that a graph leaves open); raise if its elements
  cannot be resized;
- `dtype(x)`: return the NumPy dtype of its elements;
- `prepare(plan, x, axes, engine)`: return a function of (x, out, threads) that applies the plan to arrays like x. Its
  derivative is the same with `plan.T`, and forward mode the same with `plan.linear`;
- `LAZY`, if results are computed later, in chunks, and may be larger than memory;
- `known(given, name)`, if graphs leave values open: return the argument `name`, a value of the library, as an integer,
  a float or an array of such; or raise ArgumentError and say what to give instead.

There are two engines. The kernel engine is Sizewise's own and reads memory that NumPy can see. The framework engine
(`_ops_engine.py`) applies the plan by the library's own ops, for other devices and for compilers. A backend chooses by
the device of the array, unless `engine` is given; nothing is copied from one device to another.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from types import ModuleType
from typing import Any

from ..axes import CHANNELS_LAST as CHANNELS_LAST
from ..errors import CONVERSION_ERRORS, ArgumentError, ArgumentTypeError, MissingExtraError, unknown_name
from ..fork_safety import import_module

ENGINES = ("kernel", "framework")


@cache
def names() -> tuple[str, ...]:
    """Return the libraries that have a backend.

    >>> "numpy" in names()
    True
    """
    pkgutil = import_module("pkgutil")
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")))


@cache
def _backend_for_type(kind: type) -> ModuleType:
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        if root == "numpy" or root in ROOTS or root in names():
            return _load(ROOTS.get(root, root))
    if issubclass(kind, (list, tuple, int, float)):  # array-likes become NumPy arrays
        return _load("numpy")
    if hasattr(kind, "__array_namespace__"):
        return _load("array_api")
    if issubclass(kind, (str, os.PathLike)):
        raise ArgumentTypeError(f"cannot resize a {kind.__name__}; open the file first: PIL.Image.open(path)")
    known = ", ".join(["numpy", *(name for name in names() if name != "numpy")])
    raise ArgumentTypeError(f"cannot resize a {kind.__module__}.{kind.__name__}; use an array of: {known}")


# Packages whose arrays belong to a backend of another name.
ROOTS = {"jaxlib": "jax", "cupy": "array_api", "PIL": "pillow"}


def _load(name: str) -> ModuleType:
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as missing:
        root = (missing.name or "").partition(".")[0]
        if root in ("", "sizewise"):
            raise
        raise MissingExtraError(f"resizing arrays of {name} ({root} is missing)", name.replace("_", "-")) from missing


def backend_for(x: Any) -> ModuleType:
    """Return the backend of an array.

    >>> import numpy as np
    >>> backend_for(np.zeros(3)).AXES
    (-3, -2)
    """
    return _backend_for_type(type(x))  # type: ignore[arg-type]  # mypy takes a class for unhashable


def require_engine(engine: object) -> str | None:
    """Return the name of an engine, or None for the one that suits the array; raise for other values.

    >>> require_engine("kernel")
    'kernel'
    """
    if engine is None or (isinstance(engine, str) and engine in ENGINES):
        return engine
    raise unknown_name("engine", engine, ENGINES)


def known(given: Any, name: str) -> Any:
    """Return the value of an argument that may be a library's own; raise if its graph leaves the value open.

    >>> known(4, "size")
    4
    """
    if given is None or isinstance(given, (int, float, tuple, list)):
        return given
    try:
        backend = backend_for(given)
    except CONVERSION_ERRORS:  # of no library
        return given
    return backend.known(given, name) if hasattr(backend, "known") else given


def concrete(given: Any, name: str) -> Any:
    """Return sizes or scales in which every value of a library is known; see `known`.

    >>> concrete((4, 5), "size")
    (4, 5)
    """
    given = known(given, name)
    if isinstance(given, (tuple, list)) and not {*map(type, given)} <= {int, float}:
        return tuple(known(entry, name) for entry in given)
    return given


def concrete_arguments(verb: str, arguments: tuple[Any, ...]) -> Any:
    """Return the arguments of a call with its size and scale made concrete."""
    size, method, scale, *others = arguments
    if scale is None and type(size) is tuple and {*map(type, size)} == {int}:  # the usual case
        return arguments
    name = "size" if verb == "resize" else "input_size"
    return concrete(size, name), method, concrete(scale, "scale"), *others


def is_torch_compiling() -> bool:
    """Return whether torch.compile traces the caller, in code that it can trace itself.

    It cannot trace plan building, so public functions ask this first.
    """
    torch = sys.modules.get("torch")
    # While another thread imports PyTorch, the module is there without its contents.
    return torch is not None and hasattr(torch, "compiler") and torch.compiler.is_compiling()


def refuse_out(out: object, owner: str) -> None:
    """Raise if `out` is given where results are always new arrays."""
    if out is not None:
        raise ArgumentError(f"out cannot be used with {owner}: results are new arrays; leave it out")
