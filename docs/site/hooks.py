"""MkDocs hooks: pages that are not files of docs/, the navigation, and links that lead out of docs/.

Pages in docs/ are also read in the repository, so their links are paths of files. On the site, a link to a notebook, an
example, a source file or a page at the top of the repository leads to the page that shows it.
"""

from __future__ import annotations

import ast
import os
import re
import textwrap
from html import escape, unescape
from pathlib import Path

import api
import markdown_dialect
import navigation
import notebooks
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
SHORT_CELL = re.compile(r"<td>(?=(?:<(?:code|strong)>)?[^<]{1,14}(?:</(?:code|strong)>)?</td>)")
INLINE_CODE = re.compile(r"<code>[^<]*</code>")
OPTION = re.compile(r"(?<![\w-])--[\w-]+")
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
# Weights of pages in searches, 1 for others: those that teach and define come before those that list.
HIGH = ("tutorials/", "how-to/", "reference/dialects")
LOW = ("measurements/", "project/", "explanation/framework-faults")
# Files of the repository -> their pages on the site, and the reverse for pages that are not files of docs/.
places: dict[Path, str] = {}
origins: dict[str, Path] = {}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not files of docs/, and set the navigation."""
    places.clear()
    origins.clear()
    places.update({DOCS / file.src_uri: file.src_uri for file in files})
    for name in api.MODULES:
        places[api.source(name)] = f"reference/api/{name}.md"
    for uri, text in api.pages().items():
        files.append(File.generated(config, uri, content=text))
    for path, notebook in notebooks.all_outputs().items():
        text, pictures = notebooks.to_page(notebook, path.stem)
        add_page(files, config, path, f"gallery/{path.stem}.md", text)
        for name, picture in pictures.items():
            files.append(File.generated(config, f"gallery/{name}", content=picture))
    for path in sorted((ROOT / "examples").glob("*.py")):
        add_page(files, config, path, f"gallery/examples/{path.stem}.md", example(path))
    add_page(files, config, ROOT / "examples", "gallery/examples/README.md", examples())
    for path in sorted(ROOT.glob("*.md")):
        name = "overview" if path.stem == "README" else path.stem.lower()
        add_page(files, config, path, f"project/{name}.md", path.read_text(encoding="utf-8"))
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    links = {os.path.relpath(path, DOCS): uri for path, uri in places.items()}
    config.nav = navigation.navigation(index, [file.src_uri for file in files.documentation_pages()], links)
    return files


def add_page(files: Files, config: MkDocsConfig, path: Path, uri: str, text: str) -> None:
    """Add a page that shows a file of the repository."""
    places[path], origins[uri] = uri, path
    files.append(File.generated(config, uri, content=text))


def examples() -> str:
    """Return the page that lists the example programs."""
    pages = {path.stem: example(path) for path in sorted((ROOT / "examples").glob("*.py"))}
    titles = {stem: text.partition("\n")[0].removeprefix("# ") for stem, text in pages.items()}
    listing = "".join(f"- [{title}]({stem}.md)\n" for stem, title in titles.items())
    return f"# Example programs\n\nWhole programs, which the tests run:\n\n{listing}"


def example(path: Path) -> str:
    """Return the page of an example program: its docstring, then its code."""
    code = path.read_text(encoding="utf-8")
    tree = ast.parse(code)
    text = ast.get_docstring(tree) or path.stem
    title = re.split(r"[:.\n]", text)[0]
    body = "".join(code.splitlines(keepends=True)[tree.body[0].end_lineno :]).strip()
    return f"# {title}\n\n{text}\n\n`examples/{path.name}`:\n\n```python\n{body}\n```\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page with links to other files of the repository led to their pages."""
    uri = page.file.src_uri
    page.meta["search"] = {"boost": 2 if uri.startswith(HIGH) else 0.5 if uri.startswith(LOW) else 1}
    if uri == "README.md":
        page.meta.update(hide=["navigation", "toc", "path"])
    if uri == "project/overview.md":
        page.meta["title"] = "Overview"
    if uri in api.pages():
        page.meta["title"] = Path(uri).stem  # in full, unlike in the navigation
    if uri == "reference/README.md":
        markdown += "\n".join(api.index())
    origin = origins.get(uri, DOCS / uri)
    markdown = markdown.replace("```python\n>>> ", "```pycon\n>>> ")  # the lines without >>> are output
    pieces = CODE.split(markdown_dialect.to_python_markdown(markdown))
    return "".join(piece if i % 2 else with_links(piece, origin, uri) for i, piece in enumerate(pieces))


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the HTML of a page with what stays on one line marked: numbers with their units, names of options."""
    page.meta["description"] = description(html)
    if page.file.src_uri.startswith("measurements/"):
        html = html.replace("<table>", "<table data-search-exclude>")  # thousands of numbers, above what explains them
    if page.file.src_uri.startswith("reference/api/"):
        html = break_at_dots(html)
    return SHORT_CELL.sub('<td class="short">', mark_options(html))


def break_at_dots(html: str) -> str:
    """Return HTML whose title, the name of a module, may continue on another line after each dot."""
    return re.sub(r"(<h1[^>]*>)([\w.]+)", lambda title: title[1] + title[2].replace(".", ".<wbr>"), html, count=1)


def mark_options(html: str) -> str:
    """Return HTML with the names of options in inline code marked."""
    return INLINE_CODE.sub(lambda code: OPTION.sub(r'<span class="short">\g<0></span>', code[0]), html)


def description(html: str) -> str:
    """Return the text of a page's first paragraph, of at most 160 characters, for search engines."""
    paragraph = html.partition("<p>")[2].partition("</p>")[0]
    text = unescape(re.sub(r"<[^>]+>", "", paragraph)).rpartition("do not edit. ")[2]
    return escape(textwrap.shorten(text, 160, placeholder=" ..."))


def with_links(text: str, origin: Path, uri: str) -> str:
    """Return prose with each link to a file of the repository as a link to its page."""

    def replaced(match: re.Match[str]) -> str:
        before, link, anchor, after = match.groups()
        target = places.get(Path(os.path.normpath(origin.parent / link)))
        if target is None or re.match(r"\w+:", link):
            return match[0]
        return f"{before}{os.path.relpath(target, Path(uri).parent)}{anchor or ''}{after}"

    return LINK.sub(replaced, text)
