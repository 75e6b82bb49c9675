"""Parity: every dialect against the real framework, where it is installed.

`references/` holds one file per framework: how to call it. What is compared, and what is promised, is data.
"""

from __future__ import annotations

from .child import ChildError, elsewhere
from .golden import Golden, read, write
from .reference import Reference, installed, known, of
from .sweep import Measure, Parity, Row, count, sweep

__all__ = [
    "ChildError",
    "Golden",
    "Measure",
    "Parity",
    "Reference",
    "Row",
    "count",
    "elsewhere",
    "installed",
    "known",
    "of",
    "read",
    "sweep",
    "write",
]
