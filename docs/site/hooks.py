"""MkDocs hooks: pages that are not files of docs/, the navigation, and links that lead out of docs/.

Pages in docs/ are also read in the repository, so their links are paths of files. On the site, a link to a notebook, an
example, a source file or a page at the top of the repository leads to the page that shows it.
"""

from __future__ import annotations

import ast
import os
import re
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
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
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
    listing = "".join(f"- [{path.stem}]({path.stem}.md)\n" for path in sorted((ROOT / "examples").glob("*.py")))
    add_page(files, config, ROOT / "examples", "gallery/examples/README.md", f"# Example programs\n\n{listing}")
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
    if uri == "README.md":
        page.meta.update(hide=["navigation", "toc", "path"], title="Sizewise")
    if uri == "project/overview.md":
        page.meta["title"] = "Overview"
    if uri == "reference/README.md":
        markdown += "\n".join(api.index())
    origin = origins.get(uri, DOCS / uri)
    pieces = CODE.split(markdown_dialect.to_python_markdown(markdown))
    return "".join(piece if i % 2 else with_links(piece, origin, uri) for i, piece in enumerate(pieces))


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the HTML of a page with short cells of tables marked: a number stays on the line of its unit."""
    return SHORT_CELL.sub('<td class="short">', html)


def with_links(text: str, origin: Path, uri: str) -> str:
    """Return prose with each link to a file of the repository as a link to its page."""

    def replaced(match: re.Match[str]) -> str:
        before, link, anchor, after = match.groups()
        target = places.get(Path(os.path.normpath(origin.parent / link)))
        if target is None or re.match(r"\w+:", link):
            return match[0]
        return f"{before}{os.path.relpath(target, Path(uri).parent)}{anchor or ''}{after}"

    return LINK.sub(replaced, text)
