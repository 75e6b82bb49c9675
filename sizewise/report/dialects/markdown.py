"""Descriptions of dialects as Markdown, for the documentation."""

from __future__ import annotations

from collections.abc import Iterator

from ...insight.description import Description
from .wording import INTRODUCTION, Row, arguments, guarantees, summary, tables

_COLUMNS = ("methods", "contract")


def markdown(facts: tuple[Description, ...]) -> str:
    """Return the page of all dialects."""
    lines = ["| dialect | reproduces | methods | contract |", "|---|---|---|---|"]
    for about in facts:
        cells = (f"[{about.name}](#{_anchor(about.name)})", about.versions, *map(summary(about).get, _COLUMNS))
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, "", INTRODUCTION, *(line for about in facts for line in _section(about))])


def _anchor(name: str) -> str:
    return name.lower().replace("@", "")


def _section(about: Description) -> Iterator[str]:
    yield from ("", f"## {about.name}", "", f"{about.versions}.", "")
    yield from (f"- **{name}**: {text}" for name, text in arguments(about).items())
    yield from ("", "Contract:", "")
    yield from (f"- {line}" for line in guarantees(about.contract))
    for heading, columns, rows in tables(about):
        yield from ("", f"{heading}:", "", f"| {' | '.join(columns)} |", "|" + "---|" * len(columns))
        yield from (f"| {' | '.join(_cells(heading, row))} |" for row in rows)
    yield from (line for note in about.notes for line in ("", note))


def _cells(heading: str, row: Row) -> list[str]:
    code = heading in ("Coordinates", "Antialiasing")
    return [f"`{cell}`" if code and cell and position else cell for position, cell in enumerate(row)]
