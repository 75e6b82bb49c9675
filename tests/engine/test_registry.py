"""The registry of dialects: an error inside a dialect's file is not an unknown name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import sizewise as sw
from sizewise.dialects import _registry


def test_an_import_error_inside_a_dialect_is_not_an_unknown_name(override: Callable[..., None]) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError("No module named 'else'", name="else")

    override(_registry, import_module=fail)
    with pytest.raises(ModuleNotFoundError, match="else"):
        sw.dialects.get("some_dialect_of_this_test")
