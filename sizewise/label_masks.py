"""Masks and flow that follow the pixels; crops and margins, and chains of them with resizes."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from . import backends, sampling
from .axes import resolve_axes
from .dialects import Request, is_part
from .errors import ArgumentError, DtypeError, UnsupportedError, short_repr
from .filters import get as get_filter
from .geometry import Geometry, offset
from .label_arrays import constant, dtype_name
from .label_maps import LabelMaps
from .plan import Plan
from .taps import Taps
from .validation import as_float

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        for link in maps.links:
            masks = map_masks(link, masks, soft, axes, layout, fill)
        return masks
    if not isinstance(maps, Plan):
        return _selection(maps, fill).apply(masks, axes, layout=layout)
    _require_forward(maps)
    if soft:
        return maps.apply(masks, axes, layout=layout)
    return _selection(maps, fill).apply(masks, axes, layout=layout)


def unmap_masks(maps: LabelMaps, masks: Any, soft: bool, axes: Any, layout: Any, fill: float) -> Any:
    """Return masks of the result as masks of the image; see `LabelMaps.unmap_masks`."""
    masks = _require_masks(masks, soft, fill)
    if isinstance(maps, Chain):
        for link in reversed(maps.links):
            masks = unmap_masks(link, masks, soft, axes, layout, fill)
        return masks
    if isinstance(maps, Plan):
        _require_forward(maps)
    return _backward(maps, soft, fill).apply(masks, axes, layout=layout)


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
    factors = constant(np.reshape(scales, [-1] + [1] * (rank - 1 - vectors)), resized)
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


def _selection(maps: LabelMaps, fill: float) -> Plan:
    """Return the plan that copies the pixel under the center of each output, and `fill` where there is none."""
    geometry = maps.geometry
    taps, outside = [], []
    for axis, (one, n_in, n_out) in enumerate(_axes(geometry)):
        index = np.floor(one.undo(np.arange(n_out) + 0.5) + NEAR).astype(np.int64)
        if isinstance(maps, Plan):
            empty = maps.taps[axis].count == 0
            filled = empty if maps.fill is None else empty | maps.fill[1][axis]
        else:
            filled = (index < 0) | (index >= n_in)
        taps.append(sampling.mask_rows(sampling.nearest(n_in, index), ~filled))
        outside.append(filled)
    return _plan(geometry.input_size, geometry.output_size, taps, outside, fill)


def _backward(maps: LabelMaps, soft: bool, fill: float) -> Plan:
    """Return the plan from the result to the image: copies, or a linear filter at the mapped centers."""
    geometry, clamps = maps.geometry, isinstance(maps, Plan) and not is_part(maps.request)
    taps, outside = [], []
    for one, n_in, n_out in _axes(geometry):
        center = one.apply(np.arange(n_in) + 0.5)
        index = np.floor(center + NEAR).astype(np.int64)
        filled = np.zeros(n_in, bool) if clamps else (index < 0) | (index >= n_out)
        found = sampling.nearest(n_out, index)
        if soft and n_in != n_out:
            stretch = np.float64(max(abs(one.scale), 1.0))
            found = sampling.clamp_outside(n_out, *sampling.filter_window(center, 1.0, stretch, get_filter("linear")))
        taps.append(sampling.mask_rows(found, ~filled))
        outside.append(filled)
    return _plan(geometry.output_size, geometry.input_size, taps, outside, fill)


def _axes(geometry: Geometry) -> list[tuple[AxisGeometry, int, int]]:
    """Return the map, the input and the output length of each axis."""
    return list(zip(geometry.axes, geometry.input_size, geometry.output_size, strict=True))


def _plan(
    input_size: tuple[int, ...], output_size: tuple[int, ...], taps: list[Taps], outside: list[np.ndarray], fill: float
) -> Plan:
    """Return the plan of taps, with `fill` in the outputs outside."""
    request = Request("standard", "nearest", False, input_size, output_size)
    is_filled = fill != 0 and any(rows.any() for rows in outside)
    return Plan(request, tuple(taps), (float(fill), tuple(outside)) if is_filled else None)
