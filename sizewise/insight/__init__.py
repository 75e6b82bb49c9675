"""Insight: what a resize does, as plain data. Draws nothing and prints nothing; `report` does that."""

from __future__ import annotations

from .watching import watch

__all__ = ["watch"]
__dir__ = __all__.copy
