"""Shared parts of text reports: rich renderables without trailing spaces, tables, lists, sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text


@dataclass(frozen=True)
class Code:
    """Lines of code, which are never wrapped: they would not be code anymore."""

    lines: Sequence[str]


class TextReport:
    """A report for `rich.print`; subclasses yield its parts for a width."""

    def parts(self, width: int) -> Iterator[RenderableType | Code]:
        """Yield the parts of the report, from top to bottom."""
        raise NotImplementedError

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in self.parts(options.max_width):
            if isinstance(part, Code):
                yield from (Segment(f"{line}\n", console.get_style("bold")) for line in part.lines)
                continue
            for line in console.render_lines(part, options, pad=False):
                yield from trimmed(line)
                yield Segment.line()


def trimmed(line: list[Segment]) -> list[Segment]:
    """Return a line without trailing spaces, which would show when the text is copied."""
    rest = list(line)
    while rest and not (rest[-1].style and rest[-1].style.bgcolor):
        text, style, _ = rest.pop()
        if text.rstrip():
            return [*rest, Segment(text.rstrip(), style)]
    return rest


def format_size(size: Sequence[int]) -> str:
    """Return a size as text."""
    return "x".join(map(str, size))


def format_sizes(input_size: Sequence[int], output_size: Sequence[int]) -> str:
    """Return an input size and an output size as text."""
    return f"{format_size(input_size)} -> {format_size(output_size)}"


def printable(name: str) -> str:
    """Return a name from a file with control characters escaped, safe to print on a terminal."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in name)


def columns(*headings: str, right: Sequence[str] = (), padding: int = 1, style: str = "bold") -> Table:
    """Return an empty table with a line under its headings; those in `right` are right-aligned and never wrapped."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, padding, 0, 0), header_style=style)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for heading in right:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def pairs(rows: Iterable[tuple[str | Text, str | Text]], gap: int = 2, style: str = "") -> Table:
    """Return names and their texts side by side; long texts are folded."""
    grid = Table.grid(padding=(0, gap, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True, style=style)
    grid.add_column(overflow="fold")
    for name, text in rows:
        grid.add_row(name, Text(text) if isinstance(text, str) else text)
    return grid


def bullets(sentences: Iterable[str], mark: str = "-") -> Table:
    """Return sentences as a list."""
    return pairs(((mark, sentence) for sentence in sentences), gap=1)
