"""Clearing of all caches."""

from __future__ import annotations

from . import _core, call_cache
from . import plan as plans
from .engine import buffer_pool


def clear_cache() -> None:
    """Free the memory of caches: plans, kernel calls, and blocks of results.

    Plans and arrays that are still referenced stay valid.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((4, 4), (2, 2))
    >>> sw.clear_cache()
    >>> sw.make_plan((4, 4), (2, 2)) is plan
    False
    """
    call_cache.clear()
    plans.clear()
    buffer_pool.clear()
    native = _core.native()
    if native is not None:
        native.xla_clear()
