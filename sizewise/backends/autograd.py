"""HIPS autograd boxes: the plan as a primitive whose derivatives are the plan and its transpose.

A resize is linear, so its forward-mode derivative is the same plan (its linear part, if outputs outside the image have
a fill value) and its reverse-mode derivative the transposed plan, through the same primitive: derivatives of any order
and mode follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd.extend import defjvp, defvjp, primitive

from .. import validation
from . import CHANNELS_LAST
from . import numpy as arrays
from ._call import Call, Prepared, prepare_without_out
from .numpy import dtype as dtype

if TYPE_CHECKING:
    from ..plan import Plan

AXES = CHANNELS_LAST


def array(x: Any) -> Any:
    """Return the box itself; raise if its elements cannot be resized."""
    validation.require_resizable_dtype(x.dtype)
    return x


def prepare(plan: Plan, x: Any, axes: tuple[int, ...], engine: str | None = None) -> Prepared:
    """Return a function that applies the plan to boxes of this shape and dtype."""
    return prepare_without_out(_resize, "autograd boxes", plan, axes, engine)


def _resize_array(x: Any, call: Call) -> Any:
    return arrays.prepare(call.plan, arrays.array(x), call.axes, call.engine)(x, None, call.threads)


_resize: Any = primitive(_resize_array)
defvjp(_resize, lambda answer, x, call: lambda g: _resize(g, call.T), argnums=(0,))
defjvp(_resize, lambda g, answer, x, call: _resize(g, call.linear), argnums=(0,))
