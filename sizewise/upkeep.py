"""Memory that is kept to make later calls fast, and how to give it back."""

from __future__ import annotations

from . import _core, api
from . import plan as plans
from .engine import buffer_pool


def clear_cache() -> None:
    """Give back the memory that is kept to make later calls fast: plans, kernel calls, and blocks of results.

    Nothing that a program still holds is touched.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((4, 4), (2, 2))
    >>> sw.clear_cache()
    >>> sw.make_plan((4, 4), (2, 2)) is plan
    False
    """
    api.forget()
    plans.forget()
    buffer_pool.clear()
    native = _core.native()
    if native is not None:
        native.xla_clear()
