"""Backends: the arrays of one framework, and how to differentiate through a plan there; one file each.

A backend file is named after the framework's root package and is found from the type of the caller's array, so that
no framework is imported unless its arrays are used. It offers:

- `AXES`: the axes resized by default in arrays of rank 3 and more;
- `array(x)`: x as an array, with a `shape` (None for a length that a graph leaves open), once it is known to hold
  numbers that can be resized;
- `dtype(x)`: the NumPy dtype of such numbers;
- `prepare(plan, x, axes, engine)`: what applies the plan to arrays like x, as a function of (x, out, threads). Its
  derivative is the same with `plan.T`, and forward mode the same with `plan.linear`;
- `LAZY`, where it is true: results are made piece by piece, later, and may be larger than memory;
- `known(given, name)`, where there are values that a graph leaves open: an argument of that name that is one of the
  framework's own, as an integer, a float or an array of such; or ArgumentError that says what to give instead.

There are two engines. The kernel engine is ours: NumPy's memory, or what can be seen as such. The framework engine
(`_framework.py`) is the plan as the framework's own ops, for other devices and for compilers. A backend picks by where
the array is, unless told; nothing crosses from one device to another.
"""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

from ..errors import CONVERSION_ERRORS, ArgumentError, ArgumentTypeError, MissingExtraError, unknown_name
from ..fork_safety import import_module

ENGINES = ("kernel", "framework")
CHANNELS_LAST = (-3, -2)
Made = TypeVar("Made")


@cache
def names() -> tuple[str, ...]:
    """The frameworks there is a backend for.

    >>> "numpy" in names()
    True
    """
    pkgutil = import_module("pkgutil")
    return tuple(sorted(one.name for one in pkgutil.iter_modules(__path__) if not one.name.startswith("_")))


@cache
def _of_type(kind: type) -> ModuleType:
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        if root == "numpy" or root in ROOTS or root in names():
            return _load(ROOTS.get(root, root))
    if issubclass(kind, (list, tuple, int, float)):  # array-likes become NumPy arrays
        return _load("numpy")
    if hasattr(kind, "__array_namespace__"):
        return _load("array_api")
    if kind.__module__.partition(".")[0] == "PIL":
        instead = "use np.asarray(image), or sizewise.compat.pillow.resize(image, (width, height))"
        raise ArgumentTypeError(f"cannot resize a Pillow image as an array; {instead}")
    known = ", ".join(["numpy", *(name for name in names() if name != "numpy")])
    raise ArgumentTypeError(f"cannot resize a {kind.__module__}.{kind.__name__}; use an array of: {known}")


# Packages whose arrays belong to a backend of another name.
ROOTS = {"jaxlib": "jax", "cupy": "array_api"}


def _load(name: str) -> ModuleType:
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as missing:
        root = (missing.name or "").partition(".")[0]
        if root in ("", "sizewise"):
            raise
        raise MissingExtraError(f"resizing arrays of {name} ({root} is missing)", name.replace("_", "-")) from missing


def of(x: Any) -> ModuleType:
    """The backend of an array.

    >>> import numpy as np
    >>> of(np.zeros(3)).AXES
    (-3, -2)
    """
    return _of_type(type(x))  # type: ignore[arg-type]  # mypy takes a class for unhashable


def checked(engine: object) -> str | None:
    """An engine, or None for what suits the array.

    >>> checked("kernel")
    'kernel'
    """
    if engine is None or (isinstance(engine, str) and engine in ENGINES):
        return engine
    raise unknown_name("engine", engine, ENGINES)


def known(given: Any, name: str) -> Any:
    """Return the value of an argument that may be a framework's own; raise if its graph leaves the value open.

    >>> known(4, "size")
    4
    """
    if given is None or isinstance(given, (int, float, tuple, list)):
        return given
    try:
        backend = of(given)
    except CONVERSION_ERRORS:  # of no framework
        return given
    return backend.known(given, name) if hasattr(backend, "known") else given


def concrete(given: Any, name: str) -> Any:
    """Return an argument of sizes or scales with the values of frameworks as Python's own numbers.

    >>> concrete([4, 5], "size")
    [4, 5]
    """
    given = known(given, name)
    if isinstance(given, (tuple, list)) and not all(isinstance(entry, (int, float)) for entry in given):
        return tuple(known(entry, name) for entry in given)
    return given


def concrete_arguments(verb: str, arguments: tuple[Any, ...]) -> Any:
    """Return the arguments of a call with its size and scale made concrete."""
    size, method, scale, *others = arguments
    name = "size" if verb == "resize" else "input_size"
    return concrete(size, name), method, concrete(scale, "scale"), *others


def compiling() -> bool:
    """Whether PyTorch's compiler is reading the caller's code, rather than running it.

    It cannot read how plans are made. So it is asked first of all, in words that it can read.
    """
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def compiled(verb: str, x: Any, words: tuple[Any, ...], out: Any, threads: int | None, engine: str | None) -> Any:
    """A call inside PyTorch's compiler: a node of its graph, understood when the graph is made."""
    from . import torch as tensors

    if out is not None:
        raise ArgumentError("out cannot be used inside torch.compile; leave it out")
    return tensors.call(x, verb, words, threads, checked(engine))


def refuse_out(out: object, owner: str) -> None:
    """Raise if `out` is given where results are always new arrays."""
    if out is not None:
        raise ArgumentError(f"out cannot be used with {owner}, which makes arrays of its own; leave it out")
