"""The facts of an audit as a page: tables that sort, and a card for each node with the heat map of its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..insight.audit import Audit, Audited, Prediction
from ..insight.coverage import Coverage
from . import audit_words as words
from .heatmap import block_means
from .page import page
from .pixels import HeatPicture, scale_uri

_MOST_CELLS = 48  # a side
_MOST_CARDS = 60
_LIKELIEST = 6  # significant digits to sort by


@dataclass(frozen=True)
class Card:
    """What a page shows of one node."""

    number: int
    name: str
    op: str
    numbers: tuple[tuple[str, str], ...]
    findings: tuple[tuple[str, str], ...]
    map: HeatPicture | None
    caption: str


def page_of(facts: Audit, command: str = "") -> str:
    """The page of an audit.

    >>> "nothing to audit" in page_of(Audit("m.onnx", "ONNX, opset 19", ()))
    True
    """
    name = words.plain(facts.source.rstrip("/").rpartition("/")[2] or facts.source)
    return page(
        "audit.html",
        title=f"The resizes of {name}",
        lead=f"{facts.kind}. {_counted(facts)}",
        command=command,
        findings=[(one.severity, f"{words.plain(one.node)}: {one.words}. {_fix(one.fix)}") for one in facts.findings],
        node_columns=NODE_COLUMNS,
        node_rows=[_row(number, one) for number, one in enumerate(facts.nodes, 1)],
        target_columns=TARGET_COLUMNS,
        target_rows=[
            _target(number, one, each) for number, one in enumerate(facts.nodes, 1) for each in one.predictions
        ],
        tried=words.tried(facts),
        notes=[words.TERMS, *words.notes(facts)],
        cards=[_card(number, one) for number, one in enumerate(facts.nodes[:_MOST_CARDS], 1)],
        left_out=max(0, len(facts.nodes) - _MOST_CARDS),
        scale=scale_uri(),
    )


NODE_COLUMNS = (
    ("", "number"),
    ("node", "text"),
    ("op", "text"),
    ("size", "text"),
    ("how", "text"),
    ("read", "number"),
    ("shift", "number"),
    ("findings", "number"),
)
TARGET_COLUMNS = (
    ("", "number"),
    ("node", "text"),
    ("in", "text"),
    ("as", "text"),
    ("noise max", "number"),
    ("noise mean", "number"),
    ("image max", "number"),
    ("image mean", "number"),
)


def _counted(facts: Audit) -> str:
    if not facts.nodes:
        return "There is no resize in it: nothing to audit."
    count = len(facts.nodes)
    severities = [one.severity for one in facts.findings]
    counts = [f"{severities.count(one)} {one}" for one in dict.fromkeys(severities)]
    found = f"findings: {', '.join(counts)}" if counts else "nothing stands out"
    return f"{count} resize{'s' if count > 1 else ''}; {found}."


def _fix(fix: str) -> str:
    return f"{fix[:1].upper()}{fix[1:]}." if fix else ""


def _row(number: int, one: Audited) -> list[Any]:
    percent = one.coverage.percent if one.coverage else -1.0
    shift = max((abs(axis.shift_out) for axis in one.placement), default=-1.0)
    return [
        number,
        words.plain(one.node.name),
        words.plain(one.node.op),
        words.size(one),
        words.plain(words.how(one.node.words)),
        (words.share(one), percent),
        (words.shift(one), shift),
        len(one.findings),
    ]


def _target(number: int, one: Audited, prediction: Prediction) -> list[Any]:
    name = words.plain(one.node.name)
    if prediction.port is None:
        return [number, name, prediction.target, f"none: {prediction.refusal}", *[("", "Infinity")] * 4]
    shown = (*words.difference(prediction.noise), *words.difference(prediction.image))
    values = [each for pair in (prediction.noise, prediction.image) if pair for each in (pair.largest, pair.mean)]
    cells = [(cell, f"{value:.{_LIKELIEST}g}") for cell, value in zip(shown, values, strict=True)]
    notes = "".join(f"; {note}" for note in prediction.port.notes)
    return [number, name, prediction.target, f"{words.how(prediction.port.words)}{notes}", *cells]


def _card(number: int, one: Audited) -> Card:
    pairs = [("size", words.size(one)), ("how", words.plain(words.how(one.node.words)))]
    pairs += [("layout", one.node.layout)] if one.node.layout else []
    if one.is_example and one.plan is not None:
        sizes = (one.plan.input_size, one.plan.output_size)
        pairs.append(("tried as", " -> ".join("x".join(map(str, size)) for size in sizes)))
    if one.coverage is not None:
        pairs += [("pixels read", f"{one.coverage.reached:,} of {one.coverage.pixels:,} ({words.share(one)})")]
        pairs += [("shift", f"{words.shift(one)} output pixels"), ("largest", f"{one.coverage.largest:.4g}")]
    if one.note or one.node.note:
        pairs.append(("note", words.plain(one.note or one.node.note)))
    picture, caption = _map(one.coverage) if one.coverage else (None, "")
    found = tuple((each.severity, f"{each.words}. {_fix(each.fix)}") for each in one.findings)
    return Card(number, words.plain(one.node.name), words.plain(one.node.op), tuple(pairs), found, picture, caption)


def _map(facts: Coverage) -> tuple[HeatPicture | None, str]:
    """The gradient of each input pixel: all of a small image, the top left of a large one."""
    if len(facts.profiles) > 2:
        return None, ""
    shown = [np.abs(block_means(profile[:_MOST_CELLS], 1)) for profile in facts.profiles]
    values = np.multiply.outer(*shown) if len(shown) == 2 else np.repeat(shown[0][None, :], 4, axis=0)
    peak = float(values.max()) or 1.0
    cut = any(len(profile) > _MOST_CELLS for profile in facts.profiles)
    where = f"the top left {values.shape[0]} by {values.shape[1]} pixels" if cut else "every input pixel"
    picture = HeatPicture(values, np.sqrt(values / peak), "gradient", f"How much {where} count")
    return picture, f"Gradient of the sum of all outputs, at {where}; the brightest is {peak:.3g}, grey is none."
