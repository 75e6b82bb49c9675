"""The programs in examples/ run, and every Python block of the README alone, with the packages that it installs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import page_blocks
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_block_of_the_readme_runs_alone(tmp_path: Path) -> None:
    alone = [
        f"```python\nexec({block.text!r}, {{'__name__': '__main__'}})\n```\n"
        for block in page_blocks.blocks(README)
        if block.language == "python"
    ]
    assert len(alone) >= 4
    commands = [f"`pip install {name}`" for name in page_blocks.installs(README)]
    done = page_blocks.run("\n".join(commands + alone), tmp_path)
    assert done.returncode == 0, done.stderr
