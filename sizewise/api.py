"""The public verbs: words in, checked once, at this one door; the only place with defaults."""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import backends, checks, dialects
from . import plan as plans
from .dialects import Dialect, Request
from .errors import FRAMEWORKS, ArgumentError, counted, is_of, require_bytes, shown
from .plan import Plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What the words of recent calls led to. Names are not even lower-cased on the way there.
Prepared = Callable[[Any, Any, int | None], Any]
_recent: dict[Any, Prepared] = {}
_made: weakref.WeakValueDictionary[Any, Plan] = weakref.WeakValueDictionary()  # plans, by the words they were asked for
_MOST_RECENT = 64
_weights: deque[int] = deque(maxlen=_MOST_RECENT)  # of the plans that these hold
Words = tuple[Any, Any, Any, Any, Any, Any, dict[str, Any]]  # size, method, scale, antialias, dialect, axes, options


@backends.as_it_is
def resize(
    x: Any,
    size: Any = None,
    method: str = "bilinear",
    *,
    scale: Any = None,
    antialias: bool | None = None,
    dialect: str = "standard",
    axes: Any = None,
    out: Any = None,
    threads: int | None = None,
    engine: str | None = None,
    **options: Any,
) -> Any:
    """The array resized along `axes`, as an array of its own kind and dtype.

    Args:
        x: an array of any rank, strides and numeric dtype, or nested lists.
        size: the wanted lengths in array order, one per resized axis: (height, width) for images.
        method: a filter (`sw.filters.names()`), "nearest" or "area", or what the dialect offers.
        scale: instead of size: output over input, one number or one per axis.
        antialias: None for the dialect's own default. Acts only on axes that shrink.
        dialect: whose pixels to give (`sw.dialects.names()`).
        axes: which axes; by default all of a 1-D or 2-D array, else (-3, -2): channels last.
        out: an array to write into; it must not overlap x.
        threads: at most so many threads; by default SIZEWISE_THREADS or the cores of this process.
        engine: "kernel" (Sizewise's own, on CPU) or "framework" (ops of the array's own library, on any device and in
            any graph); None for the one that suits the array.
        options: the dialect's own words, such as align_corners.

    >>> import numpy as np, sizewise as sw
    >>> sw.resize(np.array([[0.0, 1.0], [2.0, 3.0]]), (2, 4))
    array([[0.  , 0.25, 0.75, 1.  ],
           [2.  , 2.25, 2.75, 3.  ]])
    """
    if backends.compiling():
        words = (size, method, scale, antialias, dialect, axes, options)
        return backends.compiled("resize", x, words, out, threads, engine)
    key, known = _look_up("resize", x, size, method, scale, antialias, dialect, axes, engine, options)
    if known is not None:
        return known(x, out, threads)
    return _call("resize", key, x, (size, method, scale, antialias, dialect, axes, options), out, threads, engine)


@backends.as_it_is
def resize_grad(
    dy: Any,
    input_size: Any,
    method: str = "bilinear",
    *,
    scale: Any = None,
    antialias: bool | None = None,
    dialect: str = "standard",
    axes: Any = None,
    out: Any = None,
    threads: int | None = None,
    engine: str | None = None,
    **options: Any,
) -> Any:
    """The gradient of a loss with respect to the input of `resize`, given `dy`, its gradient at the output.

    Args:
        dy: the gradient at the output: any floating array of the output's shape.
        input_size: the lengths of the resized axes of the input, one per axis.
        scale: the forward call's scale, if it had one; dy must then have the size that follows from it.

    All other arguments are those of the forward call. The gradient is the exact transpose of that call.

    >>> import numpy as np, sizewise as sw
    >>> sw.resize_grad(np.ones((2, 2)), (4, 4), dialect="tensorflow1").astype(int)
    array([[1, 0, 1, 0],
           [0, 0, 0, 0],
           [1, 0, 1, 0],
           [0, 0, 0, 0]])
    """
    if backends.compiling():
        words = (input_size, method, scale, antialias, dialect, axes, options)
        return backends.compiled("resize_grad", dy, words, out, threads, engine)
    key, known = _look_up("resize_grad", dy, input_size, method, scale, antialias, dialect, axes, engine, options)
    if known is not None:
        return known(dy, out, threads)
    words = (input_size, method, scale, antialias, dialect, axes, options)
    return _call("resize_grad", key, dy, words, out, threads, engine)


@backends.as_it_is
def make_plan(
    input_size: Any,
    output_size: Any = None,
    method: str = "bilinear",
    *,
    scale: Any = None,
    antialias: bool | None = None,
    dialect: str = "standard",
    **options: Any,
) -> Plan:
    """The plan of a resize from `input_size` to `output_size` (or by `scale`): built once, then kept.

    >>> import sizewise as sw
    >>> sw.make_plan((16, 16), (4, 4), dialect="tensorflow1")
    Plan 16x16 -> 4x4: bilinear, antialias=False, dialect=tensorflow1, align_corners=False, half_pixel_centers=False
    axis   n_in   n_out   scale   taps   row sums   inputs read
    0      16     4       0.25    1..1   1..1       4 (0.25 of all)
    1      16     4       0.25    1..1   1..1       4 (0.25 of all)
    tensorflow1: TensorFlow 1.14 to 2.21, tf.raw_ops
    """
    words = (input_size, output_size, method, scale, antialias, dialect)
    key: Any = (*words, *options.items(), *map(_kind, words), *map(_kind, options.values()))
    try:
        known = _made.get(key)
    except TypeError:  # a word that cannot be hashed, such as a list
        known = key = None
    if known is not None:
        return known
    lengths = _lengths(input_size, None, "input_size")
    plan = plans.build(_request(lengths, output_size, method, scale, antialias, dialect, options, "output_size"))
    if key is not None:
        if len(_made) >= _MOST_RECENT:
            _made.clear()
        _made[key] = plan
    return plan


def _kind(word: Any) -> Any:
    """What tells words apart that are equal: (4, 4) and (4.0, 4.0) are, but only one is a size."""
    return tuple(map(type, word)) if type(word) is tuple else type(word)


@backends.as_it_is
def index_map(
    n_in: int, n_out: int, method: str = "nearest", *, dialect: str = "standard", **options: Any
) -> NDArray[np.int64]:
    """Which input pixel each output pixel is, for methods that pick one.

    >>> import sizewise as sw
    >>> sw.index_map(4, 8), sw.index_map(4, 8, dialect="tfjs", align_corners=True)
    (array([0, 0, 1, 1, 2, 2, 3, 3]), array([0, 0, 1, 1, 2, 2, 3, 3]))
    """
    lengths = _lengths(n_in, 1, "n_in"), _lengths(n_out, 1, "n_out")
    plan = plans.build(_request(*lengths, method, None, None, dialect, options, "n_out"))
    if not plan.picks:
        does = "leaves outputs outside the image empty" if plan.copies else "mixes pixels"
        raise ArgumentError(f"method {shown(method)} {does}; an index map exists for methods that pick one (nearest)")
    return plan.taps[0].start


def _call(verb: str, key: Any, x: Any, words: Words, out: Any, threads: int | None, engine: str | None) -> Any:
    """A call whose words were not met before."""
    backend = backends.of(x)
    array = backend.array(x)
    room = out is None and not getattr(backend, "LAZY", False)
    plan, axes = understand(verb, array.shape, backend.dtype(array), backend.AXES, words, room=room)
    prepared = backend.prepare(plan, array, axes, backends.checked(engine))
    if array is x:  # not of what had to be made an array first: lists, and subclasses with ways of their own
        _remember(key, prepared, plan)
    return prepared(array, out, threads)


def understand(
    verb: str, shape: tuple[int, ...], dtype: np.dtype, default: tuple[int, ...], words: Words, room: bool = True
) -> tuple[Plan, tuple[int, ...]]:
    """The plan that a call's words make for an array of that shape and dtype, and the axes it is for.

    `default` are the axes resized by default, and `room` says whether the result needs memory of its own.

    >>> plan, axes = understand("resize", (8, 6, 3), np.dtype("float32"), (-3, -2), ((4, 3), "area", None, None,
    ...     "standard", None, {}))
    >>> plan.input_size, plan.output_size, axes
    ((8, 6), (4, 3), (0, 1))
    """
    request, where = _asked(verb, shape, dtype, default, words)
    if any(map(checks.is_symbolic, (*request.input_size, *request.output_size))):  # a plan has sizes that are known
        n_in, n_out = tuple(map(int, request.input_size)), tuple(map(int, request.output_size))
        request = replace(request, input_size=n_in, output_size=n_out)
    if room:
        lengths = request.output_size if verb == "resize" else request.input_size
        _require_room(shape, dtype, where, lengths)
    plan = plans.build(request)
    return (plan if verb == "resize" else plan.T), where


def resolve(
    verb: str, shape: tuple[Any, ...], dtype: np.dtype, default: tuple[int, ...], words: Words
) -> tuple[str, tuple[Any, ...], tuple[int, ...]]:
    """The text of what a call's words ask for, the lengths that it makes of the axes, and these axes.

    Unlike `understand` this builds no plan, so that lengths may be those that a graph leaves open.

    >>> words = ((4, 3), "area", None, None, "standard", None, {})
    >>> text, size, axes = resolve("resize", (8, 6, 3), np.dtype("float32"), (-3, -2), words)
    >>> plans.read(text, (8, 6), size) is make_plan((8, 6), (4, 3), "area")
    True
    """
    request, where = _asked(verb, shape, dtype, default, words)
    if verb == "resize":
        return plans.write_without_sizes("whole", request), request.output_size, where
    return plans.write_without_sizes("T", request), request.input_size, where


def _asked(
    verb: str, shape: tuple[Any, ...], dtype: np.dtype, default: tuple[int, ...], words: Words
) -> tuple[Request, tuple[int, ...]]:
    """The request of the forward call, as arrays of that dtype make it, and the axes it is for."""
    size, method, scale, antialias, dialect, axes, options = words
    where = plans.resolve_axes(axes, len(shape), default)
    along = _size_along(where, shape)
    if verb == "resize":
        request = _request(along, size, method, scale, antialias, dialect, options, "size")
    else:
        request = _backward(along, where, size, method, scale, antialias, dialect, options)
    request, where = _in_array_order(request, where)
    return plans.at(request, dtype), where


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
    lengths = _lengths(input_size, len(axes), "input_size")
    size = output_size if scale is None or dialects.get(dialect).size_and_scale else None
    request = _request(lengths, size, method, scale, antialias, dialect, options, "size")
    if scale is None and request.scale is not None:
        raise ArgumentError(
            f"dialect {dialect!r} takes its scale from the size that was asked for, which dy does not tell; "
            "use make_plan(input_size, size, ...).T(dy)"
        )
    if scale is None:  # what the dialect makes of a size, the forward call has made of it
        request = replace(request, output_size=output_size)
    if request.output_size != output_size:
        raise ArgumentError(
            f"dy has size {output_size} along axes {axes}, but input_size {lengths} at scale {shown(scale)} "
            f"gives {request.output_size}"
        )
    return request


def _look_up(
    verb: str,
    x: Any,
    size: Any,
    method: Any,
    scale: Any,
    antialias: Any,
    dialect: Any,
    axes: Any,
    engine: Any,
    options: dict[str, Any],
) -> tuple[Any, Prepared | None]:
    """The words of a call as they were given, and what they led to before; None for what is unknown or not plain.

    Types stand beside values, or are known: (4, 4) and (4.0, 4.0) are equal, but only one is a size.
    """
    if type(size) is not tuple or scale is not None or not (antialias is None or type(antialias) is bool):
        return None, None
    try:
        key: Any = (type(x), x.shape, x.dtype, verb, method, dialect, antialias, engine, size)
        if not (len(size) == 2 and type(size[0]) is int and type(size[1]) is int):  # the usual ones need no room
            key = (*key, *map(type, size))
        if options or axes is not None:
            if not (axes is None or type(axes) is tuple):
                return None, None
            values = (*(axes or ()), *options.values())
            key = (*key, axes, *options, *values, *map(type, values))
        return key, _recent.get(key)
    except (TypeError, AttributeError, ValueError):  # a word or a shape that cannot be hashed; or x is no array
        return None, None


def _remember(key: Any, prepared: Prepared, plan: Plan) -> None:
    if key is None:
        return
    _weights.append(plan.n_bytes)
    if len(_recent) >= _MOST_RECENT or sum(list(_weights)) > plans.MOST_BYTES:
        forget()
        _weights.append(plan.n_bytes)
    _recent[key] = prepared


def forget() -> None:
    """Keeps nothing of what the words of recent calls led to."""
    _recent.clear()
    _made.clear()
    _weights.clear()


def _request(
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
    canonical = chosen.method(method)
    smooth, words = chosen.antialias(canonical, antialias), chosen.complete(options, len(input_size))
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
    lengths = _lengths(size, len(input_size), name)
    if scales is not None:
        return lengths, scales
    fitted, scales = dialect.fit(input_size, lengths, options)
    return _lengths(fitted, len(input_size), f"{name} {lengths}, as dialect {dialect.name!r} fits it"), scales


def _in_array_order(request: Request, axes: tuple[int, ...]) -> tuple[Request, tuple[int, ...]]:
    """The same request with its axes as they lie in the array: a dialect's order of passes speaks of those."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    if order == list(range(len(axes))):
        return request, axes
    input_size, output_size = (tuple(n[i] for i in order) for n in (request.input_size, request.output_size))
    scale = None if request.scale is None else tuple(request.scale[i] for i in order)
    options = dialects.get(request.dialect).in_order(request.options, order)
    sorted_request = replace(request, input_size=input_size, output_size=output_size, scale=scale, options=options)
    return sorted_request, tuple(axes[i] for i in order)


def _scaled(dialect: Dialect, input_size: tuple[int, ...], scales: tuple[float, ...]) -> tuple[int, ...]:
    """The output size that follows from scales, by the dialect's own rule."""
    known = [(n, scale) for n, scale in zip(input_size, scales, strict=True) if isinstance(n, int)]
    if any(n * scale > checks.LONGEST for n, scale in known):
        raise ArgumentError(f"scale {scales} of {input_size} makes an axis longer than {checks.LONGEST:,}")
    size = tuple(dialect.length(n, scale) for n, scale in zip(input_size, scales, strict=True))
    if any(n < 1 for n in size):
        raise ArgumentError(f"scale {scales} of {input_size} makes size {size}; every length must be 1 or more")
    return size


def _lengths(given: Any, count: int | None, name: str) -> tuple[int, ...]:
    """Lengths of axes as integers of at least 1, `count` of them."""
    given = backends.known(given, name)
    entries = (given,) if _whole(given) is not None else checks.sequence(given)
    if entries is None:
        raise ArgumentError(f"{name} must be integers, one per axis, not {shown(given)}")
    if count is not None and len(entries) != count:
        raise ArgumentError(
            f"{name} is {shown(given)}, with {len(entries)} for {count} resized axes; give one length per axis"
        )
    if not entries:
        raise ArgumentError(f"{name} is empty; give one length per axis")
    return tuple(_length(entry, position, name) for position, entry in enumerate(entries))


def _whole(given: Any) -> int | None:
    """The integer that a value is, or the one that a graph leaves open; None for all else."""
    return given if checks.is_symbolic(given) else checks.whole(given)


def _length(entry: Any, position: int, name: str) -> int:
    length = _whole(backends.known(entry, name))
    if length is None or length < 1:
        given = shown(entry if length is None else int(length))
        raise ArgumentError(f"{name}: entry {position} is {given}; every entry must be an integer of at least 1")
    if isinstance(length, int) and length > checks.LONGEST:  # an open length gets no bound, which exports would refuse
        raise ArgumentError(
            f"{name}: entry {position} is {shown(length)}; an axis may have at most {checks.LONGEST:,} entries, "
            f"and a row of so many float32 alone would take {counted(4 * length)} bytes"
        )
    return length


def _scales(given: Any, count: int, flips: bool) -> tuple[float, ...]:
    """Scales as finite numbers, one per axis: positive ones, unless negative ones flip the image."""
    given = backends.known(given, "scale")
    entries = checks.sequence(given)
    if entries is not None and len(entries) != count:
        raise ArgumentError(
            f"scale is {shown(given)}, with {len(entries)} for {count} resized axes; give one number, or one per axis"
        )
    each = (given,) * count if entries is None else entries
    numbers = [checks.finite(backends.known(entry, "scale")) or 0.0 for entry in each]
    if min(map(abs, numbers) if flips else numbers) <= 0:
        kind = "finite number other than 0" if flips else "positive finite number"
        raise ArgumentError(f"scale must be a {kind} (or one per axis), not {shown(given)}")
    return tuple(numbers)


def _size_along(axes: tuple[int, ...], shape: tuple[Any, ...]) -> tuple[int, ...]:
    """The lengths of the axes to resize: known, and none of them 0."""
    try:
        size = tuple(n if checks.is_symbolic(n) else int(n) for n in (shape[axis] for axis in axes))
    except Exception as failure:  # whatever a framework raises for a length that a graph leaves open
        if not is_of(failure, *FRAMEWORKS):
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


def _require_room(given: tuple[Any, ...], dtype: np.dtype, axes: tuple[int, ...], size: tuple[int, ...]) -> None:
    """Refuses a result that cannot fit in memory, before even its plan is built."""
    shape = list(given)
    for axis, length in zip(axes, size, strict=True):
        shape[axis] = length
    known = (n for n in shape if isinstance(n, int))  # others stand for a length in somebody's graph
    require_bytes(math.prod(known) * dtype.itemsize, "a result of shape {} and dtype {}", tuple(shape), dtype)


backends.hand_down(understand=understand, resolve=resolve)
