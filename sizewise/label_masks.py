"""Masks and flow that follow the pixels; crops and margins, and chains of them with resizes."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import backends
from .axes import HINT, resolve_axes
from .dialects import is_part
from .errors import ArgumentError, DtypeError, UnsupportedError, short_repr
from .geometry import Geometry, offset
from .label_arrays import constant, dtype_name, replace, take
from .label_maps import LabelMaps
from .plan import Plan, Tile
from .plan_format import format_size
from .validation import as_float

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .geometry import AxisGeometry

NEAR = 2.0**-20  # of a pixel: a center as near to the border of two pixels is on it


class Window(LabelMaps):
    """A crop or a margin: pixel `first` of the input, which may be outside it, is pixel 0 of the output.

    >>> Window((4, 4), (2, 6), (1, -1)).map_points([[0.0, 0.0]])
    array([[ 1., -1.]])
    """

    def __init__(self, input_size: tuple[int, ...], output_size: tuple[int, ...], first: Sequence[int]) -> None:
        self._geometry = offset(input_size, output_size, first)

    @property
    def geometry(self) -> Geometry:
        """The shift of each axis."""
        return self._geometry


class Chain(LabelMaps):
    """Resizes, crops and margins one after the other; `size` is that of the image.

    >>> crop = Window((4, 4), (2, 4), (1, 0))
    >>> Chain((4, 4), [crop, Window((2, 4), (6, 4), (-2, 0))]).geometry.axes[0].shift
    1.0
    """

    def __init__(self, size: tuple[int, ...], links: Sequence[Plan | Window]) -> None:
        self.links = tuple(links)
        start = offset(size, size, (0,) * len(size))
        self._geometry = reduce(Geometry.then, (link.geometry for link in links), start)

    @property
    def geometry(self) -> Geometry:
        """The map of each axis from the first input to the last output."""
        return self._geometry


def map_masks(maps: LabelMaps, masks: Any, soft: bool, axes: Any, layout: Any, fill: float) -> Any:
    """Return masks of the image as masks of the result; see `LabelMaps.map_masks`."""
    masks = _require_masks(masks, soft, fill)
    if isinstance(maps, Chain):
        return reduce(lambda each, link: map_masks(link, each, soft, axes, layout, fill), maps.links, masks)
    if isinstance(maps, Plan):
        _require_forward(maps)
    if soft and isinstance(maps, Plan):
        return maps.apply(masks, axes, layout=layout)
    return _copy(masks, _resized(maps.geometry.input_size, masks, axes, layout), _forward(maps), fill)


def unmap_masks(maps: LabelMaps, masks: Any, soft: bool, axes: Any, layout: Any, fill: float) -> Any:
    """Return masks of the result as masks of the image; see `LabelMaps.unmap_masks`."""
    masks = _require_masks(masks, soft, fill)
    if isinstance(maps, Chain):
        links = reversed(maps.links)
        return reduce(lambda each, link: unmap_masks(link, each, soft, axes, layout, fill), links, masks)
    if isinstance(maps, Plan):
        _require_forward(maps)
    resized = _resized(maps.geometry.output_size, masks, axes, layout)
    return _copy(masks, resized, _backward(maps, soft), fill)


def map_flow(maps: LabelMaps, flow: Any, axes: Any, layout: Any, reverses: bool, inverse: bool) -> Any:
    """Return an optical flow mapped, or mapped back; see `LabelMaps.map_flow`."""
    change = unmap_masks if inverse else map_masks
    field = backends.backend_for(flow).array(flow)
    if not dtype_name(field).startswith(("float", "bfloat")):
        raise DtypeError(f"a flow has dtype {dtype_name(field)}; give floats")
    rank, default = len(field.shape), backends.backend_for(flow).AXES
    vectors = _vector_axis(resolve_axes(axes, rank, default, layout), rank, layout)
    scales = [axis.scale for axis in maps.geometry.axes][:: -1 if reverses else 1]
    if field.shape[vectors] != len(scales):
        raise ArgumentError(
            f"a flow of shape {tuple(field.shape)} has {field.shape[vectors]} components along axis {vectors}, not "
            f'{len(scales)}; name its axes by layout, such as layout="NCHW"'
        )
    resized = change(maps, field, True, axes, layout, 0.0)
    factors = constant(np.reshape(scales, [-1] + [1] * (rank - 1 - vectors)).tolist(), resized)
    return resized / factors if inverse else resized * factors


def _vector_axis(resized: tuple[int, ...], rank: int, layout: Any) -> int:
    """Return the axis of the vectors of a flow: C of its layout, or the last, or the one before the resized axes."""
    if layout is not None:
        if "C" not in layout.upper():
            raise ArgumentError(f"layout {layout!r} has no C; it names the axis of a flow's vectors")
        return int(layout.upper().index("C"))
    axis = rank - 1 if rank - 1 not in resized else min(resized) - 1
    if axis < 0:
        raise ArgumentError(f"a flow of {rank} axes, {resized} of them resized, has no axis for its vectors")
    return axis


def _require_masks(masks: Any, soft: object, fill: object) -> Any:
    """Return masks as an array; raise if they cannot be soft."""
    if not isinstance(soft, bool):
        raise ArgumentError(f"soft must be True or False, not {short_repr(soft)}")
    if as_float(fill) is None:
        raise ArgumentError(f"fill must be a finite number, not {short_repr(fill)}")
    array = backends.backend_for(masks).array(masks)
    if soft and not dtype_name(array).startswith(("float", "bfloat")):
        raise DtypeError(f"soft masks are floats, not {dtype_name(array)}; cast them, or leave out soft=True")
    return array


def _require_forward(plan: Plan) -> None:
    """Raise for a plan of gradients."""
    if plan.transposed:
        raise UnsupportedError("plan.T maps gradients, not masks or flow; use plan.unmap_masks or plan.unmap_flow")


def _resized(size: tuple[int, ...], masks: Any, axes: Any, layout: Any) -> tuple[int, ...]:
    """Return the axes of masks that belong to the image; raise if they have another size."""
    found = resolve_axes(axes, len(masks.shape), backends.backend_for(masks).AXES, layout)
    lengths = tuple(masks.shape[axis] for axis in found)
    if lengths != size:
        raise ArgumentError(
            f"masks of shape {tuple(masks.shape)} are {format_size(lengths)} along axes {found}, not "
            f"{format_size(size)}; {HINT}"
        )
    return found


class _Reading(NamedTuple):
    """The pixels that the outputs of one axis read: `low`, and the next with a `fraction`; or none if `outside`."""

    low: NDArray[np.int64]
    fraction: NDArray[np.float64] | None
    outside: NDArray[np.bool_]


def _forward(maps: LabelMaps) -> list[_Reading]:
    """Return the pixel of the image under the center of each output."""
    readings = []
    for axis, (one, n_in, n_out) in enumerate(_axes(maps.geometry)):
        index = np.floor(one.undo(np.arange(n_out) + 0.5) + NEAR).astype(np.int64)
        outside = (index < 0) | (index >= n_in)
        if isinstance(maps, Plan):  # the border repeats, unless the image leaves outputs empty
            outside = maps.taps[axis].count == 0
            outside = outside if maps.fill is None else outside | maps.fill[1][axis]
        readings.append(_Reading(np.clip(index, 0, n_in - 1), None, outside))
    return readings


def _backward(maps: LabelMaps, soft: bool) -> list[_Reading]:
    """Return the pixel of the result under the center of each pixel of the image; with `soft`, the two around it."""
    if isinstance(maps, Tile):
        return [_of_tile(*one) for one in zip(_backward(maps.parent, soft), maps.inputs, maps.windows, strict=True)]
    readings, repeats = [], isinstance(maps, Plan) and not is_part(maps.request)
    for one, n_in, n_out in _axes(maps.geometry):
        center = one.apply(np.arange(n_in) + 0.5)
        index = np.floor(center + NEAR).astype(np.int64)
        outside = np.zeros(n_in, bool) if repeats else (index < 0) | (index >= n_out)
        fraction = None
        if soft and isinstance(maps, Plan):
            x = np.clip(center - 0.5, 0, n_out - 1)
            index = np.floor(x).astype(np.int64)
            fraction = x - index
        readings.append(_Reading(np.clip(index, 0, n_out - 1), fraction, outside))
    return readings


def _of_tile(whole: _Reading, inputs: slice, window: slice) -> _Reading:
    """Return what the pixels under a tile read of it, given what those of the image read of the whole result."""
    low, last = whole.low[inputs] - window.start, window.stop - window.start - 1
    fraction = np.zeros(len(low)) if whole.fraction is None else whole.fraction[inputs]
    nearest, position = low + (fraction >= 0.5), np.clip(low + fraction, 0, last)
    outside = whole.outside[inputs] | (nearest < 0) | (nearest > last)
    low = np.floor(position).astype(np.int64)
    return _Reading(low, None if whole.fraction is None else position - low, outside)


def _axes(geometry: Geometry) -> list[tuple[AxisGeometry, int, int]]:
    """Return the map, the input and the output length of each axis."""
    return list(zip(geometry.axes, geometry.input_size, geometry.output_size, strict=True))


def _copy(x: Any, axes: tuple[int, ...], readings: list[_Reading], fill: float) -> Any:
    """Return the pixels that the outputs read along each axis, and `fill` in those outside."""
    rank = len(x.shape)
    for axis, one in zip(axes, readings, strict=True):
        first = x
        x = take(first, one.low, axis)
        if one.fraction is not None:
            share = constant(_along(one.fraction, axis, rank).tolist(), x)
            x = x * (1.0 - share) + take(first, np.minimum(one.low + 1, first.shape[axis] - 1), axis) * share
    for axis, one in zip(axes, readings, strict=True):
        if one.outside.any():
            x = replace(x, _along(one.outside, axis, rank), fill)
    return x


def _along(values: np.ndarray, axis: int, rank: int) -> np.ndarray:
    """Return a vector along one of `rank` axes."""
    return values.reshape([-1 if one == axis else 1 for one in range(rank)])
