"""docs/how-to/preprocess.md: its blocks run in order, and its command prints the output of the page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "preprocess.md"


def test_blocks_run(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "page.py").write_text("\n".join(blocks))
    python = [sys.executable, "page.py"]
    done = subprocess.run(python, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    command, output = re.search(r"```sh\n(sizewise .*?)\n```\n\n```text\n(.*?)\n```", text, re.DOTALL).groups()
    arguments = [sys.executable, "-m", *command.split()]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[0] == output
