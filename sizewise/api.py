"""The public verbs: words in, checked once, at this one door; the only place with defaults."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import backends
from . import plan as plans
from .autograph import do_not_convert
from .errors import ArgumentError, short_repr
from .plan import Plan
from .resolve import CallArguments, make_request, require_lengths, resolve_call

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What the words of recent calls led to. Names are not even lower-cased on the way there.
Prepared = Callable[[Any, Any, int | None], Any]
_recent: dict[Any, Prepared] = {}
_made: weakref.WeakValueDictionary[Any, Plan] = weakref.WeakValueDictionary()  # plans, by the words they were asked for
_MOST_RECENT = 64
_weights: deque[int] = deque(maxlen=_MOST_RECENT)  # of the plans that these hold


@do_not_convert
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
    if backends.is_torch_compiling():
        words = (size, method, scale, antialias, dialect, axes, options)
        from .backends.torch import call_traced

        return call_traced("resize", x, words, out, threads, engine)
    key, known = _look_up("resize", x, size, method, scale, antialias, dialect, axes, engine, options)
    if known is not None:
        return known(x, out, threads)
    return _call("resize", key, x, (size, method, scale, antialias, dialect, axes, options), out, threads, engine)


@do_not_convert
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
    if backends.is_torch_compiling():
        words = (input_size, method, scale, antialias, dialect, axes, options)
        from .backends.torch import call_traced

        return call_traced("resize_grad", dy, words, out, threads, engine)
    key, known = _look_up("resize_grad", dy, input_size, method, scale, antialias, dialect, axes, engine, options)
    if known is not None:
        return known(dy, out, threads)
    words = (input_size, method, scale, antialias, dialect, axes, options)
    return _call("resize_grad", key, dy, words, out, threads, engine)


@do_not_convert
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
    lengths = require_lengths(backends.concrete(input_size, "input_size"), None, "input_size")
    sizes = backends.concrete(output_size, "output_size"), method, backends.concrete(scale, "scale")
    plan = plans.build(make_request(lengths, *sizes, antialias, dialect, options, "output_size"))
    if key is not None:
        if len(_made) >= _MOST_RECENT:
            _made.clear()
        _made[key] = plan
    return plan


def _kind(word: Any) -> Any:
    """What tells words apart that are equal: (4, 4) and (4.0, 4.0) are, but only one is a size."""
    return tuple(map(type, word)) if type(word) is tuple else type(word)


@do_not_convert
def index_map(
    n_in: int, n_out: int, method: str = "nearest", *, dialect: str = "standard", **options: Any
) -> NDArray[np.int64]:
    """Which input pixel each output pixel is, for methods that pick one.

    >>> import sizewise as sw
    >>> sw.index_map(4, 8), sw.index_map(4, 8, dialect="tfjs", align_corners=True)
    (array([0, 0, 1, 1, 2, 2, 3, 3]), array([0, 0, 1, 1, 2, 2, 3, 3]))
    """
    lengths = [require_lengths(backends.concrete(n, name), 1, name) for n, name in ((n_in, "n_in"), (n_out, "n_out"))]
    plan = plans.build(make_request(lengths[0], lengths[1], method, None, None, dialect, options, "n_out"))
    if not plan.is_selection:
        does = "leaves outputs outside the image empty" if plan.is_masked_selection else "mixes pixels"
        raise ArgumentError(
            f"method {short_repr(method)} {does}; an index map exists for methods that pick one (nearest)"
        )
    return plan.taps[0].start


def _call(verb: str, key: Any, x: Any, words: CallArguments, out: Any, threads: int | None, engine: str | None) -> Any:
    """A call whose words were not met before."""
    backend = backends.backend_for(x)
    array = backend.array(x)
    words = backends.concrete_arguments(verb, words)
    allocates = out is None and not getattr(backend, "LAZY", False)
    plan, axes = resolve_call(verb, array.shape, backend.dtype(array), backend.AXES, words, allocates)
    prepared = backend.prepare(plan, array, axes, backends.require_engine(engine))
    if array is x:  # not of what had to be made an array first: lists, and subclasses with ways of their own
        _remember(key, prepared, plan)
    return prepared(array, out, threads)


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
    if len(_recent) >= _MOST_RECENT or sum(list(_weights)) > plans.MAX_PLAN_BYTES:
        forget()
        _weights.append(plan.n_bytes)
    _recent[key] = prepared


def forget() -> None:
    """Keeps nothing of what the words of recent calls led to."""
    _recent.clear()
    _made.clear()
    _weights.clear()
