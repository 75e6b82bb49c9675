"""Parity: every dialect compared with the real framework, where it is installed.

`references/` has one file per framework, which calls it. How close results must be is the `contract` of the dialect.
"""

from __future__ import annotations

from .golden import Golden, read, write
from .reference import Reference, installed, known, of
from .subprocess_worker import WorkerError, run_in_subprocess
from .sweep import Measure, Parity, Row, count, sweep

__all__ = [
    "Golden",
    "Measure",
    "Parity",
    "Reference",
    "Row",
    "WorkerError",
    "count",
    "installed",
    "known",
    "of",
    "read",
    "run_in_subprocess",
    "sweep",
    "write",
]
__dir__ = __all__.copy
