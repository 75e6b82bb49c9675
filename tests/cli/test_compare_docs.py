"""docs/how-to/compare-and-identify.md: its commands print the output of the page, and its Python runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "compare-and-identify.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```console\n\$ sizewise (.*)\n((?:.*\n)*?)```", PAGE)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize(("line", "output"), SHOWN, ids=[line.split()[0] + str(i) for i, (line, _) in enumerate(SHOWN)])
def test_commands_print_the_output_of_the_page(command, monkeypatch, line, output):
    monkeypatch.chdir(ROOT)
    code, out, err = command(*shlex.split(line))
    assert (out, err) == (output, "")
    assert code == ("nothing fits" in out)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_runs(monkeypatch, block):
    monkeypatch.chdir(ROOT)
    exec(block, {})


def test_control_the_page_has_examples():
    assert (len(SHOWN), len(BLOCKS)) == (4, 2)
