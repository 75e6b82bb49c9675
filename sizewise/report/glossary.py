"""Technical terms of a page: links to their explanations at its end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any


class PageGlossary:
    """The terms that one page uses, in the order of `templates/glossary.json`."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def use(self, label: str) -> str:
        """Return the id of the explanation of a label; empty where the label is not a term."""
        entry = _index("labels").get(label.lower(), {"id": ""})
        self._used.add(entry["id"])
        return str(entry["id"])

    def link(self, sentence: str) -> Iterator[tuple[str, str]]:
        """Yield the parts of a sentence, each with the id of its explanation, or with an empty one."""
        phrases = _index("phrases")
        pattern = rf"(?<![\w-])({'|'.join(sorted(map(re.escape, phrases), key=len, reverse=True))})(?![\w-])"
        for position, part in enumerate(re.split(pattern, sentence, flags=re.IGNORECASE)):
            yield part, self.use(phrases[part.lower()]["term"]) if position % 2 else ""

    def entries(self) -> list[dict[str, str]]:
        """Return the id, term and text of each explanation."""
        return [entry for entry in _entries() if entry["id"] in self._used]


@cache
def _entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(files(__package__).joinpath("templates/glossary.json").read_bytes())
    for entry in entries:
        entry["term"] = entry["labels"][0]
        entry["id"] = "term-" + re.sub(r"\W+", "-", entry["term"].lower())
    return entries


@cache
def _index(key: str) -> dict[str, dict[str, Any]]:
    return {name.lower(): entry for entry in _entries() for name in entry.get(key, ())}
