"""docs/how-to/audit.md: its code runs and prints the output of the page."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from sizewise.cli.app import run

TEXT = (Path(__file__).parents[2] / "docs" / "how-to" / "audit.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with the model of the page."""
    monkeypatch.chdir(tmp_path)
    exec(blocks("python")[0], {})
    return tmp_path


def test_commands_print_the_output_of_the_page(folder, command):
    first, second, _ = blocks("console")
    line, _, shown = first.partition("\n")
    assert line.startswith("$ sizewise ")
    assert command(*line.removeprefix("$ sizewise ").split()) == (0, shown, "")
    assert second == "$ sizewise audit demo.onnx --fail-on high > /dev/null; echo $?\n1\n"
    assert run(["audit", "demo.onnx", "--fail-on", "high", "--json"]) == 1


def test_the_fit_is_that_of_the_page(folder, command):
    exec(blocks("python")[1], {})
    line, _, shown = blocks("console")[2].partition("\n")
    code, out, err = command(*line.removeprefix("$ sizewise ").split())
    first, findings = shown.split("[...]\n")
    assert (code, err) == (0, "")
    assert out.startswith(first) and findings in out


def test_watch_prints_the_output_of_the_page(folder):
    printed = StringIO()
    with redirect_stdout(printed):
        exec(blocks("python")[2], {})
    [shown] = blocks("text")
    text = re.sub(r"PyTorch [\d.]+", "PyTorch", printed.getvalue())
    assert text == re.sub(r"PyTorch [\d.]+", "PyTorch", shown)
