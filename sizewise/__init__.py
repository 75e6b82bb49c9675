"""Sizewise resizes images and arrays, and differentiates the resize, exactly.

>>> import numpy as np, sizewise as sw
>>> sw.resize(np.zeros((480, 640, 3), np.float32), (224, 224)).shape
(224, 224, 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import dialects, errors, filters, testing
from . import notebook as notebook  # so that plans can show themselves
from .api import index_map, make_plan, resize, resize_grad
from .plan import Plan
from .taps import Taps
from .upkeep import clear_cache, warmup
from .version import __version__

if TYPE_CHECKING:
    from .insight.identify import identify

__all__ = [
    "Plan",
    "Taps",
    "__version__",
    "clear_cache",
    "dialects",
    "errors",
    "filters",
    "identify",
    "index_map",
    "make_plan",
    "resize",
    "resize_grad",
    "testing",
    "warmup",
]


def __getattr__(name: str) -> Any:
    """What is imported only when it is asked for."""
    if name == "identify":
        from .insight.identify import identify

        return identify
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
