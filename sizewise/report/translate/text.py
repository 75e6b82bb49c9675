"""A translation as text: the call, where it is the same, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...insight.translation import Difference, Nearest, Translation, syntax
from ...resize_spec import ResizeSpec
from ..text import Code, TextReport, bullets, columns, format_size

_INDENT = "    "


@dataclass(frozen=True)
class TranslationText(TextReport):
    """A translation, ready for `rich.print`: the call first, then where it is the same."""

    facts: Translation

    def parts(self, width: int) -> Iterator[RenderableType | Code]:
        """Yield the call and where it is the same; or the reason why there is none, and the nearest call."""
        facts = self.facts
        if facts.result is not None:
            yield Code(wrapped(facts.result, width).split("\n"))
            yield Text()
            yield Text(_sameness(facts))
            yield bullets(_remarks(facts))
            return
        yield Text(f"There is no such call. {facts.reason}")
        if facts.nearest is not None:
            yield Text()
            yield from _nearest(facts.spec, facts.nearest, width)


def wrapped(call: str, width: int) -> str:
    """Return a call in lines that fit, broken between arguments."""
    lines = [""]
    for part in call.split(", "):
        joined = f"{lines[-1]}, {part}" if lines[-1].strip() else lines[-1] + part
        if len(joined) + 1 <= width or not lines[-1].strip():
            lines[-1] = joined
        else:
            lines[-1] += ","
            lines.append(_INDENT + part)
    return "\n".join(lines)


def _sameness(facts: Translation) -> str:
    if facts.input_size is not None:
        return f"The same weights for an input of {format_size(facts.input_size)}."
    only = f" only where {facts.condition}" if facts.condition else " at every size"
    if facts.check is None:  # written in the same dialect
        return f"The same weights{only}."
    lengths = f"all input lengths up to {facts.check.longest:,}"
    if facts.check.first is None:
        return f"The same weights{only}: {lengths} were compared."
    only = only if facts.condition else " at most sizes"
    first = f"the first is {facts.check.first}"
    return f"The same weights{only}, but not all: of {lengths}, {facts.check.differing:,} differ; {first}."


def _remarks(facts: Translation) -> Iterator[str]:
    if facts.rounding is not None and facts.target is not None:
        where, one, other = facts.rounding.what, facts.rounding.here, facts.rounding.there
        pair = f"{one} in {syntax.get(facts.source).title}, {other} in {syntax.get(facts.to).title}"
        yield f"Some outputs are a neighboring pixel ({where}: {pair}); --input checks your size."
    yield from facts.notes


def _nearest(spec: ResizeSpec, near: Nearest, width: int) -> Iterator[RenderableType | Code]:
    yield Text("The nearest is")
    yield Code([f"  {line}" for line in wrapped(near.call, width - 2).split("\n")])
    if near.off is not None:
        yield Text(f"whose pixels differ by up to {near.off:.2g} of the range, on noise ({near.at}):")
    yield Text()
    yield _table(near.differences, *(f"{one.dialect} {one.method}" for one in (spec, near.spec)))


def _table(differences: tuple[Difference, ...], here: str, there: str) -> Table:
    table = columns("", here, there, padding=2)
    for one in differences:
        table.add_row(Text(one.what), Text(one.here), Text(one.there))
    return table
