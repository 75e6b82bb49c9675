"""The examples run, and every Python block of the README and of the pages, with the packages that each names."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import hide_packages
import pytest
from samples import sample

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Pages that other tests run: one is generated from calls, the blocks of the other read files that its commands write.
ELSEWHERE = {"framework-faults.md", "resize-files.md"}


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


PAGES = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.name not in ELSEWHERE and blocks(path.read_text(encoding="utf-8"))
]


def test_examples_and_blocks_are_found() -> None:
    assert EXAMPLES
    assert blocks(README)
    assert PAGES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def installs(text: str) -> list[str]:
    """Return the packages of every `pip install` in a page; without one, Sizewise alone."""
    commands = re.findall(r"pip install\s((?:[\w.,\[\]-]+|\"[^\"]+\"| )+)", text)
    found = [name.strip('"') for command in commands for name in command.split() if not name.startswith("-")]
    return ["sizewise", *(re.sub(r"^\.(?=\[|$)", "sizewise", name) for name in found)]


def run_page(text: str, requirements: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the blocks of a page in one process that sees these packages only."""
    command = [sys.executable, hide_packages.__file__, *hide_packages.missing(requirements)]
    code = "\n".join(doctest.script_from_examples(one) if one.startswith(">>>") else one for one in blocks(text))
    return subprocess.run(command, input=code, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("page", sample(PAGES, 2), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_runs_with_the_packages_it_names(page: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")  # whose images some read
    text = page.read_text(encoding="utf-8")
    done = run_page(text, installs(text), tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_block_of_the_readme_runs_alone(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    alone = "".join(f"```python\nexec({one!r}, {{'__name__': '__main__'}})\n```\n" for one in blocks(README))
    done = run_page(alone, installs(README), tmp_path)
    assert done.returncode == 0, done.stderr


def test_control_a_package_of_no_extra_is_missing(tmp_path: Path) -> None:
    code = "```python\nimport dask.array as da\nda.ones(4).to_zarr({})\n```"
    done = run_page(code, ["sizewise[dask]"], tmp_path)
    assert done.returncode != 0 and "No module named 'zarr'" in done.stderr
    assert "No module named 'dask'" in run_page(code, ["sizewise"], tmp_path).stderr
    assert run_page("```python\nimport dask.array, numpy\n```", ["sizewise[dask]"], tmp_path).returncode == 0


def test_control_packages_of_a_page_are_read() -> None:
    text = 'Do `pip install .`, or `pip install ".[cli,audit]" torch`; else `pip install -U "sizewise[dask]"`.'
    assert installs(text) == ["sizewise", "sizewise", "sizewise[cli,audit]", "torch", "sizewise[dask]"]
