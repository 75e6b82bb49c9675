"""Pages of the repository as Python-Markdown reads them.

GitHub indents what belongs to an item by 2, and begins lists, tables and blocks of code without an empty line before.
"""

from __future__ import annotations

import re

ITEM = re.compile(r" *- ")
FENCE = re.compile(r"( *)```")
BLOCK = re.compile(r" *(- |\||```)")


def to_python_markdown(text: str) -> str:
    """Return a page with the indentation inside of lists doubled, and empty lines where blocks begin and end."""
    lines: list[str] = []
    in_list = False
    fence: int | None = None  # the indentation of the open block of code
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if fence is None and line.strip():
            previous = lines[-1] if lines else ""
            if previous.strip() and (begins(line, previous) or FENCE.match(previous)):
                lines.append("")
            in_list = bool(ITEM.match(line)) or (in_list and indent > 0)
        extra = min(indent, fence) if fence is not None else indent
        lines.append(" " * extra + line if in_list and line.strip() else line)
        if mark := FENCE.match(line):
            fence = len(mark[1]) if fence is None else None
    return "\n".join(lines) + "\n"


def begins(line: str, previous: str) -> bool:
    """Return whether a line begins a block after a line of text, or of another block."""
    kind, before = BLOCK.match(line), BLOCK.match(previous)
    if kind is None or (before and before[1] == kind[1]):
        return False
    return kind[1] != "- " or not previous.startswith(" ")  # an item may follow the second line of an item
