"""What plans and facts need of the modules above them, which they may not import: those hand it down here.

`explain(plan)` gives the facts of a plan, and `html(variants)` what a notebook shows of such facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .insight.variant import Variant
    from .plan import Plan

explain: Callable[[Plan], Variant]
html: Callable[[Sequence[Variant]], str | None]


def hand_down(**functions: Callable[..., Any]) -> None:
    """Sets the functions of this module."""
    globals().update(functions)
