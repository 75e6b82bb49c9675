"""HIPS autograd boxes: the plan as a primitive whose derivatives are the plan and its transpose.

A resize is linear, so that its forward-mode derivative is the same plan (its linear part, where outputs outside the
image have a value of their own) and its reverse-mode derivative the transposed plan, each through the same primitive:
derivatives of any order and mode follow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from autograd.extend import defjvp, defvjp, primitive

from ..errors import ArgumentError
from . import numpy as arrays

if TYPE_CHECKING:
    from ..plan import Plan

AXES = arrays.AXES


def array(x: Any) -> Any:
    """The box itself, if it holds numbers that can be resized."""
    arrays.require_numbers(x.dtype)
    return x


def prepare(plan: Plan, x: Any, axes: tuple[int, ...]) -> Callable[[Any, object, int | None], Any]:
    """What applies the plan to boxes of this shape and dtype."""
    return partial(_prepared, plan, axes)


def _prepared(plan: Plan, axes: tuple[int, ...], x: Any, out: object = None, threads: int | None = None) -> Any:
    return apply(plan, x, axes, out, threads)


def apply(plan: Plan, x: Any, axes: tuple[int, ...], out: object = None, threads: int | None = None) -> Any:
    """The plan applied along `axes` of a box, as a box."""
    if out is not None:
        raise ArgumentError("out cannot be used with autograd boxes: the derivative needs a new array; leave it out")
    return _resized(x, plan, axes, threads)


def _numbers(x: Any, plan: Plan, axes: tuple[int, ...], threads: int | None) -> Any:
    return arrays.apply(plan, x, axes, None, threads)


_resized: Any = primitive(_numbers)
defvjp(
    _resized,
    lambda answer, x, plan, axes, threads: lambda g: _resized(g, plan.T, axes, threads),
    argnums=(0,),
)
defjvp(
    _resized,
    lambda g, answer, x, plan, axes, threads: _resized(g, plan.linear, axes, threads),
    argnums=(0,),
)
