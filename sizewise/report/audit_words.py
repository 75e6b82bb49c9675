"""The facts of an audit in words, for the terminal and for pages alike."""

from __future__ import annotations

from collections.abc import Iterator

from ..insight.audit import Audit, Audited, Difference, Words

TERMS = "Read: which of the input pixels count at all. Shift: output pixels, down and right, off half-pixel centres."
_BARE = ("coordinate_transformation_mode", "nearest_mode", "keep_aspect_ratio_policy")  # options known by their values


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
