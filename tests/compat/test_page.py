"""The page on compat modules: its code blocks run, and its table names every function."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from sizewise import compat, dialects

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "frameworks" / "compat.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
ROWS = re.findall(r"^\| `sizewise\.compat\.(\w+)` \| (.*?) \| .*? \| (.*?) \|$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block(block: str) -> None:
    exec(compile(block, "block", "exec"), {})


def test_control_a_block_that_fails_is_seen() -> None:
    assert len(BLOCKS) == 10
    broken = BLOCKS[0].replace("(200, 320, 3)", "(320, 200, 3)")
    with pytest.raises(AssertionError):
        exec(compile(broken, "block", "exec"), {})


def test_every_module_is_in_the_table() -> None:
    there = {module.name for module in pkgutil.iter_modules(compat.__path__) if not module.name.startswith("_")}
    assert there <= {name for name, _, _ in ROWS}


@pytest.mark.parametrize(("name", "calls", "pixels"), ROWS, ids=[row[0] for row in ROWS])
def test_the_table_is_true(name: str, calls: str, pixels: str) -> None:
    assert set(re.findall(r"`([\w-]+)`", pixels)) <= set(dialects.names())
    if importlib.util.find_spec(f"sizewise.compat.{name}") is not None:
        module = importlib.import_module(f"sizewise.compat.{name}")
        assert all(hasattr(module, call) for call in re.findall(r"`(\w+)`", calls))
