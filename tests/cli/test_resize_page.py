"""docs/how-to/resize-files.md: every command runs and prints the output of the page, except for the rate."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "resize-files.md"


def blocks() -> list[tuple[str, str]]:
    return re.findall(r"```(python|console)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def without_rate(text: str) -> str:
    return re.sub(r"[0-9.,]+ (files|images)/s", r"N \1/s", text)


def test_commands_print_the_output_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "sizewise"
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m sizewise "$@"\n')
    tool.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}"}
    names: dict[str, object] = {}
    commands = 0
    for kind, text in blocks():
        if kind == "python":
            exec(text, names)
            continue
        lines = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
        commands += len(lines)
        done = subprocess.run(
            ["sh", "-c", "\n".join(lines)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        shown = re.sub(r"^\$ .*\n", "", text, flags=re.MULTILINE)
        assert without_rate(done.stdout) == without_rate(shown)
    assert commands >= 9
