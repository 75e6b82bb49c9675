"""Measures what audits predict: the model's own runtime against the real runtime of the target, on the same pixels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sizewise.insight.audit import Audited, Difference, Prediction, noise, synthetic_photo
from sizewise.insight.audit.port import port_plan
from sizewise.parity import reference

WITHIN = 0.1  # of what is measured
FLOATS = 4e-6  # what two runtimes that compute in float32 may differ by, and audits call 0


def measured(
    one: Audited, prediction: Prediction, own: Callable[[np.ndarray], np.ndarray], pixels: np.ndarray
) -> Difference:
    """How far the target's real runtime is from `own`, a function of an image (height, width)."""
    plan = port_plan(prediction.port, one.node, one.plan)
    theirs = reference.of(plan.request.dialect).resize(pixels[..., None], plan.request)[..., 0]
    ours = own(pixels)
    assert ours.shape == theirs.shape
    return Difference.of(ours, theirs)


def mistakes(one: Audited, own: Callable[[np.ndarray], np.ndarray]) -> list[str]:
    """Return the predictions of a node that differ from the measurement."""
    found = []
    for prediction in one.predictions:
        if prediction.refusal:
            continue
        tried = ((noise, prediction.noise), (synthetic_photo, prediction.image))
        for make, predicted in tried:
            real = measured(one, prediction, own, make(one.plan.input_size))
            for name in ("largest", "mean"):
                said, seen = getattr(predicted, name), getattr(real, name)
                if abs(said - seen) > WITHIN * seen + FLOATS:
                    found.append(
                        f"{one.node.name} {prediction.target} {make.__name__} {name}: {said:.3g}, really {seen:.3g}"
                    )
    return found
