"""What backends need of the modules above them, which they may not import: those hand it down here.

`understand(verb, shape, dtype, default_axes, words)` gives the plan and the axes that the words of a call mean, and
`read(text)` the plan of a text (`Plan.text`). To a backend itself, words and texts mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..plan import Plan

understand: Callable[..., tuple[Plan, tuple[int, ...]]]
read: Callable[[str], Plan]


def hand_down(**functions: Callable[..., Any]) -> None:
    """Sets the functions of this module."""
    globals().update(functions)
