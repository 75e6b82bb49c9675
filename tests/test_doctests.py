"""The examples in docstrings run, and every public name has one."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sizewise
import sizewise_bench
from sizewise import dialects, errors, filters, taps

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "site"))
import api

# Modules in which names need an example that `__all__` does not list, if they have no underscore.
WHOLE = ("sizewise.errors", "sizewise.filters", "sizewise.taps", "sizewise.testing")


def modules_with_examples() -> list[str]:
    """Return the dotted names of the modules that have an example."""
    names = []
    for root in (Path(package.__file__).parent for package in (sizewise, sizewise_bench)):
        for path in sorted(root.rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(root.parent).with_suffix("").parts
                names.append(".".join(part for part in parts if part != "__init__"))
    return names


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def public_names(module: ModuleType) -> dict[str, object]:
    """Return the functions and classes of Sizewise that a module exports, and all it defines if it is in WHOLE."""
    names = set(api.exports(module.__name__) if module.__name__ in api.MODULES else ())
    if module.__name__ in WHOLE:
        names |= {name for name, value in vars(module).items() if name[0] != "_" and is_from(value, module.__name__)}
    values = {name: inspect.unwrap(getattr(module, name)) for name in sorted(names)}
    return {name: value for name, value in values.items() if is_from(value, "sizewise")}


def is_from(value: object, module: str) -> bool:
    """Return whether a value is a function or class of that module, or of one inside it."""
    place = value.__module__ if inspect.isfunction(value) or inspect.isclass(value) else ""
    return f"{place}.".startswith(f"{module}.")


@pytest.mark.parametrize("name", [*api.MODULES, "sizewise.taps"])
def test_public_names_have_an_example(name: str) -> None:
    names = public_names(importlib.import_module(name))
    assert names
    assert [one for one, value in names.items() if not has_example(value)] == []


def has_example(value: object) -> bool:
    return any(case.examples for case in doctest.DocTestFinder(recurse=False).find(value, "x", globs={}))


def test_examples_of_names_that_are_defined_on_first_use_run() -> None:
    module = importlib.import_module("sizewise.compat.onnx")
    (case,) = doctest.DocTestFinder(recurse=False).find(module.Resize, "Resize", globs=dict(vars(module)))
    assert doctest.DocTestRunner().run(case) == (0, 6)


def test_control_a_name_without_an_example_is_seen() -> None:
    assert has_example(filters.get)
    assert not has_example(has_example)
    assert {"resize", "audit", "Plan"} <= public_names(sizewise).keys()
    assert {"ArgumentError", "short_repr"} <= public_names(errors).keys()  # exported, and only defined
    assert {"Dialect", "names", "per_axis"} <= public_names(dialects).keys()  # defined elsewhere, also cached ones
    assert "np" not in public_names(taps) and "Taps" in public_names(taps)
