"""Sizewise resizes images and arrays, and differentiates the resize, exactly.

>>> import numpy as np, sizewise as sw
>>> sw.resize(np.zeros((480, 640, 3), np.float32), (224, 224)).shape
(224, 224, 3)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import dialects, errors, filters
from ._core import CoreInfo, core_info
from .api import index_map, make_plan, resize, resize_grad
from .cache_clearing import clear_cache
from .plan import Plan
from .taps import Taps
from .version import __version__

if TYPE_CHECKING:
    from . import testing
    from .insight.identify import identify

__all__ = [
    "CoreInfo",
    "Plan",
    "Taps",
    "__version__",
    "clear_cache",
    "core_info",
    "dialects",
    "errors",
    "filters",
    "identify",
    "index_map",
    "make_plan",
    "resize",
    "resize_grad",
    "testing",
]


def __getattr__(name: str) -> Any:
    """Import what is rarely used when it is first asked for."""
    if name == "testing":
        return import_module(f"{__name__}.testing")  # `from . import testing` would call this function again
    if name == "identify":
        from .insight.identify import identify

        return identify
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
