"""Insight: facts about resizes as plain data; `report` draws and prints them."""

from __future__ import annotations

from .torch_watch import watch

__all__ = ["watch"]
__dir__ = __all__.copy
