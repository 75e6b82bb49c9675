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
from .geometry import AxisGeometry, Geometry
from .plan import Plan
from .taps import Taps
from .version import __version__

if TYPE_CHECKING:
    from . import testing
    from .insight.audit import audit
    from .insight.comparison import compare
    from .insight.explanation import explain
    from .insight.identify import identify
    from .insight.torch_watch import watch
    from .insight.translation import translate
    from .preprocess import Preprocessor

__all__ = [
    "AxisGeometry",
    "CoreInfo",
    "Geometry",
    "Plan",
    "Preprocessor",
    "Taps",
    "__version__",
    "audit",
    "clear_cache",
    "compare",
    "core_info",
    "dialects",
    "errors",
    "explain",
    "filters",
    "identify",
    "index_map",
    "make_plan",
    "resize",
    "resize_grad",
    "testing",
    "translate",
    "watch",
]
__dir__ = __all__.copy

# Names that are imported when they are first used -> their modules.
_LAZY = {
    "Preprocessor": "preprocess",
    "audit": "insight.audit",
    "compare": "insight.comparison",
    "explain": "insight.explanation",
    "identify": "insight.identify",
    "translate": "insight.translation",
    "watch": "insight.torch_watch",
}


def __getattr__(name: str) -> Any:
    """Return what is imported only when it is first used."""
    if name == "testing":
        return import_module(f"{__name__}.testing")  # `from . import testing` would call this function again
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
