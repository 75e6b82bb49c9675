"""Cache of recent calls: from their arguments, as given, to the prepared call.

Arguments that are equal may differ in type, such as (4, 4) and (4.0, 4.0), of which only one is a size. Keys therefore
hold the types of arguments too, where the type is not checked.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import plan as plans
from .plan import Plan

if TYPE_CHECKING:
    from .resolve import CallArguments
    from .typing import ArrayT

MAX_CALLS = 64
PreparedCall = Callable[[Any, Any, int | None], Any]  # (x, out, threads) -> result
_calls: dict[Any, PreparedCall] = {}
_plan_bytes: deque[int] = deque(maxlen=MAX_CALLS)  # of the plans of these calls
_plans: weakref.WeakValueDictionary[Any, Plan] = weakref.WeakValueDictionary()


def look_up(
    verb: str, x: ArrayT, arguments: CallArguments, engine: Any
) -> tuple[Any, Callable[[ArrayT, Any, int | None], ArrayT] | None]:
    """Return the key of a call, None if it cannot be cached, and the prepared call, None if it is not in the cache."""
    size, method, scale, antialias, dialect, axes, layout, options = arguments
    if type(size) is not tuple or scale is not None or not (antialias is None or type(antialias) is bool):
        return None, None
    try:
        key: Any = (type(x), x.shape, x.dtype, verb, method, dialect, antialias, engine, size)  # type: ignore[attr-defined]
        if not (len(size) == 2 and type(size[0]) is int and type(size[1]) is int):  # the usual size, known by its check
            key = (*key, *map(type, size))
        if options or axes is not None or layout is not None:
            if not (axes is None or type(axes) is tuple):
                return None, None
            values = (*(axes or ()), *options.values(), layout)
            key = (*key, axes, *options, *values, *map(type, values))
        return key, _calls.get(key)
    except (TypeError, AttributeError, ValueError):  # an argument or a shape that cannot be hashed, or x is no array
        return None, None


def add(key: Any, prepared: PreparedCall, plan: Plan) -> None:
    """Add a prepared call; drop all others if they are too many, or their plans too large."""
    if key is None:
        return
    _plan_bytes.append(plan.n_bytes)
    if len(_calls) >= MAX_CALLS or sum(_plan_bytes.copy()) > plans.MAX_PLAN_BYTES:
        clear()
        _plan_bytes.append(plan.n_bytes)
    _calls[key] = prepared


def look_up_plan(arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Plan | None]:
    """Return the key of a call of `make_plan`, None if it cannot be cached, and its plan, None if it is not in use."""
    key = (*arguments, *options.items(), *map(_types, arguments), *map(_types, options.values()))
    try:
        return key, _plans.get(key)
    except TypeError:  # an argument that cannot be hashed, such as a list
        return None, None


def add_plan(key: Any, plan: Plan) -> None:
    """Add the plan of a call of `make_plan`."""
    if key is None:
        return
    if len(_plans) >= MAX_CALLS:
        _plans.clear()
    _plans[key] = plan


def clear() -> None:
    """Drop all calls and plans."""
    _calls.clear()
    _plans.clear()
    _plan_bytes.clear()


def _types(argument: Any) -> Any:
    return tuple(map(type, argument)) if type(argument) is tuple else type(argument)
