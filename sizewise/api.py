"""Public functions. Arguments are checked here, and only here have defaults."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from . import backends, call_cache
from . import plan as plans
from .autograph import do_not_convert
from .axes import warn_if_channels_first
from .errors import ArgumentError, short_repr
from .plan import Plan
from .resolve import CallArguments, make_request, require_lengths, resolve_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .typing import ArrayT, DialectName, Engine, MethodName


@do_not_convert
def resize(
    x: ArrayT,
    size: int | Sequence[int] | None = None,
    method: MethodName | str = "bilinear",
    *,
    scale: float | Sequence[float] | None = None,
    antialias: bool | None = None,
    dialect: DialectName | str = "standard",
    axes: int | Sequence[int] | None = None,
    layout: str | None = None,
    out: ArrayT | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    **options: Any,
) -> ArrayT:
    """Return x resized along `axes`: an array of the same library and dtype.

    Args:
        x: an array of any rank, strides and numeric dtype; nested lists, which become a NumPy array; or a Pillow image,
            which becomes an image of the same mode (its size is (height, width) here, too).
        size: output lengths in array order, one per resized axis: (height, width) for images.
        method: a filter (`sw.filters.names()`), "nearest" or "area", or another method of the dialect.
        scale: output over input length, one number or one per axis; instead of `size`.
        antialias: whether to antialias axes that shrink; None for the dialect's default.
        dialect: the library whose results to reproduce (`sw.dialects.names()`).
        axes: the axes to resize. By default all of a 1-D or 2-D array, otherwise (-3, -2) (channels last), in PyTorch
            (-2, -1).
        layout: one letter per axis, such as "NCHW" or "HWC", instead of `axes`. D, H and W are resized, with `size` in
            this order; N, T and C are not.
        out: the array to write into; it must not overlap x.
        threads: the maximum number of threads; by default SIZEWISE_THREADS, or the cores of this process.
        engine: "kernel" (Sizewise's kernels, on CPUs) or "framework" (ops of the array's library, on any device and in
            any graph); None chooses by the array.
        options: options of the dialect, such as align_corners.

    >>> import numpy as np, sizewise as sw
    >>> sw.resize(np.array([[0.0, 1.0], [2.0, 3.0]]), (2, 4))
    array([[0.  , 0.25, 0.75, 1.  ],
           [2.  , 2.25, 2.75, 3.  ]])
    """
    arguments = (size, method, scale, antialias, dialect, axes, layout, options)
    if "torch" in sys.modules and backends.is_torch_compiling():
        from .backends.torch import call_traced

        return call_traced("resize", x, arguments, out, threads, engine)
    key, prepared = call_cache.look_up("resize", x, arguments, engine)
    if prepared is not None:
        return prepared(x, out, threads)
    return _call("resize", key, x, arguments, out, threads, engine)


@do_not_convert
def resize_grad(
    dy: ArrayT,
    input_size: int | Sequence[int],
    method: MethodName | str = "bilinear",
    *,
    scale: float | Sequence[float] | None = None,
    antialias: bool | None = None,
    dialect: DialectName | str = "standard",
    axes: int | Sequence[int] | None = None,
    layout: str | None = None,
    out: ArrayT | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    **options: Any,
) -> ArrayT:
    """Return the gradient of a loss with respect to the input of `resize`, given `dy`, that of the output.

    It is the exact transpose of the forward call. Arguments that are not listed are those of `resize`.

    Args:
        dy: the gradient with respect to the output, of any floating dtype.
        input_size: lengths of the resized axes of the input, one per axis.
        scale: the scale of the forward call, if it had one; dy must have the size that follows from it.

    >>> import numpy as np, sizewise as sw
    >>> sw.resize_grad(np.ones((2, 2)), (4, 4), dialect="tensorflow1").astype(int)
    array([[1, 0, 1, 0],
           [0, 0, 0, 0],
           [1, 0, 1, 0],
           [0, 0, 0, 0]])
    """
    arguments = (input_size, method, scale, antialias, dialect, axes, layout, options)
    if "torch" in sys.modules and backends.is_torch_compiling():
        from .backends.torch import call_traced

        return call_traced("resize_grad", dy, arguments, out, threads, engine)
    key, prepared = call_cache.look_up("resize_grad", dy, arguments, engine)
    if prepared is not None:
        return prepared(dy, out, threads)
    return _call("resize_grad", key, dy, arguments, out, threads, engine)


@do_not_convert
def make_plan(
    input_size: int | Sequence[int],
    output_size: int | Sequence[int] | None = None,
    method: MethodName | str = "bilinear",
    *,
    scale: float | Sequence[float] | None = None,
    antialias: bool | None = None,
    dialect: DialectName | str = "standard",
    **options: Any,
) -> Plan:
    """Return the plan of a resize from `input_size` to `output_size`, or by `scale`; plans are cached.

    >>> import sizewise as sw
    >>> sw.make_plan((16, 16), (4, 4), dialect="tensorflow1")
    Plan 16x16 -> 4x4: bilinear, antialias=False, dialect=tensorflow1, align_corners=False, half_pixel_centers=False
    axis   n_in   n_out   scale   taps   row sums   inputs read
    0      16     4       0.25    1..1   1..1       4 (0.25 of all)
    1      16     4       0.25    1..1   1..1       4 (0.25 of all)
    tensorflow1: TensorFlow 1.14 to 2.21, tf.raw_ops
    """
    arguments = (input_size, output_size, method, scale, antialias, dialect)
    key, plan = call_cache.look_up_plan(arguments, options)
    if plan is not None:
        return plan
    lengths = require_lengths(backends.concrete(input_size, "input_size"), None, "input_size")
    sizes = backends.concrete(output_size, "output_size"), method, backends.concrete(scale, "scale")
    plan = plans.build(make_request(lengths, *sizes, antialias, dialect, options, "output_size"))
    call_cache.add_plan(key, plan)
    return plan


@do_not_convert
def index_map(
    n_in: int,
    n_out: int,
    method: MethodName | str = "nearest",
    *,
    dialect: DialectName | str = "standard",
    **options: Any,
) -> NDArray[np.int64]:
    """Return which input pixel each output pixel is, for methods that select one.

    >>> import sizewise as sw
    >>> sw.index_map(4, 8), sw.index_map(4, 8, dialect="tfjs", align_corners=True)
    (array([0, 0, 1, 1, 2, 2, 3, 3]), array([0, 0, 1, 1, 2, 2, 3, 3]))
    """
    lengths = [require_lengths(backends.concrete(n, name), 1, name) for n, name in ((n_in, "n_in"), (n_out, "n_out"))]
    plan = plans.build(make_request(lengths[0], lengths[1], method, None, None, dialect, options, "n_out"))
    if not plan.is_selection:
        effect = "leaves outputs outside the image empty" if plan.is_masked_selection else "mixes pixels"
        raise ArgumentError(
            f"method {short_repr(method)} {effect}; index maps exist for methods that select one input (nearest)"
        )
    return plan.taps[0].start


def _call(
    verb: str, key: Any, x: ArrayT, given: CallArguments, out: Any, threads: int | None, engine: str | None
) -> ArrayT:
    """Return the result of a call that is not in the cache."""
    backend = backends.backend_for(x)
    array = backend.array(x)
    arguments = backends.concrete_arguments(verb, given)
    if arguments[5] is None and arguments[6] is None:
        warn_if_channels_first(array.shape, backend.AXES)
    allocates = out is None and not getattr(backend, "LAZY", False)
    plan, axes = resolve_call(verb, array.shape, backend.dtype(array), backend.AXES, arguments, allocates)
    checked = None if engine is None else backends.require_engine(engine)
    prepared = backend.prepare(plan, array, axes, checked)
    if array is x:  # lists and subclasses are converted first, by every call
        call_cache.add(key, prepared, plan)
    result: ArrayT = prepared(array, out, threads)
    return result
