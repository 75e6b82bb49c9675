"""Plan: one Taps per axis, built once, applied many times, and transposed for the gradient.

Knows dialects (who make the taps) and finds backends (who apply them), but no framework.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import backends, dialects
from .dialects import Arithmetic, Request
from .errors import ArgumentError, DtypeError, require_bytes
from .taps import Taps

_transposing = threading.Lock()
_BYTES_PER_OUTPUT = 64  # of the narrowest taps while they are made: coordinates, indices, one weight


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
    """

    def __init__(self, request: Request, taps: tuple[Taps, ...], *, transposed: bool = False) -> None:
        self.request = request
        self.taps = taps
        self.transposed = transposed
        self.input_size = tuple(one.n_in for one in taps)
        self.output_size = tuple(one.n_out for one in taps)
        self.picks = all(one.picks for one in taps)
        self.prepared: dict[Any, object] = {}  # what backends made of the taps, kept with the plan
        self._transpose: Plan | None = None

    @property
    def scale(self) -> tuple[float, ...]:
        """The scale of each axis: the caller's own number, or output size over input size.

        >>> import sizewise as sw
        >>> sw.make_plan((4, 10), (2, 5)).scale
        (0.5, 0.5)
        """
        if self.request.scale is not None:
            return self.request.scale
        pairs = zip(self.request.input_size, self.request.output_size, strict=True)
        return tuple(n_out / n_in for n_in, n_out in pairs)

    @property
    def T(self) -> Plan:
        """The transposed plan: from gradients of the output to gradients of the input. `plan.T.T is plan`."""
        if self._transpose is None:
            with _transposing:
                if self._transpose is None:
                    flipped = tuple(one.T for one in self.taps)
                    transposed = Plan(self.request, flipped, transposed=not self.transposed)
                    transposed._transpose = self
                    self._transpose = transposed
        return self._transpose

    def apply(self, x: Any, axes: Any = None, out: Any = None, threads: int | None = None) -> Any:
        """The plan applied to x along `axes` (one per axis of the plan), as an array of x's own kind.

        >>> import sizewise as sw
        >>> sw.make_plan((4,), (2,), "area").apply(np.arange(8.0).reshape(2, 4), axes=1)
        array([[0.5, 2.5],
               [4.5, 6.5]])
        """
        backend = backends.of(x)
        array = backend.array(x)
        where = resolve_axes(axes, len(array.shape), backend.AXES)
        given = tuple(array.shape[axis] for axis in where)
        if given != self.input_size:
            raise ArgumentError(
                f"this plan resizes {_by(self.input_size)}, but axes {where} of an array of shape "
                f"{tuple(array.shape)} are {_by(given)}"
            )
        return backend.apply(self, array, where, out, threads)

    __call__ = apply

    def arithmetic(self, dtype: np.dtype) -> Arithmetic:
        """The dtypes in which an array of the given dtype is summed and returned."""
        if self.transposed and dtype.kind != "f":
            raise DtypeError(f"gradients exist for floating dtypes only, not {dtype}; use float32 or float64")
        return dialects.get(self.request.dialect).arithmetic(dtype, self.request.method)

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
        total = np.ones(())
        for one in self.taps:
            total = np.multiply.outer(total, one.T.weights.sum(axis=1))
        return total

    def __repr__(self) -> str:
        return _table(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled as words, not arrays: small to send, and the same object where the words are already known.
        if self.transposed:
            return getattr, (self.T, "T")
        return build, (self.request,)


@lru_cache(maxsize=512)
def build(request: Request) -> Plan:
    """The plan of a request, kept for the next time."""
    for n_in, n_out in zip(request.input_size, request.output_size, strict=True):
        require_bytes(_BYTES_PER_OUTPUT * n_out, "the taps of an axis {} -> {}", n_in, n_out)
    return Plan(request, dialects.get(request.dialect).taps(request))


def resolve_axes(axes: Any, rank: int, default: tuple[int, ...]) -> tuple[int, ...]:
    """Axes as given, or those resized by default, as different numbers from 0 to rank - 1.

    >>> resolve_axes(None, 4, (-3, -2)), resolve_axes((-1,), 3, (-3, -2))
    ((1, 2), (2,))
    """
    if axes is None:
        if rank == 0:
            raise ArgumentError("cannot resize a 0-d array; it has no axes")
        axes = tuple(range(rank)) if rank <= 2 else default
    try:
        entries = tuple(axes) if np.iterable(axes) else (axes,)
        if any(isinstance(axis, (bool, np.bool_)) for axis in entries):
            raise TypeError
        numbers = tuple(axis.__index__() for axis in entries)
    except (TypeError, AttributeError):
        raise ArgumentError(f"axes must be integers, not {axes!r}") from None
    if not numbers:
        raise ArgumentError("axes is empty; name at least one axis")
    if any(not -rank <= axis < rank for axis in numbers):
        raise ArgumentError(f"axes {numbers} do not fit an array of rank {rank}; use {-rank} to {rank - 1}")
    positive = tuple(axis % rank for axis in numbers)
    if len(set(positive)) != len(positive):
        raise ArgumentError(f"axes {numbers} of an array of rank {rank} name the same axis twice")
    return positive


def _by(size: tuple[int, ...]) -> str:
    return "x".join(map(str, size))


def _table(plan: Plan) -> str:
    """A plan as a small table that fits a bug report."""
    request = plan.request
    words = [request.method, f"antialias={request.antialias}", f"dialect={request.dialect}"]
    words += [f"{name}={value}" for name, value in request.options]
    kind = "Plan.T" if plan.transposed else "Plan"
    lines = [f"{kind} {_by(plan.input_size)} -> {_by(plan.output_size)}: {', '.join(words)}"]
    lines.append("axis     n_in    n_out      scale    taps    row sums           inputs read")
    scales = plan.scale if not plan.transposed else tuple(1 / s for s in plan.scale)
    for axis, (one, scale) in enumerate(zip(plan.taps, scales, strict=True)):
        sums = one.weights.sum(axis=1)
        taps = f"{one.count.min()}..{one.count.max()}"
        read = int(one.reach.sum())
        lines.append(
            f"{axis:<4}{one.n_in:>9}{one.n_out:>9}{scale:>11.6g}{taps:>8}"
            f"    {f'{sums.min():.6g}..{sums.max():.6g}':<19}{read} of {one.n_in} ({read / one.n_in:.4g} of all)"
        )
    return "\n".join(lines)
