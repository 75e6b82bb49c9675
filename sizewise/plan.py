"""Plan: one Taps per axis, built once, applied many times, and transposed for the gradient."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import lru_cache, reduce
from math import ceil, log2, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import deprecation, dialects, validation
from .autograph import do_not_convert
from .axes import HINT, resolve_axes
from .dialects import Arithmetic, Fill, Request, request_to_text
from .errors import CONVERSION_ERRORS, ArgumentError, ArgumentTypeError, DtypeError, short_repr
from .fork_safety import lazy
from .geometry import Geometry, plan_geometry
from .label_maps import LABEL_METHODS, LabelMaps
from .memory_limits import MIN_CHECKED_BYTES, require_memory
from .plan_format import format_plan, format_size
from .taps import BYTES_PER_OUTPUT, Taps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .insight.variant import Variant
    from .typing import ArrayT, Engine

MAX_PLANS = 128  # in the cache
MAX_PLAN_BYTES = 1 << 28  # of all cached plans, with their executors
USED_PLAN_FACTOR = 6  # memory of a plan that was used forward and backward, over that of its taps (measured: 3 to 9)
PUBLIC = (  # names of a plan that are for users; the others are for backends
    *("T", "apply", "arithmetic", "coverage", "explain", "fill", "for_dtype", "geometry", "input_size", *LABEL_METHODS),
    *("is_masked_selection", "is_selection", "linear", "matrices", "n_bytes", "output_size", "parent", "request"),
    *("scale", "taps", "tile", "transposed"),
)


@do_not_convert
class Plan(deprecation.OldNames, LabelMaps):
    """A resize of fixed sizes, ready to be applied: `plan(x)` resizes, `plan.T(dy)` is the gradient.

    `make_plan` builds plans and caches them: equal arguments return the same object.

    >>> import sizewise as sw
    >>> plan = sw.make_plan((4, 4), (2, 2), "area")
    >>> plan(np.arange(16.0).reshape(4, 4))
    array([[ 2.5,  4.5],
           [10.5, 12.5]])
    >>> plan.T(np.ones((2, 2)))[0]
    array([0.25, 0.25, 0.25, 0.25])
    >>> plan.T.T is plan
    True

    Some dialects set outputs outside the image to a constant: `fill` is that value, and for each axis a mask of the
    outputs outside; an output outside along any axis is filled. Taps, matrices and the transpose describe the linear
    part, which is a plan as well: `plan.T.T is plan.linear`.

    >>> crop = {"dialect": "onnx", "coordinate_transformation_mode": "tf_crop_and_resize", "roi": (0.5, 1.5)}
    >>> plan = sw.make_plan((3,), (3,), "linear", extrapolation_value=7.0, **crop)
    >>> plan(np.arange(3.0)), plan.linear(np.arange(3.0)), plan.T(np.ones(3))
    (array([1., 2., 7.]), array([1., 2., 0.]), array([0., 1., 1.]))
    """

    _OLD_NAMES = deprecation.PLAN

    def __init__(
        self, request: Request, taps: tuple[Taps, ...], fill: Fill | None = None, *, transposed: bool = False
    ) -> None:
        _require_parts(request, taps, fill, transposed)
        self.request = request
        self.taps = taps
        self.fill = fill
        self.transposed = transposed
        self.full_taps = taps  # of the plan that this one is a tile of
        self.input_size = tuple(one.n_in for one in taps)
        self.output_size = tuple(one.n_out for one in taps)
        self.is_masked_selection = all(one.width <= 1 and one.is_masked_selection for one in taps)
        self.is_selection = self.is_masked_selection and all(one.is_selection for one in taps)
        self.is_long = any(one.is_long for one in taps)  # whether float32 sums would lose accuracy
        # Approximate memory of the plan, including its executors.
        self.n_bytes = USED_PLAN_FACTOR * sum(one.weights.nbytes + 16 * (one.n_in + one.n_out) for one in taps)
        self.is_from_request = False  # whether the taps are those that the dialect builds for the request
        self.cache: dict[Any, Any] = {}  # for backends: executors of the plan
        self._transpose: list[Plan] = []
        self._linear: list[Plan] = []
        self._tiles: dict[tuple[tuple[int, int], ...], Tile] = {}

    @property
    def scale(self) -> tuple[float, ...]:
        """Output over input length of each axis; `request.scale` is the scale that was asked for.

        >>> import sizewise as sw
        >>> plan = sw.make_plan((10,), scale=0.33)
        >>> plan.scale, plan.request.scale
        ((0.3,), (0.33,))
        """
        return tuple(one.n_out / one.n_in for one in self.full_taps)

    @property
    def parent(self) -> Plan:
        """The plan that this one is a tile of, or itself if it is no tile."""
        return self

    @property
    def linear(self) -> Plan:
        """The linear part of the plan, with 0 in place of `fill`; itself for plans without."""
        if self.fill is None:
            return self
        if not self._linear:
            linear = Plan(self.request, self.taps)
            linear.is_from_request = self.is_from_request
            self._linear.append(linear)
        return self._linear[0]

    @property
    def T(self) -> Plan:
        """The transpose, which maps gradients of the output to gradients of the input; `plan.T.T is plan.linear`."""
        if self.fill is not None:
            return self.linear.T
        if not self._transpose:
            transposed = Plan(self.request, tuple(one.T for one in self.taps), transposed=not self.transposed)
            transposed._transpose.append(self)
            # No lock, which a fork could leave held: if two threads get here, the first result is kept.
            self._transpose.append(transposed)
        return self._transpose[0]

    @lazy
    def geometry(self) -> Geometry:
        """Where the pixels are after the resize, per axis: scale, shift and deviation; for `plan.T`, the way back.

        >>> import sizewise as sw
        >>> sw.make_plan((8,), (4,), dialect="tensorflow1").geometry.axes[0]
        AxisGeometry(scale=0.5, shift=0.25, deviation=0.0)
        """
        return plan_geometry(self)

    def for_dtype(self, dtype: np.dtype) -> Plan:
        """Return the plan for arrays of a dtype: itself, unless the dialect's coordinates have the array's precision.

        >>> import sizewise as sw
        >>> plan = sw.make_plan((26,), (22,))
        >>> plan.for_dtype(np.dtype(np.float32)) is plan
        True
        """
        request = request_for_dtype(self.request, dtype)
        if request is self.request or not (self.T if self.transposed else self).is_from_request:
            return self
        other = build(request)
        if self.transposed:
            return other.T
        return other.linear if self.fill is None else other

    def tile(self, windows: Any) -> tuple[tuple[slice, ...], Plan]:
        """Return the inputs that a window of outputs reads, one slice per axis, and the plan from them to the window.

        Its result equals that window of the full result, bit for bit. A window of all outputs returns the plan itself.
        If coordinates depend on the dtype of the array, use `plan.for_dtype(dtype).tile(...)`.

        >>> import sizewise as sw
        >>> x, plan = np.arange(100.0), sw.make_plan((100,), (25,), "lanczos3")
        >>> inputs, tile = plan.tile(slice(10, 15))
        >>> inputs, bool((tile(x[inputs]) == plan(x)[10:15]).all())
        ((slice(30, 70, None),), True)
        """
        given = (windows,) if isinstance(windows, slice) else validation.as_sequence(windows) or ()
        if len(given) != len(self.taps):
            raise ArgumentError(
                f"windows are {short_repr(windows)}, {len(given)} for {len(self.taps)} axes; give one slice per axis"
            )
        slices = tuple(map(validation.require_window, given, self.output_size))
        if all(one == slice(0, n) for one, n in zip(slices, self.output_size, strict=True)):
            return tuple(slice(0, n) for n in self.input_size), self
        key = tuple((one.start, one.stop) for one in slices)
        tile = self._tiles.get(key)
        if tile is None:
            tile = Tile(self, slices)
            if sum(other.n_cached_bytes for other in list(self._tiles.values())) + tile.n_cached_bytes > self.n_bytes:
                self._tiles.clear()  # another thread may clear it too, so no key is read twice
            self._tiles[key] = tile
        return tile.inputs, tile

    @do_not_convert
    def apply(
        self, x: ArrayT, axes: int | Sequence[int] | None = None, out: ArrayT | None = None,
        threads: int | None = None, engine: Engine | None = None, *, layout: str | None = None,
    ) -> ArrayT:  # fmt: skip
        """Return x resized along `axes`, one per axis of the plan, or those that `layout` names (see `resize`).

        >>> import sizewise as sw
        >>> sw.make_plan((4,), (2,), "area").apply(np.arange(8.0).reshape(2, 4), axes=1)
        array([[0.5, 2.5],
               [4.5, 6.5]])
        """
        from . import backends

        if backends.is_torch_compiling():
            from .backends.torch import call_traced

            return call_traced("apply", x, (self.to_text(), axes, layout), out, threads, engine)
        backend = backends.backend_for(x)
        array = backend.array(x)
        plan, resized = self.bind(array.shape, backend.dtype(array), axes, backend.AXES, layout)
        checked = None if engine is None else backends.require_engine(engine)
        result: ArrayT = backend.prepare(plan, array, resized, checked)(array, out, threads)
        return result

    __call__ = apply

    def bind(
        self, shape: tuple[int, ...], dtype: np.dtype, axes: Any, default: tuple[int, ...], layout: Any = None
    ) -> tuple[Plan, tuple[int, ...]]:
        """Return the plan for arrays of a shape and dtype, and the axes it resizes; `default` if `axes` is None."""
        resized = resolve_axes(axes, len(shape), default, layout)
        size = tuple([shape[axis] for axis in resized])  # a list is faster than a generator
        if size != self.input_size:
            raise ArgumentError(
                f"this plan resizes {format_size(self.input_size)}, but axes {resized} of an array of shape "
                f"{tuple(shape)} are {format_size(size)}; {HINT}"
            )
        return self.for_dtype(dtype), resized

    def to_text(self) -> str:
        """Return the plan as text, which compilers can keep in a graph; `plan_text.from_text` returns the plan.

        >>> import sizewise as sw
        >>> sw.make_plan((4, 4), (2, 2), "area").T.to_text()
        "('T', ('standard', 'area', True, (4, 4), (2, 2), None, (), 'float64'))"
        """
        if not (self.T if self.transposed else self).is_from_request:
            raise ArgumentError("plans built from custom taps cannot be compiled; use make_plan")
        return request_to_text("T" if self.transposed else "linear" if self.fill is None else "whole", self.request)

    def arithmetic(self, dtype: np.dtype) -> Arithmetic:
        """Return the dtypes, order and rounding of the resize of an array of a dtype."""
        arithmetic = request_arithmetic(self.request, self.transposed, dtype)
        is_single = arithmetic.accumulate == np.float32 and dialects.is_floating(arithmetic.result)
        return replace(arithmetic, accumulate=np.dtype(np.float64)) if is_single and self.is_long else arithmetic

    def fraction_bits(self, dtype: np.dtype) -> int:
        """Return the number of fractional bits to which float64 sums are rounded before they become integers; 0: none.

        Weights like 1/6 are inexact, so that a sum that should be exactly one half may fall on either side of it. All
        bits beyond these may be wrong. Not for frameworks whose passes round to integers, each in its own way.

        >>> import sizewise as sw
        >>> sw.make_plan((6,), (1,), "area").fraction_bits(np.dtype(np.uint8))
        39
        """
        arithmetic = self.arithmetic(dtype)
        is_rounded_once = (
            arithmetic.intermediate is None and arithmetic.two_pass is None and not arithmetic.in_tap_order
        )
        if arithmetic.result.kind not in "iu" or arithmetic.accumulate != np.float64 or not is_rounded_once:
            return 0
        taps = self.full_taps
        gain = prod(float(np.abs(one.weights).sum(axis=1).max(initial=0.0)) for one in taps)
        roundings = sum(one.width + 3 for one in taps)
        largest = float(np.iinfo(dtype).max) * max(gain, 1.0)
        return max(0, 51 - ceil(log2(largest * roundings)))

    def matrices(self) -> tuple[NDArray[np.float64], ...]:
        """Return the dense matrix of each axis, n_out x n_in: out = M0 @ x @ M1.T for a 2-D array.

        >>> import sizewise as sw
        >>> sw.make_plan((2,), (4,)).matrices()[0]
        array([[1.  , 0.  ],
               [0.75, 0.25],
               [0.25, 0.75],
               [0.  , 1.  ]])
        """
        return tuple(one.dense() for one in self.taps)

    def coverage(self) -> NDArray[np.float64]:
        """Return the gradient of the sum of all outputs with respect to each input pixel.

        >>> import sizewise as sw
        >>> sw.make_plan((4, 4), (2, 2), dialect="tensorflow1").coverage()
        array([[1., 0., 1., 0.],
               [0., 0., 0., 0.],
               [1., 0., 1., 0.],
               [0., 0., 0., 0.]])
        """
        require_memory(8 * prod(self.input_size), "the gradient of {} pixels", format_size(self.input_size))
        return reduce(np.multiply.outer, (one.column_sums for one in self.taps))

    def explain(self) -> Variant:
        """Return facts about the plan: coverage, shift, aliasing, and findings.

        >>> import sizewise as sw
        >>> facts = sw.make_plan((16, 16), (4, 4), dialect="tensorflow1").explain()
        >>> facts.percent, facts.shifts, facts.findings[0].message
        (6.25, (0.375, 0.375), '240 of 256 pixels get no gradient; dialect=standard, antialias=True reaches all')
        """
        from .insight.variant import variant

        return variant(self)

    def __repr__(self) -> str:
        return format_plan(self)

    def __dir__(self) -> list[str]:
        return list(PUBLIC)

    def _repr_html_(self) -> str | None:
        return self.explain()._repr_html_()

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled as a request, not as arrays: small, and the same object if the plan is cached.
        if self.transposed:
            return getattr, (self.T, "T")
        if not self.is_from_request:
            return Plan, (self.request, self.taps, self.fill)
        return _build_linear if self.fill is None else build, (self.request,)


class Tile(Plan):
    """A window of a plan's outputs, computed from only the inputs that it reads: the result of `Plan.tile`.

    The order of passes, the arithmetic and what is copied are those of the full plan, its `parent`.
    """

    def __init__(self, parent: Plan, windows: tuple[slice, ...]) -> None:
        tiles = [taps.tile(one.start, one.stop) for taps, one in zip(parent.taps, windows, strict=True)]
        fill = parent.fill
        if fill is not None:
            value, masks = fill
            fill = value, tuple(mask[one] for mask, one in zip(masks, windows, strict=True))
        super().__init__(parent.request, tuple(taps for _, taps in tiles), fill, transposed=parent.transposed)
        self.inputs, self.windows, self._parent = tuple(inputs for inputs, _ in tiles), windows, parent
        self.is_selection, self.is_masked_selection = parent.is_selection, parent.is_masked_selection
        self.full_taps, self.is_long = parent.full_taps, parent.is_long

    @property
    def n_cached_bytes(self) -> int:
        """Approximate memory of the tile's executors, without its taps, which tiles share."""
        return sum(one.weights.nbytes // 2 + 24 * one.n_out for one in self.taps)

    @property
    def parent(self) -> Plan:
        """The plan that this one is a tile of."""
        return self._parent

    @property
    def linear(self) -> Plan:
        """The same tile of the plan's linear part."""
        return self if self.fill is None else Tile(self._parent.linear, self.windows)

    def for_dtype(self, dtype: np.dtype) -> Plan:
        """Return the tile itself; raise ArgumentError if the parent has another plan for arrays of that dtype."""
        if self._parent.for_dtype(dtype) is not self._parent:
            name = validation.require_dtype(dtype).name
            raise ArgumentError(
                f"{self.request.dialect}: arrays of {name} have other coordinates, and may read other inputs than this "
                f"tile; use plan.for_dtype(np.dtype({name!r})).tile(...)"
            )
        return self

    def tile(self, windows: Any) -> tuple[tuple[slice, ...], Plan]:
        """Raise ArgumentError: only the full plan can be tiled."""
        raise ArgumentError("this plan is a tile already; use plan.parent.tile(...)")

    def __reduce__(self) -> tuple[Any, ...]:
        return Tile, (self._parent, self.windows)


def _require_parts(request: object, taps: object, fill: Any, transposed: object) -> None:
    """Raise if these cannot form a plan."""
    if not isinstance(request, Request):
        raise ArgumentTypeError(f"request must be a Request, such as plan.request, not {short_repr(request)}")
    if not isinstance(transposed, bool):
        raise ArgumentTypeError(f"transposed must be True or False, not {short_repr(transposed)}")
    if not isinstance(taps, tuple) or not taps or not all(isinstance(one, Taps) for one in taps):
        raise ArgumentTypeError(f"taps must be a tuple of Taps, one per axis, not {short_repr(taps)}")
    if fill is None:
        return
    try:
        value, masks = fill
        fits = tuple((mask.dtype, mask.shape) for mask in masks) == tuple((bool, (one.n_out,)) for one in taps)
    except CONVERSION_ERRORS:
        value, fits = None, False
    if not fits or validation.as_float(value) is None:
        raise ArgumentError(f"fill must be a number and a mask of the outputs of each axis, not {short_repr(fill)}")


@lru_cache(maxsize=MAX_PLANS)
def build(request: Request) -> Plan:
    """Return the plan of a request, cached."""
    n_bytes = BYTES_PER_OUTPUT * max(request.output_size)
    if n_bytes > MIN_CHECKED_BYTES:
        require_memory(n_bytes, "the taps of a resize {} -> {}", request.input_size, request.output_size)
    dialect = dialects.find(request.dialect)
    with np.errstate(all="ignore"):  # weights may underflow to 0
        plan = Plan(request, dialect.taps(request), dialect.fill(request))
    plan.is_from_request = True
    _cached_bytes.append(plan.n_bytes)
    if sum(_cached_bytes.copy()) > MAX_PLAN_BYTES:  # a copy: other threads may append
        clear()
        _cached_bytes.append(plan.n_bytes)
    return plan


def _build_linear(request: Request) -> Plan:
    """Return the linear part of the plan of a request."""
    return build(request).linear


_cached_bytes: deque[int] = deque(maxlen=MAX_PLANS)  # of the plans built last


def clear() -> None:
    """Drop all cached plans."""
    build.cache_clear()
    _cached_bytes.clear()


def request_for_dtype(request: Request, dtype: np.dtype) -> Request:
    """Return the request for arrays of a dtype: itself, unless the precision of coordinates depends on the dtype.

    >>> request = Request("torch", "bilinear", False, (4,), (2,))
    >>> request_for_dtype(request, np.dtype("float64")) is request
    True
    >>> request_for_dtype(request, np.dtype("float16")).precision
    'float32'
    """
    native = _native(dtype)
    precision = dialects.find(request.dialect).precision(native, request)
    return request if precision == request.precision else replace(request, precision=precision)


def _native(dtype: np.dtype) -> np.dtype:
    """Return the dtype in native byte order, on which results do not depend."""
    if isinstance(dtype, np.dtype) and dtype.isnative and dtype.char in validation.DTYPE_CODES:
        return dtype
    return validation.require_dtype(dtype).newbyteorder("=")


def request_arithmetic(request: Request, transposed: bool, dtype: np.dtype) -> Arithmetic:
    """Return the arithmetic of a request, or of its transpose, for arrays of a dtype of any byte order."""
    native = _native(dtype)
    if transposed and not dialects.is_floating(native):
        raise DtypeError(f"gradients exist for floating dtypes only, not {native}; use float32 or float64")
    return dialects.find(request.dialect).arithmetic(native, request)
