"""From the arguments of a call to its plan: sizes, scales and axes are checked here, once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from . import dialects, plan_text, validation
from . import plan as plans
from .axes import resolve_axes
from .dialects import Dialect, Request
from .errors import FRAMEWORKS, ArgumentError, format_count, is_raised_by, short_repr
from .memory_limits import require_memory
from .plan import Plan

# size, method, scale, antialias, dialect, axes, options
CallArguments = tuple[Any, Any, Any, Any, Any, Any, dict[str, Any]]


def resolve_call(
    verb: str,
    shape: tuple[int, ...],
    dtype: np.dtype,
    default: tuple[int, ...],
    words: CallArguments,
    allocates: bool = True,
) -> tuple[Plan, tuple[int, ...]]:
    """The plan that a call's words make for an array of that shape and dtype, and the axes it is for.

    `default` are the axes resized by default, and `allocates` says whether the result is a new array.

    >>> plan, axes = resolve_call("resize", (8, 6, 3), np.dtype("float32"), (-3, -2), ((4, 3), "area", None, None,
    ...     "standard", None, {}))
    >>> plan.input_size, plan.output_size, axes
    ((8, 6), (4, 3), (0, 1))
    """
    request, where = _asked(verb, shape, dtype, default, words)
    if any(map(validation.is_symbolic, (*request.input_size, *request.output_size))):  # a plan has sizes that are known
        n_in, n_out = tuple(map(int, request.input_size)), tuple(map(int, request.output_size))
        request = replace(request, input_size=n_in, output_size=n_out)
    if allocates:
        lengths = request.output_size if verb == "resize" else request.input_size
        _require_memory(shape, dtype, where, lengths)
    plan = plans.build(request)
    return (plan if verb == "resize" else plan.T), where


def resolve_request(
    verb: str, shape: tuple[Any, ...], dtype: np.dtype, default: tuple[int, ...], words: CallArguments
) -> tuple[str, tuple[Any, ...], tuple[int, ...]]:
    """The text of what a call's words ask for, the lengths that it makes of the axes, and these axes.

    Unlike `resolve_call` this builds no plan, so that lengths may be those that a graph leaves open.

    >>> words = ((4, 3), "area", None, None, "standard", None, {})
    >>> text, size, axes = resolve_request("resize", (8, 6, 3), np.dtype("float32"), (-3, -2), words)
    >>> plan_text.from_text(text, (8, 6), size).output_size
    (4, 3)
    """
    request, where = _asked(verb, shape, dtype, default, words)
    if verb == "resize":
        return plan_text.to_text_without_sizes("whole", request), request.output_size, where
    return plan_text.to_text_without_sizes("T", request), request.input_size, where


def _asked(
    verb: str, shape: tuple[Any, ...], dtype: np.dtype, default: tuple[int, ...], words: CallArguments
) -> tuple[Request, tuple[int, ...]]:
    """The request of the forward call, as arrays of that dtype make it, and the axes it is for."""
    size, method, scale, antialias, dialect, axes, options = words
    where = resolve_axes(axes, len(shape), default)
    along = _size_along(where, shape)
    if verb == "resize":
        request = make_request(along, size, method, scale, antialias, dialect, options, "size")
    else:
        request = _backward(along, where, size, method, scale, antialias, dialect, options)
    request, where = _in_array_order(request, where)
    return plans.request_for_dtype(request, dtype), where


def _backward(
    output_size: tuple[int, ...],
    axes: tuple[int, ...],
    input_size: Any,
    method: Any,
    scale: Any,
    antialias: Any,
    dialect: Any,
    options: dict[str, Any],
) -> Request:
    """The request of the forward call that made `output_size` of `input_size`."""
    lengths = require_lengths(input_size, len(axes), "input_size")
    size = output_size if scale is None or dialects.get(dialect).size_and_scale else None
    request = make_request(lengths, size, method, scale, antialias, dialect, options, "size")
    if scale is None and request.scale is not None:
        raise ArgumentError(
            f"dialect {dialect!r} takes its scale from the size that was asked for, which dy does not tell; "
            "use make_plan(input_size, size, ...).T(dy)"
        )
    if scale is None:  # what the dialect makes of a size, the forward call has made of it
        request = replace(request, output_size=output_size)
    if request.output_size != output_size:
        raise ArgumentError(
            f"dy has size {output_size} along axes {axes}, but input_size {lengths} at scale {short_repr(scale)} "
            f"gives {request.output_size}"
        )
    return request


def make_request(
    input_size: tuple[int, ...],
    size: Any,
    method: Any,
    scale: Any,
    antialias: Any,
    dialect: Any,
    options: dict[str, Any],
    name: str,
) -> Request:
    """The request that the caller's words make, every one checked; `name` is what the caller calls the size."""
    chosen = dialects.get(dialect)
    canonical = chosen.resolve_method(method)
    smooth, words = chosen.resolve_antialias(canonical, antialias), chosen.fill_options(options, len(input_size))
    output_size, scales = _sizes(chosen, input_size, size, scale, dict(words), name)
    return Request(chosen.name, canonical, smooth, input_size, output_size, scales, words)


def _sizes(
    dialect: Dialect, input_size: tuple[int, ...], size: Any, scale: Any, options: dict[str, Any], name: str
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """The output size, and the scale of the coordinates where it is not the ratio of the sizes."""
    if size is None and scale is None:
        raise ArgumentError(f"give {name} or scale, one of them; neither was given")
    if size is not None and scale is not None and not dialect.size_and_scale:
        raise ArgumentError(f"give {name} or scale, one of them; both were given")
    scales = None if scale is None else tuple(map(dialect.scale, _scales(scale, len(input_size), dialect.flips)))
    if size is None and scales is not None:
        return _scaled(dialect, input_size, scales), scales
    lengths = require_lengths(size, len(input_size), name)
    if scales is not None:
        return lengths, scales
    fitted, scales = dialect.fit(input_size, lengths, options)
    return require_lengths(fitted, len(input_size), f"{name} {lengths}, as dialect {dialect.name!r} fits it"), scales


def _in_array_order(request: Request, axes: tuple[int, ...]) -> tuple[Request, tuple[int, ...]]:
    """The same request with its axes as they lie in the array: a dialect's order of passes speaks of those."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    if order == list(range(len(axes))):
        return request, axes
    input_size, output_size = (tuple(n[i] for i in order) for n in (request.input_size, request.output_size))
    scale = None if request.scale is None else tuple(request.scale[i] for i in order)
    options = dialects.get(request.dialect).reorder_options(request.options, order)
    sorted_request = replace(request, input_size=input_size, output_size=output_size, scale=scale, options=options)
    return sorted_request, tuple(axes[i] for i in order)


def _scaled(dialect: Dialect, input_size: tuple[int, ...], scales: tuple[float, ...]) -> tuple[int, ...]:
    """The output size that follows from scales, by the dialect's own rule."""
    known = [(n, scale) for n, scale in zip(input_size, scales, strict=True) if isinstance(n, int)]
    if any(n * scale > validation.MAX_AXIS_LENGTH for n, scale in known):
        raise ArgumentError(f"scale {scales} of {input_size} makes an axis longer than {validation.MAX_AXIS_LENGTH:,}")
    size = tuple(dialect.length(n, scale) for n, scale in zip(input_size, scales, strict=True))
    if any(n < 1 for n in size):
        raise ArgumentError(f"scale {scales} of {input_size} makes size {size}; every length must be 1 or more")
    return size


def require_lengths(given: Any, count: int | None, name: str) -> tuple[int, ...]:
    """Lengths of axes as integers of at least 1, `count` of them."""
    entries = (given,) if _whole(given) is not None else validation.as_sequence(given)
    if entries is None:
        raise ArgumentError(f"{name} must be integers, one per axis, not {short_repr(given)}")
    if count is not None and len(entries) != count:
        raise ArgumentError(
            f"{name} is {short_repr(given)}, with {len(entries)} for {count} resized axes; give one length per axis"
        )
    if not entries:
        raise ArgumentError(f"{name} is empty; give one length per axis")
    return tuple(_length(entry, position, name) for position, entry in enumerate(entries))


def _whole(given: Any) -> int | None:
    """The integer that a value is, or the one that a graph leaves open; None for all else."""
    return given if validation.is_symbolic(given) else validation.as_int(given)


def _length(entry: Any, position: int, name: str) -> int:
    length = _whole(entry)
    if length is None or length < 1:
        given = short_repr(entry if length is None else int(length))
        raise ArgumentError(f"{name}: entry {position} is {given}; every entry must be an integer of at least 1")
    if (
        isinstance(length, int) and length > validation.MAX_AXIS_LENGTH
    ):  # an open length gets no bound, which exports would refuse
        raise ArgumentError(
            f"{name}: entry {position} is {short_repr(length)}; an axis may have at most {validation.MAX_AXIS_LENGTH:,} entries, "
            f"and a row of so many float32 alone would take {format_count(4 * length)} bytes"
        )
    return length


def _scales(given: Any, count: int, flips: bool) -> tuple[float, ...]:
    """Scales as finite numbers, one per axis: positive ones, unless negative ones flip the image."""
    entries = validation.as_sequence(given)
    if entries is not None and len(entries) != count:
        raise ArgumentError(
            f"scale is {short_repr(given)}, with {len(entries)} for {count} resized axes; give one number, or one per axis"
        )
    each = (given,) * count if entries is None else entries
    numbers = [validation.as_float(entry) or 0.0 for entry in each]
    if min(map(abs, numbers) if flips else numbers) <= 0:
        kind = "finite number other than 0" if flips else "positive finite number"
        raise ArgumentError(f"scale must be a {kind} (or one per axis), not {short_repr(given)}")
    return tuple(numbers)


def _size_along(axes: tuple[int, ...], shape: tuple[Any, ...]) -> tuple[int, ...]:
    """The lengths of the axes to resize: known, and none of them 0."""
    try:
        size = tuple(n if validation.is_symbolic(n) else int(n) for n in (shape[axis] for axis in axes))
    except Exception as failure:  # whatever a framework raises for a length that a graph leaves open
        if not is_raised_by(failure, *FRAMEWORKS):
            raise
        raise ArgumentError(
            f"cannot resize an axis of unknown length: the array has shape {tuple(shape)}; "
            "batch and channel axes may be unknown, resized ones may not"
        ) from None
    if 0 in size:
        raise ArgumentError(
            f"cannot resize an axis of length 0: the array has shape {tuple(shape)}; "
            "batch and channel axes may be empty, resized ones may not"
        )
    return size


def _require_memory(given: tuple[Any, ...], dtype: np.dtype, axes: tuple[int, ...], size: tuple[int, ...]) -> None:
    """Refuses a result that cannot fit in memory, before even its plan is built."""
    shape = list(given)
    for axis, length in zip(axes, size, strict=True):
        shape[axis] = length
    known = (n for n in shape if isinstance(n, int))  # others stand for a length in somebody's graph
    require_memory(math.prod(known) * dtype.itemsize, "a result of shape {} and dtype {}", tuple(shape), dtype)
