"""The pages of docs/: every block runs, in order, in an empty folder, with the packages that the page installs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import page_blocks
import pytest
from samples import sample

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# The calls of this page crash and hang other libraries: tests/dialects/test_framework_faults.py runs each on its own.
ELSEWHERE = {DOCS / "explanation" / "framework-faults.md"}
PAGES = [
    path
    for path in sorted(DOCS.rglob("*.md"))
    if path not in ELSEWHERE
    and any(block.language in ("python", "console", "sh") for block in page_blocks.blocks(path.read_text("utf-8")))
]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("page", sample(PAGES, 2), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_runs(page: Path, tmp_path: Path) -> None:
    done = page_blocks.run(page.read_text(encoding="utf-8"), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_installs_extras_that_exist(page: Path) -> None:
    named = [name for name in page_blocks.installs(page.read_text(encoding="utf-8")) if name.startswith("sizewise[")]
    assert {extra for name in named for extra in name[len("sizewise[") : -1].split(",")} <= EXTRAS.keys()


def test_pages_are_found() -> None:
    assert len(PAGES) >= 24
    every = {block.language for page in DOCS.rglob("*.md") for block in page_blocks.blocks(page.read_text("utf-8"))}
    assert every <= {"python", "console", "sh", "text", "javascript", "json", "yaml"}  # no block without a language


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```console\n$ sizewise --version\nsizewise 0\n```\n", "-sizewise 0"),
        ("```python\nassert 1 == 2\n```\n", "line 2 of the page"),
        ("```python\n>>> 1 + 1\n3\n\n```\n", "line 2 of the page"),
        ("```sh\nsizewise explain 4x4\n```\n", "sizewise explain 4x4: 2"),
        ("```sh\nfalse  # exit code 3\n```\n", "false: 1"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "+1"),
        ("```python\nimport torch\n```\n", "No module named 'torch'"),
        ("`pip install sizewise[dask]`\n```python\nimport dask.array, zarr\n```\n", "No module named 'zarr'"),
    ],
)
def test_control_a_faulty_block_is_found(page: str, message: str, tmp_path: Path) -> None:
    done = page_blocks.run(page, tmp_path)
    assert done.returncode != 0
    assert message in done.stderr


def test_control_a_page_that_is_right_passes(tmp_path: Path) -> None:
    page = """1. In a list, with `pip install "sizewise[dask]"`:

   ```python
   import dask.array, numpy
   print(1)
   ```

```text
1
```

```console
$ echo a; false
a
$ echo $?
1
$ printf 'a\\nb\\nc\\n'
a
[...]
$ echo 12.5 files/s
3 files/s
```

```sh
false  # exit code 1
pip install nothing
```
"""
    done = page_blocks.run(page, tmp_path)
    assert done.returncode == 0, done.stderr


def test_control_packages_of_a_page_are_read() -> None:
    text = 'Do `pip install .`, or `pip install ".[cli,audit]" torch`; else `pip install -U "sizewise[dask]"`.'
    assert page_blocks.installs(text) == ["sizewise", "sizewise", "sizewise[cli,audit]", "torch", "sizewise[dask]"]
    assert page_blocks.installs('```sh\npip install "sizewise[cli]"     # the library\n```') == [
        "sizewise",
        "sizewise[cli]",
    ]
