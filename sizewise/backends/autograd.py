"""HIPS autograd boxes: the plan as a primitive whose derivatives are the plan and its transpose.

A resize is linear, so its forward-mode derivative is the same plan (its linear part, if outputs outside the image have
a fill value) and its reverse-mode derivative the transposed plan, through the same primitive: derivatives of any order
and mode follow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from autograd.extend import defjvp, defvjp, primitive

from .. import validation
from . import CHANNELS_LAST, refuse_out
from . import numpy as arrays

if TYPE_CHECKING:
    from ..plan import Plan

AXES = CHANNELS_LAST


def array(x: Any) -> Any:
    """Return the box itself; raise if its elements cannot be resized."""
    validation.require_resizable_dtype(x.dtype)
    return x


def dtype(x: Any) -> np.dtype:
    """Return the dtype of the elements of a box."""
    kind: np.dtype = x.dtype
    return kind


def prepare(
    plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None
) -> Callable[[Any, object, int | None], Any]:
    """Return a function that applies the plan to boxes of this shape and dtype."""
    return partial(_resize_box, plan, axes, engine)


def _resize_box(
    plan: Plan, axes: tuple[int, ...], engine: str | None, x: Any, out: object = None, threads: int | None = None
) -> Any:
    refuse_out(out, "autograd boxes")
    return _resize(x, plan, axes, threads, engine)


def _resize_array(x: Any, plan: Plan, axes: tuple[int, ...], threads: int | None, engine: str | None) -> Any:
    return arrays.prepare(plan, arrays.array(x), axes, engine)(x, None, threads)


_resize: Any = primitive(_resize_array)
defvjp(
    _resize,
    lambda answer, x, plan, axes, threads, engine: lambda g: _resize(g, plan.T, axes, threads, engine),
    argnums=(0,),
)
defjvp(
    _resize,
    lambda g, answer, x, plan, axes, threads, engine: _resize(g, plan.linear, axes, threads, engine),
    argnums=(0,),
)
