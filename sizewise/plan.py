"""Plan: one Taps per axis, built once, applied many times, and transposed for the gradient.

Knows dialects (who make the taps) and finds backends (who apply them), but no framework.
"""

from __future__ import annotations

from collections import deque
from dataclasses import fields, replace
from functools import lru_cache, reduce
from math import ceil, log2, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import checks, dialects
from .autograph import do_not_convert
from .axes import resolve_axes
from .dialects import Arithmetic, Outside, Request
from .errors import UNFIT, ArgumentError, ArgumentTypeError, DtypeError, shown
from .forking import lazy
from .memory_limits import require_memory
from .plan_table import format_plan, format_size
from .taps import BYTES_PER_OUTPUT, Taps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .insight.variant import Variant

MOST_PLANS = 128  # kept at most
MOST_BYTES = 1 << 28  # that the plans kept may take, with all that is made of them
PREPARED = 6  # how many times its taps a plan weighs once it is used, both ways (measured: 3 to 9)


@do_not_convert
class Plan:
    """A resize of fixed sizes, ready to be applied: `plan(x)` resizes, `plan.T(dy)` is the gradient.

    Plans come from `make_plan`, which keeps them: equal words give the same object.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((4, 4), (2, 2), "area")
    >>> plan(np.arange(16.0).reshape(4, 4))
    array([[ 2.5,  4.5],
           [10.5, 12.5]])
    >>> plan.T(np.ones((2, 2)))[0]
    array([0.25, 0.25, 0.25, 0.25])
    >>> plan.T.T is plan
    True

    Some dialects give a value of their own to outputs that lie outside the image: `outside` is that value, and for each
    axis which outputs have it. An output has it that is outside along any axis. All else of a plan, its taps, matrices
    and transpose, is of the linear part, which is a plan too: there `plan.T.T is plan.linear`.

    >>> crop = {"dialect": "onnx", "coordinate_transformation_mode": "tf_crop_and_resize", "roi": (0.5, 1.5)}
    >>> plan = sw.make_plan((3,), (3,), "linear", extrapolation_value=7.0, **crop)
    >>> plan(np.arange(3.0)), plan.linear(np.arange(3.0)), plan.T(np.ones(3))
    (array([1., 2., 7.]), array([1., 2., 0.]), array([0., 1., 1.]))
    """

    def __init__(
        self, request: Request, taps: tuple[Taps, ...], outside: Outside | None = None, *, transposed: bool = False
    ) -> None:
        _require_parts(request, taps, outside, transposed)
        self.request = request
        self.taps = taps
        self.outside = outside
        self.transposed = transposed
        self.input_size = tuple(one.n_in for one in taps)
        self.output_size = tuple(one.n_out for one in taps)
        self.picks = all(one.picks for one in taps)
        self.copies = all(one.copies for one in taps)
        self.built = False  # whether these are the taps that the request alone gives
        self.prepared: dict[Any, Any] = {}  # what backends made of the taps, kept with the plan
        self._transpose: list[Plan] = []
        self._linear: list[Plan] = []
        self._tiles: dict[tuple[tuple[int, int], ...], Tile] = {}  # for the next array that is cut in the same way

    @property
    def scale(self) -> tuple[float, ...]:
        """The scale that each axis is resized by: output over input. What the caller gave is `request.scale`.

        >>> import sizewise as sw
        >>> plan = sw.make_plan((10,), scale=0.33)
        >>> plan.scale, plan.request.scale
        ((0.3,), (0.33,))
        """
        return tuple(one.n_out / one.n_in for one in self.whole.taps)

    @property
    def whole(self) -> Plan:
        """The plan that this one is a tile of, or itself."""
        return self

    @property
    def n_bytes(self) -> int:
        """About how much memory the plan takes, with what is made of it when it is used.

        >>> import sizewise as sw
        >>> 10_000 < sw.make_plan((480, 640), (240, 320)).n_bytes < 1_000_000
        True
        """
        return PREPARED * sum(one.weights.nbytes + 16 * (one.n_in + one.n_out) for one in self.taps)

    @property
    def linear(self) -> Plan:
        """The plan without what it gives to outputs outside the image: itself, for most."""
        if self.outside is None:
            return self
        if not self._linear:
            linear = Plan(self.request, self.taps)
            linear.built = self.built
            self._linear.append(linear)
        return self._linear[0]

    @property
    def T(self) -> Plan:
        """The transposed plan: from gradients of the output to gradients of the input. `plan.T.T is plan.linear`."""
        if self.outside is not None:
            return self.linear.T
        if not self._transpose:
            transposed = Plan(self.request, tuple(one.T for one in self.taps), transposed=not self.transposed)
            transposed._transpose.append(self)
            # Without a lock, which a fork could leave held for ever: of two that are made at once, the first stays.
            self._transpose.append(transposed)
        return self._transpose[0]

    def at(self, dtype: np.dtype) -> Plan:
        """The plan as arrays of that dtype see it: itself, unless the dialect computes coordinates in their precision.

        >>> import sizewise as sw
        >>> plan = sw.make_plan((26,), (22,))
        >>> plan.at(np.dtype(np.float32)) is plan
        True
        """
        request = at(self.request, dtype)
        if request is self.request or not (self.T if self.transposed else self).built:
            return self
        other = build(request)
        if self.transposed:
            return other.T
        return other.linear if self.outside is None else other

    def tile(self, windows: Any) -> tuple[tuple[slice, ...], Plan]:
        """The inputs that a window of the outputs reads (one slice per axis), and the plan from those to that window.

        What it gives is the window of the whole result, bit for bit. Where windows are all there is, it is the plan
        itself. For arrays of a dtype that coordinates depend on, it is `plan.at(dtype)` that has to be tiled.

        >>> import sizewise as sw
        >>> x, plan = np.arange(100.0), sw.make_plan((100,), (25,), "lanczos3")
        >>> inputs, tile = plan.tile(slice(10, 15))
        >>> inputs, bool((tile(x[inputs]) == plan(x)[10:15]).all())
        ((slice(30, 70, None),), True)
        """
        given = (windows,) if isinstance(windows, slice) else checks.sequence(windows) or ()
        if len(given) != len(self.taps):
            raise ArgumentError(
                f"windows are {shown(windows)}, {len(given)} for {len(self.taps)} axes; give one slice per axis"
            )
        cut = tuple(map(_window, given, self.output_size))
        if all(one == slice(0, n) for one, n in zip(cut, self.output_size, strict=True)):
            return tuple(slice(0, n) for n in self.input_size), self
        key = tuple((one.start, one.stop) for one in cut)
        made = self._tiles.get(key)
        if made is None:
            made = Tile(self, cut)
            if sum(tile.weight for tile in list(self._tiles.values())) + made.weight > self.n_bytes:
                self._tiles.clear()  # another thread may be looking, so nothing here reads a key twice
            self._tiles[key] = made
        return made.inputs, made

    @do_not_convert
    def apply(
        self, x: Any, axes: Any = None, out: Any = None, threads: int | None = None, engine: str | None = None
    ) -> Any:
        """The plan applied to x along `axes` (one per axis of the plan), as an array of x's own kind.

        >>> import sizewise as sw
        >>> sw.make_plan((4,), (2,), "area").apply(np.arange(8.0).reshape(2, 4), axes=1)
        array([[0.5, 2.5],
               [4.5, 6.5]])
        """
        from . import backends

        if backends.is_torch_compiling():
            from .backends.torch import call_traced

            return call_traced("apply", x, (self.text, axes), out, threads, engine)
        backend = backends.backend_for(x)
        array = backend.array(x)
        plan, where = self.placed(array.shape, backend.dtype(array), axes, backend.AXES)
        return backend.prepare(plan, array, where, backends.require_engine(engine))(array, out, threads)

    __call__ = apply

    def placed(
        self, shape: tuple[int, ...], dtype: np.dtype, axes: Any, default: tuple[int, ...]
    ) -> tuple[Plan, tuple[int, ...]]:
        """The plan as arrays of that shape and dtype see it, and its axes in them: `default` where none are given."""
        where = resolve_axes(axes, len(shape), default)
        given = tuple(shape[axis] for axis in where)
        if given != self.input_size:
            raise ArgumentError(
                f"this plan resizes {format_size(self.input_size)}, but axes {where} of an array of shape "
                f"{tuple(shape)} are {format_size(given)}"
            )
        return self.at(dtype), where

    @property
    def text(self) -> str:
        """The plan in words, for those who can keep nothing else: `plan_text.read` gives the plan again.

        >>> import sizewise as sw
        >>> plan = sw.make_plan((4, 4), (2, 2), "area")
        >>> plan.T.text
        "('T', ('standard', 'area', True, (4, 4), (2, 2), None, (), 'float64'))"
        """
        if not (self.T if self.transposed else self).built:
            raise ArgumentError("this plan is of taps of its own, which a compiler cannot keep; use make_plan")
        return write("T" if self.transposed else "linear" if self.outside is None else "whole", self.request)

    def arithmetic(self, dtype: np.dtype) -> Arithmetic:
        """The dtypes in which an array of the given dtype is summed and returned."""
        arithmetic = arithmetic_of(self.request, self.transposed, dtype)
        is_single = arithmetic.accumulate == np.float32 and dialects.is_floating(arithmetic.result)
        return replace(arithmetic, accumulate=np.dtype(np.float64)) if is_single and self.is_long else arithmetic

    @lazy
    def is_long(self) -> bool:
        """Whether sums in float32 would lose digits: they are then formed in float64.

        >>> import sizewise as sw
        >>> sw.make_plan((1000,), (10,)).is_long, sw.make_plan((100,), (10,)).is_long
        (True, False)
        """
        return any(one.is_long for one in self.whole.taps)

    def fraction_bits(self, dtype: np.dtype) -> int:
        """Return to how many fractional bits float64 sums are rounded before integers are made of them; 0: to none.

        Weights like 1/6 are rounded, so that sums which are a half exactly fall on either side of it. All bits but
        these may be wrong. Frameworks whose passes round to integers have their own way with halves.

        >>> import sizewise as sw
        >>> sw.make_plan((6,), (1,), "area").fraction_bits(np.dtype(np.uint8))
        39
        """
        arithmetic = self.arithmetic(dtype)
        is_rounded_once = arithmetic.between is None and arithmetic.stepwise is None and not arithmetic.in_order
        if arithmetic.result.kind not in "iu" or arithmetic.accumulate != np.float64 or not is_rounded_once:
            return 0
        taps = self.whole.taps
        gain = prod(float(np.abs(one.weights).sum(axis=1).max(initial=0.0)) for one in taps)
        roundings = sum(one.width + 3 for one in taps)
        largest = float(np.iinfo(dtype).max) * max(gain, 1.0)
        return max(0, 51 - ceil(log2(largest * roundings)))

    def matrices(self) -> tuple[NDArray[np.float64], ...]:
        """The dense matrix of each axis, n_out x n_in: out = M0 @ x @ M1.T for a 2-D array.

        >>> import sizewise as sw
        >>> sw.make_plan((2,), (4,)).matrices()[0]
        array([[1.  , 0.  ],
               [0.75, 0.25],
               [0.25, 0.75],
               [0.  , 1.  ]])
        """
        return tuple(one.dense() for one in self.taps)

    def coverage(self) -> NDArray[np.float64]:
        """The gradient of the sum of all outputs with respect to each input pixel.

        >>> import sizewise as sw
        >>> sw.make_plan((4, 4), (2, 2), dialect="tensorflow1").coverage()
        array([[1., 0., 1., 0.],
               [0., 0., 0., 0.],
               [1., 0., 1., 0.],
               [0., 0., 0., 0.]])
        """
        require_memory(8 * prod(self.input_size), "the gradient of {} pixels", format_size(self.input_size))
        return reduce(np.multiply.outer, (one.profile for one in self.taps))

    def explain(self) -> Variant:
        """What the plan does: coverage, shift, aliases, and what stands out.

        >>> import sizewise as sw
        >>> facts = sw.make_plan((16, 16), (4, 4), dialect="tensorflow1").explain()
        >>> facts.percent, facts.shifts, facts.findings[0].words
        (6.25, (0.375, 0.375), '240 of 256 pixels get no gradient; dialect=standard, antialias=True reaches all')
        """
        from .insight.variant import variant

        return variant(self)

    def __repr__(self) -> str:
        return format_plan(self)

    def _repr_html_(self) -> str | None:
        return self.explain()._repr_html_()

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled as words, not arrays: small to send, and the same object where the words are already known.
        if self.transposed:
            return getattr, (self.T, "T")
        if not self.built:
            return Plan, (self.request, self.taps, self.outside)
        return _linear if self.outside is None else build, (self.request,)


class Tile(Plan):
    """A window of a plan's outputs, from the inputs that it reads alone: what `Plan.tile` gives.

    All that is decided, the order of passes, what is copied and what is summed, is decided for the whole plan.
    """

    def __init__(self, whole: Plan, windows: tuple[slice, ...]) -> None:
        tiles = [taps.tile(one.start, one.stop) for taps, one in zip(whole.taps, windows, strict=True)]
        outside = whole.outside
        if outside is not None:
            value, along = outside
            outside = value, tuple(rows[one] for rows, one in zip(along, windows, strict=True))
        super().__init__(whole.request, tuple(taps for _, taps in tiles), outside, transposed=whole.transposed)
        self.inputs, self.windows, self._whole = tuple(inputs for inputs, _ in tiles), windows, whole
        self.picks, self.copies = whole.picks, whole.copies

    @property
    def weight(self) -> int:
        """About how many bytes are made of the tile when it is used, besides its taps, which other tiles share."""
        return sum(one.weights.nbytes // 2 + 24 * one.n_out for one in self.taps)

    @property
    def whole(self) -> Plan:
        """The plan that this one is a tile of."""
        return self._whole

    @property
    def linear(self) -> Plan:
        """The same tile of the plan's linear part."""
        return self if self.outside is None else Tile(self._whole.linear, self.windows)

    def at(self, dtype: np.dtype) -> Plan:
        """The tile itself, for arrays of dtypes that see the whole plan as it is."""
        if self._whole.at(dtype) is not self._whole:
            name = checks.numeric(dtype).name
            raise ArgumentError(
                f"{self.request.dialect}: arrays of {name} have coordinates of their own, and may read other inputs "
                f"than this tile; use plan.at(np.dtype({name!r})).tile(...)"
            )
        return self

    def tile(self, windows: Any) -> tuple[tuple[slice, ...], Plan]:
        """Refused: what a tile is decided by is the whole plan."""
        raise ArgumentError("this plan is a tile already; use plan.whole.tile(...)")

    def __reduce__(self) -> tuple[Any, ...]:
        return Tile, (self._whole, self.windows)


def _require_parts(request: object, taps: object, outside: Any, transposed: object) -> None:
    """Refuses what no plan can be made of."""
    if not isinstance(request, Request) or not isinstance(transposed, bool):
        raise ArgumentTypeError(f"a plan is of a Request, transposed or not; this is {shown((request, transposed))}")
    if not isinstance(taps, tuple) or not taps or not all(isinstance(one, Taps) for one in taps):
        raise ArgumentTypeError(f"a plan has a tuple of Taps, one for each axis, not {shown(taps)}")
    if outside is None:
        return
    try:
        value, along = outside
        fits = tuple((rows.dtype, rows.shape) for rows in along) == tuple((bool, (one.n_out,)) for one in taps)
    except UNFIT:
        value, fits = None, False
    if not fits or checks.finite(value) is None:
        raise ArgumentError(f"outside must be a number, and per axis a bool for each output, not {shown(outside)}")


def _window(given: Any, n_out: int) -> slice:
    """A slice of so many outputs, as two numbers."""
    try:
        start, stop, step = slice.indices(given, n_out)
    except UNFIT:  # no slice, or one of something else than integers
        raise ArgumentError(
            f"a window must be a slice of outputs, such as slice(0, {n_out}), not {shown(given)}"
        ) from None
    if step != 1 or start >= stop:
        raise ArgumentError(
            f"a window must have at least one of the {n_out} outputs, and all in a row, not {shown(given)}"
        )
    return slice(start, stop)


@lru_cache(maxsize=MOST_PLANS)
def build(request: Request) -> Plan:
    """The plan of a request, kept for the next time."""
    for n_in, n_out in zip(request.input_size, request.output_size, strict=True):
        require_memory(BYTES_PER_OUTPUT * n_out, "the taps of an axis {} -> {}", n_in, n_out)
    dialect = dialects.get(request.dialect)
    with np.errstate(all="ignore"):  # whatever NumPy was told: what underflows is 0, and is meant to be
        plan = Plan(request, dialect.taps(request), dialect.outside(request))
    plan.built = True
    _weights.append(plan.n_bytes)
    if sum(list(_weights)) > MOST_BYTES:  # a list first: other threads may be building, too
        forget()
        _weights.append(plan.n_bytes)
    return plan


def at(request: Request, dtype: np.dtype) -> Request:
    """The request as arrays of that dtype make it: itself, unless the precision of coordinates follows their dtype.

    >>> request = Request("torch", "bilinear", False, (4,), (2,))
    >>> at(request, np.dtype("float64")) is request, at(request, np.dtype("float16")).precision
    (True, 'float32')
    """
    native = checks.numeric(dtype).newbyteorder("=")
    precision = dialects.get(request.dialect).precision(native, request)
    return request if precision == request.precision else replace(request, precision=precision)


def arithmetic_of(request: Request, transposed: bool, dtype: np.dtype) -> Arithmetic:
    native = checks.numeric(dtype).newbyteorder("=")  # what a number is does not depend on the order of its bytes
    if transposed and not dialects.is_floating(native):
        raise DtypeError(f"gradients exist for floating dtypes only, not {native}; use float32 or float64")
    return dialects.get(request.dialect).arithmetic(native, request)


def write(kind: str, request: Request) -> str:
    """The text of a request's plan: "whole", its "linear" part or "T", the transpose."""
    return repr((kind, tuple(getattr(request, field.name) for field in fields(request))))


def _linear(request: Request) -> Plan:
    """The linear part of the plan of a request."""
    return build(request).linear


_weights: deque[int] = deque(maxlen=MOST_PLANS)  # of the plans built last


def forget() -> None:
    """Keeps no plan any longer."""
    build.cache_clear()
    _weights.clear()
