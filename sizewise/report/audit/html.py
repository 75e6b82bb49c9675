"""An audit as a page: sortable tables, and a card for each node with the heat map of its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...insight.audit import Audit, Audited, Prediction
from ...insight.coverage import Coverage
from ..page import arrows, page
from ..pictures import HeatPicture
from ..text import format_sizes, printable
from . import wording

_MAX_CELLS = 48  # a side
_MAX_CARDS = 60
_NODE_COLUMNS = ("#", "node", "operator", "size", "resize", "pixels read", "shift (px)", "findings")
_MEASURES = ("noise: largest", "noise: mean", "image: largest", "image: mean")


def audit_page(facts: Audit, command: str = "") -> str:
    """Return the page of an audit; `command` is the line that writes it again."""
    name = printable(facts.source.rstrip("/").rpartition("/")[2] or facts.source)
    return page(
        "audit.html",
        title=f"The resizes of {name}" if facts.fit is None else f"The input and the resizes of {name}",
        lead=f"{facts.kind}. {_summary(facts)}",
        command=command,
        findings=[(one.severity, f"{printable(one.node)}: {one.message}. {_fix(one.fix)}") for one in facts.findings],
        fit_columns=("property", *wording.fit_headings(facts.fit), "fits") if facts.fit else (),
        fit_rows=list(wording.fit_rows(facts.fit)) if facts.fit else [],
        node_columns=_NODE_COLUMNS,
        node_rows=[_row(number, one) for number, one in enumerate(facts.nodes, 1)],
        target_columns=("#", "node", "runtime", "closest resize there", *_MEASURES),
        target_rows=[
            _target(number, one, each) for number, one in enumerate(facts.nodes, 1) for each in one.predictions
        ],
        tried=wording.tried(facts),
        notes=list(wording.notes(facts)),
        cards=[_card(number, one) for number, one in enumerate(facts.nodes[:_MAX_CARDS], 1)],
        left_out=max(0, len(facts.nodes) - _MAX_CARDS),
    )


def _summary(facts: Audit) -> str:
    if not facts.nodes and facts.fit is None:
        return "The model contains no resize: nothing to audit."
    count = len(facts.nodes)
    severities = [one.severity for one in facts.findings]
    counts = [f"{severities.count(one)} {one}" for one in dict.fromkeys(severities)]
    found = f"findings: {', '.join(counts)}" if counts else "no findings"
    return f"{count or 'no'} resize{'s' if count != 1 else ''}; {found}."


def _fix(fix: str) -> str:
    return f"{fix[:1].upper()}{fix[1:]}." if fix else ""


def _row(number: int, one: Audited) -> list[Any]:
    percent = one.coverage.percent if one.coverage else -1.0
    shift = max((abs(axis.shift_out) for axis in one.placement), default=-1.0)
    return [
        number,
        printable(one.node.name),
        printable(one.node.op),
        arrows(wording.size(one)),
        wording.how(one.node.spec),
        (wording.share(one), percent),
        (wording.shift(one), shift),
        len(one.findings),
    ]


def _target(number: int, one: Audited, prediction: Prediction) -> list[Any]:
    name = printable(one.node.name)
    if prediction.port is None:
        return [number, name, prediction.target, f"none: {prediction.refusal}", *[("", "Infinity")] * 4]
    texts = (*wording.difference(prediction.noise), *wording.difference(prediction.image))
    values = [each for pair in (prediction.noise, prediction.image) if pair for each in (pair.largest, pair.mean)]
    cells = [(cell, f"{value:.6g}") for cell, value in zip(texts, values, strict=True)]
    notes = "".join(f"; {note}" for note in prediction.port.notes)
    return [number, name, prediction.target, f"{wording.how(prediction.port.spec)}{notes}", *cells]


def _card(number: int, one: Audited) -> dict[str, object]:
    pairs = [("size", arrows(wording.size(one))), ("resize", wording.how(one.node.spec))]
    pairs += [("layout", one.node.layout)] if one.node.layout else []
    if one.is_example and one.plan is not None:
        pairs.append(("tried as", arrows(format_sizes(one.plan.input_size, one.plan.output_size))))
    if one.coverage is not None:
        pairs += [("pixels read", f"{one.coverage.reached:,} of {one.coverage.pixels:,} ({wording.share(one)})")]
        pairs += [("shift", f"{wording.shift(one)} output pixels"), ("largest gradient", f"{one.coverage.largest:.4g}")]
    if one.note or one.node.note:
        pairs.append(("note", printable(one.note or one.node.note)))
    picture, caption = _map(one.coverage) if one.coverage else (None, "")
    return {
        "title": f"{number}. {printable(one.node.name)}",
        "op": printable(one.node.op),
        "numbers": pairs,
        "findings": [(each.severity, f"{each.message}. {_fix(each.fix)}") for each in one.findings],
        "map": picture,
        "caption": caption,
    }


def _map(facts: Coverage) -> tuple[HeatPicture | None, str]:
    """Return the heat map of the gradient, with a caption: all of a small image, the top left of a large one."""
    if len(facts.profiles) > 2:
        return None, ""
    first = [np.abs(profile[:_MAX_CELLS]) for profile in facts.profiles]
    values = np.multiply.outer(*first) if len(first) == 2 else np.repeat(first[0][None, :], 4, axis=0)
    is_even = all(np.ptp(np.abs(profile)) <= 1e-6 * np.abs(profile).max() for profile in facts.profiles)
    is_complete = is_even or all(len(profile) <= _MAX_CELLS for profile in facts.profiles)
    where = "every input pixel" if is_complete else f"the top left {values.shape[0]} by {values.shape[1]} pixels"
    picture = HeatPicture(values, float(values.max()), "gradient", f"Gradient at {where}")
    if picture.is_flat:
        return None, f"The gradient is {picture.peak:.3g} at {where}."
    return picture, f"Gradient of the sum of all outputs, at {where}."
