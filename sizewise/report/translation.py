"""A translated call: for the terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.translation import Difference, Nearest, Translation, Words
from .text import trimmed

_INDENT = "    "


@dataclass(frozen=True)
class Code:
    """Lines of code."""

    lines: list[str]


@dataclass(frozen=True)
class TranslationText:
    """A translation, ready for `rich.print`: the call first, and then what there is to know about it.

    >>> from rich.console import Console
    >>> from sizewise.insight.translation import translate
    >>> Console(width=80).print(TranslationText(translate("cv2.resize(x, (64, 32))", to="tfjs")))
    tf.image.resizeBilinear(x, [32, 64], false, true)
    <BLANKLINE>
    The same weights at every size: all input lengths up to 64 were compared.
    - x is HWC in OpenCV, and NHWC in TF.js.
    - The flags are alignCorners and halfPixelCenters.
    - uint8 stays uint8 in opencv, and becomes float32 in tfjs.
    """

    facts: Translation

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in self._parts(options.max_width):
            if isinstance(part, Code):  # a line that is too long stays whole: broken, it would be no code any more
                yield from (Segment(f"{line}\n", console.get_style("bold")) for line in part.lines)
                continue
            for line in console.render_lines(part, options, pad=False):
                yield from trimmed(line)
                yield Segment.line()

    def _parts(self, width: int) -> Iterator[RenderableType | Code]:
        facts = self.facts
        if facts.result is not None:
            yield Code(wrapped(facts.result, width).split("\n"))
            yield Text()
            yield Text(_sameness(facts))
            yield _listed(_said(facts))
            return
        yield Text(f"There is no such call. {facts.reason}")
        if facts.nearest is not None:
            yield Text()
            yield from _nearest(facts.words, facts.nearest, width)


def wrapped(call: str, width: int) -> str:
    """A call on as many lines as it needs, broken between arguments, where Python allows it.

    >>> print(wrapped("cv2.resize(x, (4, 4), interpolation=cv2.INTER_AREA)", 40))
    cv2.resize(x, (4, 4),
        interpolation=cv2.INTER_AREA)
    """
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
        return f"The same weights for an input of {'x'.join(map(str, facts.input_size))}."
    only = f" only where {facts.condition}" if facts.condition else " at every size"
    if facts.check is None:  # written in the words of the same dialect
        return f"The same weights{only}."
    lengths = f"all input lengths up to {facts.check.longest:,}"
    if facts.check.first is None:
        return f"The same weights{only}: {lengths} were compared."
    only = only if facts.condition else " at most sizes"
    first = f"the first is {facts.check.first}"
    return f"The same weights{only}, but not all: of {lengths}, {facts.check.differing:,} differ; {first}."


def _said(facts: Translation) -> Iterator[str]:
    if facts.rounding is not None and facts.target is not None:
        where, one, other = facts.rounding.what, facts.rounding.here, facts.rounding.there
        pair = f"{one} in {facts.words.dialect}, {other} in {facts.target.dialect}"
        yield f"Some outputs are the pixel beside ({where}: {pair}); --input tells whether yours are."
    yield from facts.notes


def _listed(lines: Iterator[str]) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        grid.add_row("-", Text(line))
    return grid


def _nearest(words: Words, near: Nearest, width: int) -> Iterator[RenderableType | Code]:
    yield Text("The nearest is")
    yield Code([f"  {line}" for line in wrapped(near.call, width - 2).split("\n")])
    if near.off is not None:
        yield Text(f"whose pixels are off by up to {near.off:.2g} of the range, on noise ({near.at}):")
    yield Text()
    yield _table(near.differences, _name(words), _name(near.words))


def _name(words: Words) -> str:
    return f"{words.dialect} {words.method}"


def _table(differences: tuple[Difference, ...], here: str, there: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", no_wrap=False)
    table.add_column(here, overflow="fold")
    table.add_column(there, overflow="fold")
    for one in differences:
        table.add_row(Text(one.what), Text(one.here), Text(one.there))
    return table


def as_json(facts: Translation) -> str:
    """A translation as one JSON object on one line.

    >>> from sizewise.insight.translation import translate
    >>> json.loads(as_json(translate("cv2.resize(x, (64, 32))", to="tfjs")))["words"]["dialect"]
    'opencv'
    """
    near, rounding = facts.nearest, facts.rounding
    record = {
        "call": facts.call,
        "from": facts.source,
        "to": facts.to,
        "words": _words(facts.words),
        "input_size": facts.input_size,
        "result": facts.result,
        "result_words": None if facts.target is None else _words(facts.target),
        "only_where": facts.condition or None,
        "compared_up_to": None if facts.check is None else facts.check.longest,
        "differing_lengths": None if facts.check is None else facts.check.differing,
        "rounding": None if rounding is None else vars(rounding),
        "notes": facts.notes,
        "reason": facts.reason or None,
        "nearest": None
        if near is None
        else {
            "call": near.call,
            "words": _words(near.words),
            "differences": [vars(one) for one in near.differences],
            "off": near.off,
            "at": near.at,
        },
    }
    return json.dumps(record, allow_nan=False)


def _words(words: Words) -> dict[str, Any]:
    size = None if words.size is None else [one if isinstance(one, int) else {"times": one.by} for one in words.size]
    return {
        "dialect": words.dialect,
        "method": words.method,
        "antialias": words.antialias,
        "options": dict(words.options),
        "size": size,
        "scale": words.scale,
    }
