"""Navigation: the sections and order of docs/README.md; other pages follow in the section of their folder."""

from __future__ import annotations

import re
from collections.abc import Iterable

GROUPS = {"reference/api/": "Modules", "gallery/examples/": "Example programs"}
LINK = re.compile(r"\]\(([^)\s#]+)\)")


def sections(index: str) -> dict[str, list[str]]:
    """Return the links of each `## Title: what it is for` of the index, in order and once."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        found[title.partition(":")[0].strip()] = list(dict.fromkeys(LINK.findall(text)))
    return found


def section_of(page: str, known: dict[str, list[str]]) -> str:
    """Return the section of a page that no section links: that of its folder's other pages, or Project."""
    folder = page.partition("/")[0]
    for title, links in known.items():
        if any(link.startswith(f"{folder}/") for link in links):
            return title
    return "Project"


def navigation(index: str, pages: Iterable[str], places: dict[str, str]) -> list[dict[str, object]]:
    """Return the navigation of MkDocs; `places` maps a link of the index to its page if that has another path."""
    pages = [page for page in pages if page != "README.md"]
    known = {
        title: [place for link in links if (place := places.get(link, link)) in pages]
        for title, links in sections(index).items()
    }
    linked = {page for links in known.values() for page in links}
    for page in pages:
        if page in linked:
            continue
        known.setdefault(section_of(page, known), []).append(page)
    entries: list[dict[str, object]] = [{"Home": "README.md"}]
    for title, links in known.items():
        entries.append({title: with_groups(links)})
    return entries


def with_groups(links: list[str]) -> list[object]:
    """Return the pages of a section, those of a grouped folder under a title at the end."""
    entries: list[object] = [link for link in links if not link.startswith(tuple(GROUPS))]
    for folder, group in GROUPS.items():
        if inside := [link for link in links if link.startswith(folder)]:
            entries.append({group: [short_title(link) for link in inside]})
    return entries


def short_title(link: str) -> object:
    """Return a page of a grouped folder, that of a module under its name without the package."""
    name = link.rpartition("/")[2].removesuffix(".md").partition("sizewise.")[2]
    return {name: link} if name else link
