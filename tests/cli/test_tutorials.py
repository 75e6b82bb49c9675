"""docs/tutorials: the blocks of each page run in order, and its commands print the output of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
SHELL = 'sizewise() { "$PYTHON" -m sizewise "$@"; }\n'


def shell_output(line: str, folder: Path) -> str:
    """Return what a line of shell prints, on a terminal of 80 columns."""
    environment = {**os.environ, "PYTHON": sys.executable, "COLUMNS": "80"}
    shell = ["bash", "-c", SHELL + line]
    return subprocess.run(shell, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False).stdout


def run_page(text: str, folder: Path) -> list[str]:
    """Run the blocks of a page, and return their languages."""
    names: dict[str, object] = {"__name__": "__main__"}
    languages = []
    for language, block in BLOCK.findall(text):
        languages.append(language)
        if language == "python":
            exec(block, names)
        elif language == "console":
            line, _, shown = block.removeprefix("$ ").partition("\n")
            assert shell_output(line, folder) == shown
    return languages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    languages = run_page(page.read_text(encoding="utf-8"), tmp_path)
    assert "python" in languages
    assert set(languages) <= {"python", "console"}  # no block is left out


def test_control_another_output_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_page("```console\n$ sizewise --version\nsizewise 0\n```\n", tmp_path)
