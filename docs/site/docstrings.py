"""Docstrings as Markdown: examples become fenced code, so that `>>>` is no quotation, and `<` no tag."""

from __future__ import annotations

import re
from typing import Any

import griffe


def to_markdown(text: str) -> str:
    """Return a docstring with its examples fenced, and with `<` escaped in its prose."""
    lines: list[str] = []
    fence = ""  # the indentation of the open example
    is_open = False
    for line in text.splitlines():
        starts = line.lstrip().startswith(">>> ")
        if starts and not is_open:
            fence = line[: len(line) - len(line.lstrip())]
            lines += ["", f"{fence}```pycon"]
            is_open = True
        elif is_open and not line.strip():
            lines.append(f"{fence}```")
            is_open = False
        lines.append(line if is_open else re.sub(r"<(?=\w)", "&lt;", line))
    return "\n".join([*lines, f"{fence}```"] if is_open else lines)


class Examples(griffe.Extension):
    """Rewrites every docstring when the package has been read."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Rewrite the docstrings of a package and of everything in it."""
        rewrite(pkg)


def rewrite(one: griffe.Object) -> None:
    """Rewrite the docstring of an object and of its members, where they are defined."""
    if one.docstring:
        one.docstring.value = to_markdown(one.docstring.value)
    for member in one.members.values():
        if isinstance(member, griffe.Object):
            rewrite(member)
