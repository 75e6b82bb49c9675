"""The documentation: every link leads somewhere, the reference is current, and the index names every page."""

from __future__ import annotations

import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
MAX_README_LINES = 150


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, by GitHub's rule."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def broken_links(page: Path, text: str) -> list[str]:
    """Return the links of a page to files or headings that do not exist."""
    broken = []
    for link in LINK.findall(without_code(text)):
        target, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        file = page.parent / target if target else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


def test_control_a_broken_link_is_found() -> None:
    text = "[a](README.md) [b](missing.md) [c](README.md#missing) [d](https://example.org) `[e](missing.md)`"
    assert broken_links(ROOT / "README.md", text) == ["missing.md", "README.md#missing"]


def test_the_page_of_commands_is_current() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_commands.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run: python docs/make_commands.py"


def test_the_index_links_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    unlisted = [page for page in (ROOT / "docs").rglob("*.md") if page.resolve() not in linked | {index.resolve()}]
    assert [page.relative_to(ROOT).as_posix() for page in unlisted] == []


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < MAX_README_LINES


def test_the_map_of_the_house_is_current() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:sizewise|tests|benchmarks|docs)/[\w/.-]*)`", text)
    assert len(paths) > 30
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(("part", "least"), [("the_same_pixel", 20), ("found_again", 1)])
def test_long_runs_select_tests_by_names_that_exist(part: str, least: int) -> None:
    (command,) = re.findall(rf"-k {part} .*", (ROOT / "Makefile").read_text(encoding="utf-8"))
    paths = [ROOT / name for name in re.findall(r"tests/\S+", command)]
    files = [file for path in paths for file in ([path] if path.is_file() else path.glob("test_*.py"))]
    names = [name for file in files for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8"))]
    assert sum(part in name for name in names) >= least
