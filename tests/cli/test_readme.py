"""The README: every command in it runs, on a photo, a thumbnail and a model."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = "".join(re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL))
COMMANDS = re.findall(r"^sizewise (.*?)(?: +#.*)?$", SHELL, flags=re.MULTILINE)
INSTALLS = re.findall(r"^pip install \"sizewise\[([\w,-]+)\]\"", SHELL, flags=re.MULTILINE)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return a folder with the files that the commands name; the model is that of docs/how-to/audit.md."""
    monkeypatch.chdir(tmp_path)
    images = ROOT / "docs" / "images"
    shutil.copy(images / "scene.png", "photo.jpg")
    shutil.copy(images / "scene-small.png", "small.png")
    page = (ROOT / "docs" / "how-to" / "audit.md").read_text(encoding="utf-8")
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], {})
    Path("demo.onnx").rename("model.onnx")


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[0])
def test_commands_run(command, files, line):
    code, out, err = command(*shlex.split(line))
    assert code == (1 if "--fail-on" in line else 0), err  # the model has findings of severity high
    assert out + err


def test_every_shell_line_is_checked():
    lines = [line for line in SHELL.splitlines() if line]
    assert len(lines) == len(COMMANDS) + len(INSTALLS)
    assert {line.split()[0] for line in COMMANDS} >= {"audit", "compare", "identify", "translate", "golden", "parity"}


def test_extras_exist():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(f"\n{extra} = [" in text for extras in INSTALLS for extra in extras.split(","))
