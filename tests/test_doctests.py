"""The examples in docstrings run, and every public name has one."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
from pathlib import Path

import pytest

import sizewise
import sizewise_bench
from sizewise import errors, filters, taps, testing


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


def public_names() -> list[tuple[str, object]]:
    """Functions and classes of the public surface: the package's exports, and what these modules define."""
    exported = [(f"sizewise.{name}", getattr(sizewise, name)) for name in sizewise.__all__]
    defined = [
        (f"{module.__name__}.{name}", value)
        for module in (errors, filters, taps, testing)
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return [(name, value) for name, value in exported + defined if inspect.isfunction(value) or inspect.isclass(value)]


@pytest.mark.parametrize(("name", "value"), public_names(), ids=[name for name, _ in public_names()])
def test_public_names_have_an_example(name: str, value: object) -> None:
    assert has_example(value), f"{name} has no example in its docstring"


def has_example(value: object) -> bool:
    return any(case.examples for case in doctest.DocTestFinder(recurse=False).find(value, "x", globs={}))


def test_control_a_name_without_an_example_is_seen() -> None:
    assert has_example(filters.get)
    assert not has_example(has_example)
    assert {"sizewise.resize", "sizewise.errors.ArgumentError"} <= {name for name, _ in public_names()}
