"""Findings: the problems of a node, how severe they are, and how to fix them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...plan import Plan
from ..coverage import Coverage
from ..findings import SEVERITIES as ALL_SEVERITIES
from ..findings import Finding, describe_shift, rank
from ..grids import MIN_DISTANCE, distance, scaling_error
from ..placement import Placement
from . import advice
from .node import Node, Size
from .predict import Difference, Prediction

SEVERITIES = ALL_SEVERITIES[:3]


def find(
    node: Node, plan: Plan, coverage: Coverage, placement: tuple[Placement, ...], predictions: tuple[Prediction, ...]
) -> tuple[Finding, ...]:
    """Return the findings of a node, the worst first."""
    found = [
        *_uncovered(node, plan, coverage),
        *_moved(node, plan, placement),
        *_fractional(node, plan),
        *_single(node, plan),
        *(one for prediction in predictions for one in _ported(node, prediction)),
    ]
    return sort_findings(found)


def sort_findings(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings with the worst first."""
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))


def _uncovered(node: Node, plan: Plan, coverage: Coverage) -> Iterator[Finding]:
    """Find pixels that a resize skips."""
    if coverage.reached == coverage.pixels or not any(one.n_out < one.n_in for one in plan.taps):
        return
    lost = f"{coverage.pixels - coverage.reached:,} of {coverage.pixels:,} pixels"
    text = f"{lost} are never read, and get no gradient ({coverage.percent:.3g} % are read)"
    if plan.request.method.startswith("nearest"):
        yield Finding("low", text, node.name, advice.antialias_nearest(node))
    else:
        severity = "high" if coverage.percent < 50 else "medium"
        yield Finding(severity, text, node.name, advice.antialias(node, plan))


def _moved(node: Node, plan: Plan, placement: tuple[Placement, ...]) -> Iterator[Finding]:
    """Find a shift against half-pixel centers."""
    most, edge = max(abs(one.shift_out) for one in placement), max(one.edge_out for one in placement)
    if most >= 0.005:
        text = f"the image shifts by {describe_shift(placement)} relative to half-pixel centers"
        error = scaling_error(plan.geometry)
        if error >= MIN_DISTANCE:
            text = f"{text}; boxes scaled by n_out / n_in are off by up to {error:.3g}"
        yield Finding(rank(most, 0.5, 0.1, 0.0), text, node.name, advice.center(node, plan))
    elif _corners(node):
        off = f"edges are {edge:.2g} output pixels away from half-pixel centers"
        text = f"aligned corners: the scale depends on the size; {off}"
        severity = "medium" if edge >= 0.1 else "low"  # never high: it is a choice
        yield Finding(severity, text, node.name, advice.center(node, plan))


def _corners(node: Node) -> bool:
    options = node.spec.unusual if node.spec else {}
    return bool(options.get("align_corners")) or options.get("coordinate_transformation_mode") == "align_corners"


def _fractional(node: Node, plan: Plan) -> Iterator[Finding]:
    """Find a scale that gives a fractional size, while the coordinates still use it."""
    options = dict(plan.request.options)
    if node.scale is None or options.get("coordinate_transformation_mode") == "half_pixel_symmetric":
        return
    if options.get("align_corners") or plan.request.method == "area":  # whose coordinates come from the sizes
        return
    for n_in, n_out, scale in zip(plan.input_size, plan.output_size, node.scale, strict=True):
        if abs(n_in * scale - n_out) > 1e-4 * n_out:
            makes = f"scale {scale:.6g} gives {n_in * scale:.6g} pixels for {n_in}, truncated to {n_out}"
            fix = f"give the size {n_out} instead, or a scale that gives an integer"
            if _corners(node):
                text = f"onnxruntime aligns the corners of the {n_out}, onnx's evaluator those of the fraction"
                yield Finding("medium", f"{makes}: {text}", node.name, fix)
            else:
                yield Finding("low", f"{makes}, while the coordinates use the scale", node.name, fix)
            return


def _single(node: Node, plan: Plan) -> Iterator[Finding]:
    """Find pytorch_half_pixel with one output pixel: it reads the first input pixel, PyTorch the middle one."""
    mode = dict(plan.request.options).get("coordinate_transformation_mode")
    if mode == "pytorch_half_pixel" and any(one.n_out == 1 < one.n_in for one in plan.taps):
        text = "pytorch_half_pixel with one output pixel reads the first pixel of the axis; PyTorch reads the middle"
        yield Finding("medium", text, node.name, "use coordinate_transformation_mode='half_pixel'")


def find_grids(nodes: Sequence[tuple[Node, Plan]]) -> dict[int, Finding]:
    """Return a finding for each node whose grid is another than that of an earlier one of the same sizes, by index.

    Such a pair resizes an image and its mask, or two maps that are added: they do not fit.
    """
    found: dict[int, Finding] = {}
    first: dict[tuple[Size, Size], tuple[Node, Plan]] = {}
    for index, (node, plan) in enumerate(nodes):
        if not node.is_static or plan.input_size == plan.output_size:
            continue
        other, other_plan = first.setdefault((plan.input_size, plan.output_size), (node, plan))
        apart = distance(plan.geometry, other_plan.geometry) or 0.0
        if apart >= MIN_DISTANCE:
            pixels = f"{apart:.3g} output pixel{'' if apart <= 1 else 's'}"
            text = (
                f"its grid is up to {pixels} away from that of {other.name!r}, which resizes from and to the same size"
            )
            fix = "give both the same coordinates; otherwise a mask or label does not fit the image"
            found[index] = Finding(rank(apart, 0.5, 0.1, 0.0), text, node.name, fix)
    return found


def _ported(node: Node, prediction: Prediction) -> Iterator[Finding]:
    """Find what another runtime changes."""
    if prediction.refusal:
        text = f"{prediction.target} cannot do this: {prediction.refusal}"
        yield Finding("high", text, node.name, "export another resize")
        return
    assert prediction.noise is not None and prediction.image is not None and prediction.port is not None
    severity = severity_of(prediction.noise)
    if severity:
        notes = "; ".join(prediction.port.notes) or "the same options select or weigh other pixels there"
        much = f"up to {prediction.noise.largest:.2g} (mean {prediction.noise.mean:.2g})"
        text = f"{prediction.target} differs by {much}: {notes}"
        own = f"train on its pixels: sizewise.resize(..., dialect={prediction.port.spec.dialect!r})"
        fix = "; ".join(prediction.port.fixes) or own
        yield Finding(severity, text, node.name, fix)


def severity_of(difference: Difference) -> str:
    """Return the severity of a difference on noise from 0 to 1: empty where 8-bit pixels would hardly show it."""
    if difference.largest >= 0.1 and difference.mean >= 0.01:
        return "high"
    if difference.largest >= 0.1 or difference.mean >= 0.01:
        return "medium"
    return "low" if difference.largest >= 0.002 else ""
