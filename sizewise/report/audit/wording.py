"""Texts of an audit that the terminal and pages share."""

from __future__ import annotations

from collections.abc import Iterator

from ...insight.audit import Audit, Audited, Difference, Fit
from ...resize_spec import ResizeSpec
from ..text import format_size, printable

TERMS = "Read: input pixels with a nonzero weight. Shift: output pixels, down and right, from half-pixel centers."


def fit_headings(fit: Fit) -> tuple[str, str]:
    """Return the names of an input and of a recipe, above their properties."""
    return f"input {printable(fit.input.name)}", printable(fit.source)


def fit_rows(fit: Fit) -> Iterator[tuple[str, str, str, str]]:
    """Yield each property of an input, that of the recipe, and whether they fit: `?` where the model does not say."""
    for one in fit.aspects:
        yield one.name, one.model, one.result, {True: "yes", False: "no", None: "?"}[one.fits]


def label(one: Audited) -> str:
    """Return the name of a node, and its op unless the name contains it."""
    name, op = printable(one.node.name), printable(one.node.op)
    return name if op.lower() in name.lower() else f"{name} ({op})"


def size(one: Audited) -> str:
    """Return the sizes of a node as stored, `?` for unknown lengths."""
    node = one.node
    left, right = (
        "x".join("?" if n is None else str(n) for n in lengths) for lengths in (node.input_size, node.output_size)
    )
    if node.scale is not None and None in node.output_size:
        return f"{left} times {'x'.join(f'{factor:.4g}' for factor in node.scale)}"
    return f"{left} -> {right}"


def how(spec: ResizeSpec | None) -> str:
    """Return how a node resizes."""
    return "not a plain resize" if spec is None else printable(spec.label)


def shift(one: Audited) -> str:
    """Return how far a node shifts the image, in output pixels: above 0 is down and right."""
    shifts = [f"{axis.shift_out:+.3g}" if abs(axis.shift_out) >= 0.005 else "0" for axis in one.placement]
    return shifts[0] if len(set(shifts)) == 1 else ", ".join(shifts)


def share(one: Audited) -> str:
    """Return the percentage of pixels that a node reads; empty where it is unknown."""
    return f"{one.coverage.percent:.4g} %" if one.coverage else ""


def difference(one: Difference | None) -> tuple[str, str]:
    """Return the largest and the mean difference; 0 where only the last bits of float32 differ."""
    if one is None:
        return "", ""
    largest, mean = (f"{number:.2g}" if number >= 1e-5 else "0" for number in (one.largest, one.mean))
    return largest, mean


def notes(facts: Audit) -> Iterator[str]:
    """Yield notes on nodes that are not plain resizes, or whose sizes are unknown."""
    for number, one in enumerate(facts.nodes, 1):
        note = one.note or one.node.note
        if note:
            yield f"{number}: {printable(note)}"
    if any(one.is_example for one in facts.nodes):
        yield f"Unknown sizes (?) are taken as {format_size(facts.example)}, and outputs as twice that (--size)."


def tried(facts: Audit) -> str:
    """Return which images the differences are measured on."""
    image = printable(facts.image) if facts.image else "a synthetic photo"
    return f"Differences from the model's own runtime, for pixels from 0 to 1: on noise, and on {image}."
