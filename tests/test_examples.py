"""The examples run, and so does every Python block of the README and of the pages, with what they say to install."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import hide_packages
import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Pages that other tests run: one is generated from calls, the blocks of the other read files that its commands write.
ELSEWHERE = {"framework-faults.md", "resize-files.md"}


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


BLOCKS = blocks(README)
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.name not in ELSEWHERE and blocks(path.read_text(encoding="utf-8"))
]


def test_there_is_something_to_run() -> None:
    assert EXAMPLES
    assert BLOCKS


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_readme_block(block: str) -> None:
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def installs(text: str) -> list[str]:
    """What a page says to install, by `pip install` in any of its lines; without one, Sizewise alone."""
    commands = re.findall(r"pip install\s((?:[\w.,\[\]-]+|\"[^\"]+\"| )+)", text)
    found = [word.strip('"') for command in commands for word in command.split() if not word.startswith("-")]
    return ["sizewise", *(re.sub(r"^\.(?=\[|$)", "sizewise", word) for word in found)]


def run_page(text: str, requirements: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Its blocks, one after the other, where nothing but that is installed."""
    command = [sys.executable, hide_packages.__file__, *hide_packages.missing(requirements)]
    code = "\n".join(doctest.script_from_examples(one) if one.startswith(">>>") else one for one in blocks(text))
    return subprocess.run(command, input=code, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_runs_with_what_it_says_to_install(page: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")  # whose images some read
    text = page.read_text(encoding="utf-8")
    done = run_page(text, installs(text), tmp_path)
    assert done.returncode == 0, done.stderr


def test_control_a_package_that_no_extra_brings_is_missed(tmp_path: Path) -> None:
    code = "```python\nimport dask.array as da\nda.ones(4).to_zarr({})\n```"
    done = run_page(code, ["sizewise[dask]"], tmp_path)
    assert done.returncode != 0 and "No module named 'zarr'" in done.stderr
    assert "No module named 'dask'" in run_page(code, ["sizewise"], tmp_path).stderr
    assert run_page("```python\nimport dask.array, numpy\n```", ["sizewise[dask]"], tmp_path).returncode == 0


def test_control_what_pages_say_to_install_is_read() -> None:
    text = 'Do `pip install .`, or `pip install ".[cli,audit]" torch`; else `pip install -U "sizewise[dask]"`.'
    assert installs(text) == ["sizewise", "sizewise", "sizewise[cli,audit]", "torch", "sizewise[dask]"]
