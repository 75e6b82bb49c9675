"""The facts of an audit as text for the terminal: the nodes, what becomes of them elsewhere, and the findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..insight.audit import Audit, Audited, Difference, Words
from .text import trimmed

TERMS = "Read: which of the input pixels count at all. Shift: output pixels, down and right, off half-pixel centres."
_STYLES = {"high": "bold red", "medium": "bold yellow", "low": "bold green"}


@dataclass(frozen=True)
class AuditText:
    """An audit, ready for `rich.print`.

    >>> from rich.console import Console
    >>> Console(width=80).print(AuditText(Audit("m.onnx", "ONNX, opset 19", ())))
    m.onnx: ONNX, opset 19
    There is no resize in it: nothing to audit.
    """

    facts: Audit

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(Group(*self._parts()), options, pad=False):
            yield from trimmed(line)
            yield Segment.line()

    def _parts(self) -> Iterator[RenderableType]:
        yield Text(f"{plain(self.facts.source)}: {self.facts.kind}", style="bold")
        if not self.facts.nodes:
            yield Text("There is no resize in it: nothing to audit.")
            return
        yield Text()
        yield _nodes(self.facts)
        yield from (Text(line) for line in (TERMS, *notes(self.facts)))
        if self.facts.targets and any(one.predictions for one in self.facts.nodes):
            yield Text()
            yield _targets(self.facts)
            yield Text(tried(self.facts))
        yield Text()
        yield _findings(self.facts)


def plain(name: str) -> str:
    """A name from a file as one line that changes nothing on a terminal.

    >>> plain("up\\n\\x1b[31m")
    'up\\\\n\\\\x1b[31m'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in name)


def label(one: Audited) -> str:
    """The name of a node, and its op where the name does not tell.

    >>> from sizewise.insight.audit import Node
    >>> label(Audited(Node("neck/up", "Resize")))
    'neck/up (Resize)'
    """
    name, op = plain(one.node.name), plain(one.node.op)
    return name if op.lower() in name.lower() else f"{name} ({op})"


def size(one: Audited) -> str:
    """The sizes of a node: as stored, `?` for what is not known.

    >>> from sizewise.insight.audit import Node
    >>> size(Audited(Node("up", "Resize", (None, 8), (16, 16))))
    '?x8 -> 16x16'
    """
    node = one.node
    sides = ("x".join("?" if n is None else str(n) for n in lengths) for lengths in (node.input_size, node.output_size))
    scaled = node.scale is not None and None in node.output_size
    factors = "x".join(f"{factor:.4g}" for factor in node.scale or ())
    left, right = sides
    return f"{left} times {factors}" if scaled else f"{left} -> {right}"


_BARE = ("coordinate_transformation_mode", "nearest_mode", "keep_aspect_ratio_policy")  # options known by their values


def how(words: Words | None) -> str:
    """How a node resizes, in short.

    >>> how(Words("tflite", "bilinear", options=(("align_corners", True),)))
    'tflite bilinear, align_corners'
    """
    return "not a plain resize" if words is None else f"{words.dialect} {method(words)}"


def method(words: Words) -> str:
    """The method with its options, in short.

    >>> method(Words("onnx", "linear", True, (("coordinate_transformation_mode", "asymmetric"),)))
    'linear, antialias, asymmetric'
    """
    flags = [("antialias", True)] if words.antialias else []
    return ", ".join([words.method, *(_option(name, value) for name, value in (*flags, *words.options))])


def _option(name: str, value: object) -> str:
    if value is True:
        return name
    if isinstance(value, tuple):
        value = f"({', '.join(f'{entry:g}' for entry in value)})"
    return str(value) if name in _BARE else f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"


def shift(one: Audited) -> str:
    """How far a node moves the image, in output pixels: above 0 is down and right.

    >>> from sizewise.insight.audit import Node
    >>> from sizewise.insight.placement import Placement
    >>> shift(Audited(Node("up", "Resize"), placement=(Placement(4, 8, 0.25), Placement(4, 8, 0.25))))
    '+0.5'
    """
    shifts = [f"{axis.shift_out:+.3g}" if abs(axis.shift_out) >= 0.005 else "0" for axis in one.placement]
    return shifts[0] if len(set(shifts)) == 1 else ", ".join(shifts)


def share(one: Audited) -> str:
    """How many of the pixels a node reads.

    >>> from sizewise.insight.audit import Node
    >>> share(Audited(Node("up", "Resize")))
    ''
    """
    return f"{one.coverage.percent:.4g} %" if one.coverage else ""


def difference(one: Difference | None) -> tuple[str, str]:
    """The largest and the mean difference; a dash where 32-bit floats differ in their last bits only.

    >>> difference(Difference(0.25, 0.0125)), difference(Difference(1e-7, 1e-8))
    (('0.25', '0.013'), ('0', '0'))
    """
    return ("", "") if one is None else (small(one.largest), small(one.mean))


def small(number: float) -> str:
    """A difference in two digits; 0 for what is the last bits of a float."""
    return f"{number:.2g}" if number >= 1e-5 else "0"


def notes(facts: Audit) -> Iterator[str]:
    """What has to be said of nodes that are not plain, or whose sizes are not known."""
    for number, one in enumerate(facts.nodes, 1):
        said = one.note or one.node.note
        if said:
            yield f"{number}: {plain(said)}"
    if any(one.is_example for one in facts.nodes):
        example = "x".join(map(str, facts.example))
        yield f"Sizes that are not known (?) are taken as {example}, and outputs as twice that (--size)."


def tried(facts: Audit) -> str:
    """What the differences are of."""
    image = plain(facts.image) if facts.image else "a picture as smooth as photographs are"
    return f"Differences from the model's own runtime, of pixels from 0 to 1: of noise, and of {image}."


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")


def _nodes(facts: Audit) -> Table:
    table = _table()
    table.add_column("", justify="right")
    for name in ("node", "size", "how"):
        table.add_column(name, overflow="fold")
    for name in ("read", "shift"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, one in enumerate(facts.nodes, 1):
        table.add_row(
            str(number), Text(label(one)), size(one), Text(plain(how(one.node.words))), share(one), shift(one)
        )
    return table


def _targets(facts: Audit) -> Table:
    table = _table()
    table.add_column("", justify="right")
    table.add_column("in", no_wrap=True)
    table.add_column("as", overflow="fold")
    for name in ("noise max", "mean", "image max", "mean"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, one in enumerate(facts.nodes, 1):
        for prediction in one.predictions:
            if prediction.port is None:
                table.add_row(str(number), prediction.target, Text(f"none: {prediction.refusal}"))
            else:
                numbers = (*difference(prediction.noise), *difference(prediction.image))
                table.add_row(str(number), prediction.target, Text(method(prediction.port.words)), *numbers)
    return table


def _findings(facts: Audit) -> RenderableType:
    """What stands out, the worst first, with what mends it."""
    if not facts.findings:
        return Text("Nothing stands out.")
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for one in facts.findings:
        words = Text(plain(one.node), style="bold").append(f": {plain(one.words)}", style="not bold")
        if one.fix:
            words.append(f"\nFix: {one.fix}", style="not bold")
        grid.add_row(Text(one.severity, style=_STYLES[one.severity]), words)
    return grid
