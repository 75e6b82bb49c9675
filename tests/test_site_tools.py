"""The tools of the site in docs/site: navigation, Markdown of the repository, docstrings, public names."""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path

import pytest
from mkdocs.config import load_config

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "site"))
import api  # noqa: E402
import docstrings  # noqa: E402
import hooks  # noqa: E402
import markdown_dialect  # noqa: E402
import navigation  # noqa: E402

INDEX = """# Title

[Overview](../README.md)

## How-to: do it

[B](how-to/b.md), [A](how-to/a.md#part)

## Gallery

[One](gallery/one.ipynb)
"""


def test_the_navigation_is_that_of_the_index() -> None:
    pages = ["README.md", "gallery/one.md", "how-to/a.md", "how-to/b.md"]
    entries = navigation.navigation(INDEX, pages, {"gallery/one.ipynb": "gallery/one.md"})
    assert entries == [
        {"Home": "README.md"},
        {"How-to": ["how-to/b.md", "how-to/a.md"]},
        {"Gallery": ["gallery/one.md"]},
    ]


def test_a_page_that_the_index_does_not_link_is_in_the_section_of_its_folder() -> None:
    pages = ["how-to/b.md", "how-to/new.md", "gallery/examples/run.md", "other/new.md", "gallery/one.md"]
    entries = navigation.navigation(INDEX, pages, {"gallery/one.ipynb": "gallery/one.md"})
    assert entries[1:] == [
        {"How-to": ["how-to/b.md", "how-to/new.md"]},
        {"Gallery": ["gallery/one.md", {"Example programs": ["gallery/examples/run.md"]}]},
        {"Project": ["other/new.md"]},
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("- a\n  b\n  - c\n", "- a\n    b\n    - c\n"),
        ("- a\n\n  ```sh\n  b\n    c\n  ```\n", "- a\n\n    ```sh\n    b\n      c\n    ```\n"),
        ("text\n- a\n- b\n", "text\n\n- a\n- b\n"),
        ("text\n| a |\n|---|\n| b |\n", "text\n\n| a |\n|---|\n| b |\n"),
        ("```sh\na\n```\n```sh\nb\n```\n- c\n", "```sh\na\n```\n\n```sh\nb\n```\n\n- c\n"),
        ("```\n- a\n  b\n```\n", "```\n- a\n  b\n```\n"),
        ("1. a\n   b\n", "1. a\n   b\n"),
    ],
)
def test_markdown_of_the_repository(given: str, expected: str) -> None:
    assert markdown_dialect.to_python_markdown(given) == expected


def test_examples_of_docstrings_are_code() -> None:
    text = "Return <x>.\n\n>>> f(1)\n2\n\nMore."
    assert docstrings.to_markdown(text) == "Return &lt;x>.\n\n\n```pycon\n>>> f(1)\n2\n```\n\nMore."


@pytest.mark.parametrize("name", [name for name in api.MODULES if "compat" not in name] + ["sizewise.compat.tfjs"])
def test_the_names_that_are_read_are_those_of_the_module(name: str) -> None:
    public = getattr(importlib.import_module(name), "__all__", None)
    assert public is None or sorted(public) == sorted(api.exports(name))


def test_the_table_of_modules_links_each_of_them() -> None:
    table = (ROOT / "docs" / "reference" / "README.md").read_text(encoding="utf-8")
    paths = {name: api.source(name).relative_to(ROOT).as_posix() for name in api.MODULES}
    missing = {name for name, path in paths.items() if f"](../../{path})" not in table}
    assert missing == {"sizewise.compat.torchvision.functional"}  # which the page of its package links


def test_every_compat_module_has_a_page() -> None:
    folder = ROOT / "sizewise" / "compat"
    modules = {path.stem for path in folder.iterdir() if path.name[0] != "_"}
    assert {f"reference/api/sizewise.compat.{name}.md" for name in modules} <= set(api.pages())


def test_modules_are_listed_without_the_package() -> None:
    pages = ["reference/api/sizewise.md", "reference/api/sizewise.compat.torch.md"]
    listed = [pages[0], {"compat.torch": pages[1]}]
    assert navigation.with_groups(pages) == [{"Modules": listed}]


def test_the_addresses_are_those_of_the_package() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    config = load_config(str(ROOT / "mkdocs.yml"))
    assert (config.site_url, config.repo_url) == (urls["Documentation"], urls["Repository"])


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<h1>A</h1><p>The <a href="x">1st</a>\n<code>a &lt; "b"</code></p><p>B</p>', "The 1st a &lt; &quot;b&quot;"),
        ("<p>Made by <code>make x</code>: do not edit. It has rows.</p>", "It has rows."),
        (f"<p>{'word ' * 40}</p>", "word " * 31 + "..."),
        ("<ul></ul>", ""),
    ],
)
def test_a_description_is_the_first_paragraph(html: str, expected: str) -> None:
    assert hooks.description(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<code>a --fail-on x</code>", '<code>a <span class="short">--fail-on</span> x</code>'),
        ("<code>a--b</code> --c", "<code>a--b</code> --c"),
    ],
)
def test_names_of_options_stay_whole(html: str, expected: str) -> None:
    assert hooks.mark_options(html) == expected


def test_the_name_of_a_module_breaks_at_its_dots() -> None:
    assert hooks.break_at_dots('<h1 id="a.b">a.b.c<a>.</a></h1><p>d.e</p>') == (
        '<h1 id="a.b">a.<wbr>b.<wbr>c<a>.</a></h1><p>d.e</p>'
    )


def test_short_cells_are_marked() -> None:
    cells = ["11.6 ms", ">= 2.5", "<code>bilinear</code>", "<strong>missed</strong>"]
    others = ["a sentence that may be wrapped", "<a href='x'>name</a>", ""]
    for cell in cells + others:
        marked = f'<td class="short">{cell}</td>' if cell in cells else f"<td>{cell}</td>"
        assert hooks.SHORT_CELL.sub('<td class="short">', f"<td>{cell}</td>") == marked
