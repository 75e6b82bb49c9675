"""Audit: the resizes of a model, read from its file without running it, and their pixels in other runtimes."""

from __future__ import annotations

from ..findings import Finding
from .findings import SEVERITIES
from .fit import Aspect, Fit, check_fit
from .inputs import Input, Quantization, Scaling
from .model_audit import EXAMPLE, Audit, Audited, Done, audit, audit_nodes
from .node import Model, Node
from .port import TARGETS, Port
from .predict import Difference, Prediction, noise, synthetic_photo, unit_range
from .readers import read

__all__ = [
    "EXAMPLE", "SEVERITIES", "TARGETS", "Aspect", "Audit", "Audited", "Difference", "Done", "Finding", "Fit", "Input",
    "Model", "Node", "Port", "Prediction", "Quantization", "Scaling", "audit", "audit_nodes", "check_fit", "noise",
    "read", "synthetic_photo", "unit_range",
]  # fmt: skip
