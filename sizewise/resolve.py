"""Resolution of a call's arguments to its plan: sizes, scales and axes are checked here, once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from . import dialects, plan_text, validation
from . import plan as plans
from .axes import HINT, resolve_axes
from .dialects import Dialect, Request
from .errors import FRAMEWORKS, ArgumentError, format_count, is_raised_by, short_repr
from .memory_limits import MIN_CHECKED_BYTES, require_memory
from .plan import Plan

# size, method, scale, antialias, dialect, axes, layout, options
CallArguments = tuple[Any, Any, Any, Any, Any, Any, Any, dict[str, Any]]


def resolve_call(
    verb: str,
    shape: tuple[int, ...],
    dtype: np.dtype,
    default: tuple[int, ...],
    arguments: CallArguments,
    allocates: bool = True,
) -> tuple[Plan, tuple[int, ...]]:
    """Return the plan of a call for an array of that shape and dtype, and the axes it resizes.

    `verb` is "resize" or "resize_grad", `default` the axes to resize if none are given. With `allocates` the result is
    a new array, which must fit in memory.

    >>> plan, axes = resolve_call("resize", (8, 6, 3), np.dtype("float32"), (-3, -2), ((4, 3), "area", None, None,
    ...     "standard", None, None, {}))
    >>> plan.input_size, plan.output_size, axes
    ((8, 6), (4, 3), (0, 1))
    """
    request, axes = _forward_request(verb, shape, dtype, default, arguments)
    if {*map(type, request.input_size), *map(type, request.output_size)} != {int}:  # plans have concrete sizes
        n_in, n_out = tuple(map(int, request.input_size)), tuple(map(int, request.output_size))
        request = replace(request, input_size=n_in, output_size=n_out)
    if allocates:
        lengths = request.output_size if verb == "resize" else request.input_size
        _require_memory(shape, dtype, axes, lengths)
    plan = plans.build(request)
    return (plan if verb == "resize" else plan.T), axes


def resolve_request(
    verb: str, shape: tuple[Any, ...], dtype: np.dtype, default: tuple[int, ...], arguments: CallArguments
) -> tuple[str, tuple[Any, ...], tuple[int, ...]]:
    """Return the text of a call's plan without sizes, the resulting lengths of the resized axes, and these axes.

    Unlike `resolve_call` this builds no plan, so that lengths may be symbolic.

    >>> arguments = ((4, 3), "area", None, None, "standard", None, None, {})
    >>> text, size, axes = resolve_request("resize", (8, 6, 3), np.dtype("float32"), (-3, -2), arguments)
    >>> plan_text.from_text(text, (8, 6), size).output_size
    (4, 3)
    """
    request, axes = _forward_request(verb, shape, dtype, default, arguments)
    if verb == "resize":
        return plan_text.to_text_without_sizes("whole", request), request.output_size, axes
    return plan_text.to_text_without_sizes("T", request), request.input_size, axes


def _forward_request(
    verb: str, shape: tuple[Any, ...], dtype: np.dtype, default: tuple[int, ...], arguments: CallArguments
) -> tuple[Request, tuple[int, ...]]:
    """Return the request of the forward call for arrays of that dtype, and the axes it resizes."""
    size, method, scale, antialias, dialect, given_axes, layout, options = arguments
    axes = resolve_axes(given_axes, len(shape), default, layout)
    lengths = _lengths_along(axes, shape)
    if verb == "resize":
        request = make_request(lengths, size, method, scale, antialias, dialect, options, "size")
    else:
        request = _request_of_gradient(lengths, axes, size, method, scale, antialias, dialect, options)
    if axes != tuple(sorted(axes)):
        request, axes = _in_array_order(request, axes)
    return plans.request_for_dtype(request, dtype), axes


def _request_of_gradient(
    output_size: tuple[int, ...],
    axes: tuple[int, ...],
    input_size: Any,
    method: Any,
    scale: Any,
    antialias: Any,
    dialect: Any,
    options: dict[str, Any],
) -> Request:
    """Return the request of the forward call from `input_size` to `output_size`, the size of dy."""
    lengths = require_lengths(input_size, len(axes), "input_size")
    size = output_size if scale is None or dialects.get(dialect).size_and_scale else None
    request = make_request(lengths, size, method, scale, antialias, dialect, options, "size")
    if scale is None and request.scale is not None:
        raise ArgumentError(
            f"the scale of dialect {dialect!r} depends on the requested size, which is not known from dy; "
            "use make_plan(input_size, size, ...).T(dy)"
        )
    if scale is None:  # the forward call has already fitted the size
        request = replace(request, output_size=output_size)
    if request.output_size != output_size:
        raise ArgumentError(
            f"dy has size {output_size} along axes {axes}, but input_size {lengths} at scale {short_repr(scale)} "
            f"gives {request.output_size}; {HINT}"
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
    """Return the request of a call with every argument checked; `name` is the argument that `size` comes from."""
    chosen = dialects.get(dialect)
    canonical = chosen.resolve_method(method)
    is_smooth, items = chosen.resolve_antialias(canonical, antialias), chosen.fill_options(options, len(input_size))
    output_size, scales = _resolve_size(chosen, input_size, size, scale, dict(items), name)
    return Request(chosen.name, canonical, is_smooth, input_size, output_size, scales, items)


def _resolve_size(
    dialect: Dialect, input_size: tuple[int, ...], size: Any, scale: Any, options: dict[str, Any], name: str
) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    """Return the output size, and the scale of the coordinates if that is not the ratio of the sizes."""
    if size is None and scale is None:
        raise ArgumentError(f"give either {name} or scale; neither was given")
    if size is not None and scale is not None and not dialect.size_and_scale:
        raise ArgumentError(f"give either {name} or scale; both were given")
    scales = (
        None if scale is None else tuple(map(dialect.scale, _require_scales(scale, len(input_size), dialect.flips)))
    )
    if size is None and scales is not None:
        return _size_from_scale(dialect, input_size, scales), scales
    lengths = require_lengths(size, len(input_size), name)
    if scales is not None:
        return lengths, scales
    fitted, scales = dialect.fit(input_size, lengths, options)
    if fitted is lengths:
        return lengths, scales
    return require_lengths(fitted, len(input_size), f"{name} {lengths}, fitted by dialect {dialect.name!r}"), scales


def _in_array_order(request: Request, axes: tuple[int, ...]) -> tuple[Request, tuple[int, ...]]:
    """Return the request with its axes sorted, as a dialect's order of passes refers to array order."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    input_size, output_size = (tuple(n[i] for i in order) for n in (request.input_size, request.output_size))
    scale = None if request.scale is None else tuple(request.scale[i] for i in order)
    options = dialects.get(request.dialect).reorder_options(request.options, order)
    sorted_request = replace(request, input_size=input_size, output_size=output_size, scale=scale, options=options)
    return sorted_request, tuple(axes[i] for i in order)


def _size_from_scale(dialect: Dialect, input_size: tuple[int, ...], scales: tuple[float, ...]) -> tuple[int, ...]:
    """Return the output size for scales, by the dialect's rule."""
    known = [(n, scale) for n, scale in zip(input_size, scales, strict=True) if isinstance(n, int)]
    if any(n * scale > validation.MAX_AXIS_LENGTH for n, scale in known):
        raise ArgumentError(f"scale {scales} of {input_size} gives an axis longer than {validation.MAX_AXIS_LENGTH:,}")
    size = tuple(dialect.length(n, scale) for n, scale in zip(input_size, scales, strict=True))
    if any(n < 1 for n in size):
        raise ArgumentError(f"scale {scales} of {input_size} gives size {size}; every length must be 1 or more")
    return size


def require_lengths(given: Any, count: int | None, name: str) -> tuple[int, ...]:
    """Return `count` lengths of axes as integers of at least 1; raise ArgumentError for all other values."""
    is_plain = type(given) is tuple and {*map(type, given)} == {int} and min(given) >= 1
    if is_plain and len(given) == (count or len(given)) and max(given) <= validation.MAX_AXIS_LENGTH:
        return given  # type: ignore[no-any-return]
    entries = (given,) if _as_length(given) is not None else validation.as_sequence(given)
    if entries is None:
        raise ArgumentError(f"{name} must be integers, one per axis, not {short_repr(given)}")
    if count is not None and len(entries) != count:
        example = (
            f", such as {name}={short_repr((given,) * count)}" if count and entries and entries[0] is given else ""
        )
        hint = f", or {HINT}" if name in ("size", "input_size") else ""
        raise ArgumentError(
            f"{name} is {short_repr(given)}, {_compare_counts(len(entries), 'length', count)}; "
            f"give one length per axis{example}{hint}"
        )
    if not entries:
        raise ArgumentError(f"{name} is empty; give one length per axis")
    return tuple(_require_length(entry, position, name) for position, entry in enumerate(entries))


def _compare_counts(given: int, noun: str, axes: int) -> str:
    """Return how many of something are given for how many axes, in words."""
    return f"{given} {noun}{'' if given == 1 else 's'} for {axes} resized ax{'is' if axes == 1 else 'es'}"


def _as_length(given: Any) -> int | None:
    """Return an integer, or a symbolic one of PyTorch; None for all other values."""
    return given if validation.is_symbolic(given) else validation.as_int(given)


def _require_length(entry: Any, position: int, name: str) -> int:
    length = _as_length(entry)
    if length is None or length < 1:
        given = short_repr(entry if length is None else int(length))
        raise ArgumentError(f"{name}: entry {position} is {given}; every entry must be an integer of at least 1")
    # A symbolic length is not compared: exports reject the constraint.
    if isinstance(length, int) and length > validation.MAX_AXIS_LENGTH:
        raise ArgumentError(
            f"{name}: entry {position} is {short_repr(length)}; an axis may have at most "
            f"{validation.MAX_AXIS_LENGTH:,} entries (one row of float32 would take {format_count(4 * length)} bytes)"
        )
    return length


def _require_scales(given: Any, count: int, flips: bool) -> tuple[float, ...]:
    """Return one finite scale per axis: positive, or nonzero if negative ones flip the image."""
    entries = validation.as_sequence(given)
    if entries is not None and len(entries) != count:
        raise ArgumentError(
            f"scale is {short_repr(given)}, {_compare_counts(len(entries), 'number', count)}; "
            "give one number, or one per axis"
        )
    each = (given,) * count if entries is None else entries
    scales = [validation.as_float(entry) or 0.0 for entry in each]
    if min(map(abs, scales) if flips else scales) <= 0:
        kind = "finite number other than 0" if flips else "positive finite number"
        raise ArgumentError(f"scale must be a {kind} (or one per axis), not {short_repr(given)}")
    return tuple(scales)


def _lengths_along(axes: tuple[int, ...], shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the lengths of the axes to resize; raise ArgumentError if one is unknown or 0."""
    if type(shape) is tuple:
        size = tuple([shape[axis] for axis in axes])
        if {*map(type, size)} == {int} and 0 not in size:
            return size
    try:
        size = tuple(n if validation.is_symbolic(n) else int(n) for n in (shape[axis] for axis in axes))
    except Exception as failure:  # of a framework, for a length unknown in a graph
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
    """Raise ArgumentError if the result does not fit in memory, before its plan is built."""
    shape = list(given)
    for axis, length in zip(axes, size, strict=True):
        shape[axis] = length
    n_bytes = math.prod([n for n in shape if isinstance(n, int)]) * dtype.itemsize  # symbolic lengths are not counted
    if n_bytes > MIN_CHECKED_BYTES:
        require_memory(n_bytes, "a result of shape {} and dtype {}", tuple(shape), dtype)
