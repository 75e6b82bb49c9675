"""docs/how-to/explain.md: the commands of its table work, and its pictures exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to" / "explain.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| `(.*?)` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("line", [one for cell in LINES for one in cell.split("`, `")])
def test_commands_of_the_table_work(command, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(line.removeprefix("sizewise ").replace("...", "explain 32x24 8x6 --dialect torch"))
    arguments = (
        arguments if arguments[0] == "explain" else ["explain", "32x24", "8x6", "--dialect", "torch", *arguments]
    )
    assert command(*arguments)[0] == 0


def test_control_the_table_has_commands():
    assert len(LINES) == 7
    assert {path.name for path in (DOCS / "images").iterdir()} >= set(re.findall(r"images/([\w.-]+)", PAGE))
