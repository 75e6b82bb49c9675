"""Audit: the resizes of a model, read from its file without running it, and their pixels in other runtimes."""

from __future__ import annotations

from ..findings import Finding
from .findings import SEVERITIES
from .model_audit import EXAMPLE, Audit, Audited, Done, audit, audit_nodes
from .node import Model, Node
from .port import TARGETS, Port
from .predict import Difference, Prediction, noise, synthetic_photo, unit_range
from .readers import read

__all__ = [
    "EXAMPLE", "SEVERITIES", "TARGETS", "Audit", "Audited", "Difference", "Done", "Finding", "Model", "Node", "Port",
    "Prediction", "audit", "audit_nodes", "noise", "read", "synthetic_photo", "unit_range",
]  # fmt: skip
