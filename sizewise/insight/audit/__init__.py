"""Audit: the resizes of a model, read from its file without running it, and what they do here and in other runtimes."""

from __future__ import annotations

from .auditing import EXAMPLE, Audit, Audited, Done, audit, audit_nodes
from .findings import SEVERITIES, Finding
from .node import Model, Node, Words
from .porting import TARGETS, Port
from .prediction import Difference, Prediction, noise, picture, unit_range
from .reading import read

__all__ = [
    "EXAMPLE",
    "SEVERITIES",
    "TARGETS",
    "Audit",
    "Audited",
    "Difference",
    "Done",
    "Finding",
    "Model",
    "Node",
    "Port",
    "Prediction",
    "Words",
    "audit",
    "audit_nodes",
    "noise",
    "picture",
    "read",
    "unit_range",
]
