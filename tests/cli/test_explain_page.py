"""docs/how-to/explain.md: its commands work and print the output of the page."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to" / "explain.md").read_text(encoding="utf-8")


def test_commands_print_the_output_of_the_page(command):
    shown = re.findall(r"```console\n\$ sizewise (.*?)\n(.*?)```", PAGE, re.DOTALL)
    assert len(shown) == 1
    for line, output in shown:
        assert command(*shlex.split(line)) == (0, output, "")


def test_python_examples_run():
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(code), {}, "explain.md", None, 0)
    outcome = doctest.DocTestRunner().run(test)
    assert (outcome.failed, outcome.attempted) == (0, 6)


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
