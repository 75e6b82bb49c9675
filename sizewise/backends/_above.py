"""What backends need of the modules above them, which they may not import: those hand it down here.

`understand(verb, shape, dtype, default_axes, words)` gives the plan and the axes that the words of a call mean;
`resolve`, of the same arguments, its text, its output size and the axes, where a graph may leave lengths open.
`read(text)` is the plan of a text (`Plan.text`), and `read(text, input_size, output_size)` that of other sizes;
`transpose(text)` the text of its transpose, and `result(text, dtype)` the dtype that it makes of another.
To a backend itself, words and texts mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from ..plan import Plan

understand: Callable[..., tuple[Plan, tuple[int, ...]]]
resolve: Callable[..., tuple[str, tuple[Any, ...], tuple[int, ...]]]
read: Callable[..., Plan]
transpose: Callable[[str], str]
result: Callable[[str, np.dtype], np.dtype]


def hand_down(**functions: Callable[..., Any]) -> None:
    """Sets the functions of this module."""
    globals().update(functions)
