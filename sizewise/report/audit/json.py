"""An audit as JSON: one object with stable keys."""

from __future__ import annotations

import json
from typing import Any

from ...insight.audit import Audit, Audited, Difference, Fit, Prediction
from ...insight.audit.fit import SIZES
from ...resize_spec import ResizeSpec


def as_json(facts: Audit) -> str:
    """Return an audit as one JSON object on one line."""
    record = {
        "model": facts.source,
        "kind": facts.kind,
        "targets": list(facts.targets),
        "example_size": list(facts.example),
        "image": facts.image or None,
        "preprocess": None if facts.fit is None else _fit(facts.fit),
        "nodes": [_node(one) for one in facts.nodes],
        "findings": [
            {"severity": one.severity, "node": one.node, "message": one.message, "words": one.message, "fix": one.fix}
            for one in facts.findings
        ],
        "worst": facts.worst or None,
    }
    return json.dumps(record, allow_nan=False)


def _fit(fit: Fit) -> dict[str, Any]:
    given, result, stored = fit.input, fit.result, fit.input.quantization
    return {
        "config": fit.source,
        "input": {
            "name": given.name,
            "shape": None if given.shape is None else list(given.shape),
            "dtype": given.dtype or None,
            "layout": given.layout or None,
            "quantization": stored and {"scale": stored.scale, "zero_point": stored.zero_point, "dtype": stored.dtype},
            "scale": None if given.scaling.is_identity else list(given.scaling.scale),
            "offset": None if given.scaling.is_identity else list(given.scaling.offset),
        },
        "result": {
            "layout": result.layout,
            "channels": result.channels,
            "dtype": result.dtype,
            "range": [result.low, result.high],
            "sizes": [
                {"image": list(before), "result": None if after is None else list(after)}
                for before, after in zip(SIZES, result.sizes, strict=True)
            ],
        },
        "fits": {one.name: one.fits for one in fit.aspects},
        "findings": len(fit.findings),
    }


def _node(one: Audited) -> dict[str, Any]:
    node = one.node
    return {
        "name": node.name,
        "op": node.op,
        "input_size": list(node.input_size),
        "output_size": list(node.output_size),
        "scale": None if node.scale is None else list(node.scale),
        "layout": node.layout or None,
        "resize": _spec(node.spec),
        "tried": one.plan and {"input_size": list(one.plan.input_size), "output_size": list(one.plan.output_size)},
        "coverage": one.coverage
        and {key: getattr(one.coverage, key) for key in ("reached", "pixels", "percent", "total", "largest")},
        "shift": [axis.shift_out for axis in one.placement] or None,
        "stretch": [axis.stretch for axis in one.placement] or None,
        "targets": [_prediction(each) for each in one.predictions],
        "note": one.note or node.note or None,
    }


def _spec(spec: ResizeSpec | None) -> dict[str, Any] | None:
    if spec is None:
        return None
    return {"dialect": spec.dialect, "method": spec.method, "antialias": spec.antialias, "options": spec.unusual}


def _prediction(one: Prediction) -> dict[str, Any]:
    return {
        "target": one.target,
        "resize": _spec(one.port.spec if one.port else None),
        "notes": list(one.port.notes) if one.port else [],
        "refusal": one.refusal or None,
        "noise": _difference(one.noise),
        "image": _difference(one.image),
    }


def _difference(one: Difference | None) -> dict[str, float] | None:
    return None if one is None else {"max": one.largest, "mean": one.mean}
