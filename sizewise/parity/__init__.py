"""Parity: every dialect compared with the real framework, where it is installed; and golden vectors of dialects.

`references/` has one file per framework, which calls it. How close results must be is the `contract` of the dialect.
Names that are imported with `as` stay importable from here, but are not public.
"""

from __future__ import annotations

from .golden import Golden, read, write
from .reference import Reference as Reference
from .reference import installed
from .reference import known as known
from .reference import of as of
from .subprocess_worker import WorkerError as WorkerError
from .subprocess_worker import run_in_subprocess as run_in_subprocess
from .sweep import Measure as Measure
from .sweep import Parity as Parity
from .sweep import Row as Row
from .sweep import count as count
from .sweep import sweep

__all__ = ["Golden", "installed", "read", "sweep", "write"]
__dir__ = __all__.copy
