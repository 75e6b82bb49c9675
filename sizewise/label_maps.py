"""Labels that follow the pixels: methods that map points, boxes, polygons, masks, intrinsics and flow.

Coordinates are mapped by one formula per axis, output = scale * input + shift, on arrays of any library: batched,
differentiable, and without a change of dtype. Nothing is clipped unless `clip=True`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .autograph import do_not_convert
from .errors import ArgumentError, ArgumentTypeError, short_repr, unknown_name
from .geometry import ORIGINS
from .label_arrays import as_array, as_floats, clip, constant, join, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .geometry import AxisGeometry, Geometry

FORMATS = ("xyxy", "xywh", "cxcywh", "yxyx")
ORDERS = ("xy", "ij")
KINDS = ("points", "boxes", "polygons", "masks", "intrinsics", "flow")
LABEL_METHODS = tuple(f"{way}_{kind}" for way in ("map", "unmap") for kind in KINDS)


class LabelMaps:
    """Methods that map labels of an image to labels of its result, `map_...`, and back, `unmap_...`.

    Points are (x, y) along the last axis; `order="ij"` is array order, which plans of one or three axes need.
    `origin="edge"`, the default, counts from the edge of the image, where pixel 0 covers 0 .. 1; with "center", the
    center of pixel 0 is 0. Lists become NumPy arrays; integers become floats: float64 in NumPy, the default float
    elsewhere. NaN stays NaN, and empty arrays stay empty. Labels outside the image are mapped like all others;
    `clip=True` limits them to the image.
    """

    @property
    def geometry(self) -> Geometry:
        """The map of each axis."""
        raise NotImplementedError

    def map_points(self, points: Any, *, order: str = "xy", origin: str = "edge", clip: bool = False) -> Any:
        """Return points of the image as points of the result.

        >>> import sizewise as sw
        >>> plan = sw.make_plan((480, 640), (240, 160))
        >>> plan.map_points([[320, 240], [640, 480]])
        array([[ 80., 120.],
               [160., 240.]])
        >>> sw.make_plan((480, 640), (240, 320), dialect="tensorflow1").map_points([[320, 240]])
        array([[160.25, 120.25]])
        """
        return _Coordinates(self.geometry, origin).points(points, order, clip, inverse=False)

    def unmap_points(self, points: Any, *, order: str = "xy", origin: str = "edge", clip: bool = False) -> Any:
        """Return points of the result as points of the image: the inverse of `map_points`.

        >>> import sizewise as sw
        >>> sw.make_plan((480, 640), (240, 160)).unmap_points([[80, 120]])
        array([[320., 240.]])
        """
        return _Coordinates(self.geometry, origin).points(points, order, clip, inverse=True)

    def map_boxes(
        self, boxes: Any, format: str = "xyxy", *, normalized: bool = False, origin: str = "edge", clip: bool = False
    ) -> Any:
        """Return boxes of the image as boxes of the result.

        `format` is "xyxy", "xywh" (first corner and size), "cxcywh" (center and size) or "yxyx" (TensorFlow's).
        `normalized` coordinates are fractions: of the image before, of the result after. Corners are mapped like
        points, so that an inverted box stays inverted, and a box outside stays outside; with `clip=True` its corners
        end at the border, and its area may be 0. Where a resize mirrors an axis, the corners change places.

        >>> import sizewise as sw
        >>> plan = sw.make_plan((480, 640), (240, 160))
        >>> plan.map_boxes([[64, 48, 128, 96]]), plan.map_boxes([[0.5, 0.5, 0.1, 0.2]], "cxcywh", normalized=True)
        (array([[16., 24., 32., 48.]]), array([[0.5, 0.5, 0.1, 0.2]]))
        """
        return _Coordinates(self.geometry, origin).boxes(boxes, format, normalized, clip, inverse=False)

    def unmap_boxes(
        self, boxes: Any, format: str = "xyxy", *, normalized: bool = False, origin: str = "edge", clip: bool = False
    ) -> Any:
        """Return boxes of the result as boxes of the image: the inverse of `map_boxes`.

        >>> import sizewise as sw
        >>> sw.make_plan((480, 640), (240, 160)).unmap_boxes([[16, 24, 16, 24]], "xywh")
        array([[64., 48., 64., 48.]])
        """
        return _Coordinates(self.geometry, origin).boxes(boxes, format, normalized, clip, inverse=True)

    def map_polygons(self, polygons: Any, *, origin: str = "edge", clip: bool = False) -> Any:
        """Return polygons of the image as polygons of the result, in the form in which they are given.

        A polygon is an array (n, 2), a list of points, or a flat list [x1, y1, x2, y2, ...] as in COCO; polygons may
        be nested in lists. `clip=True` moves each vertex to the border; it does not cut edges.

        >>> import sizewise as sw
        >>> sw.make_plan((480, 640), (240, 160)).map_polygons([[64, 48, 128, 48, 128, 96]])
        [[16.0, 24.0, 32.0, 24.0, 32.0, 48.0]]
        """
        return _Coordinates(self.geometry, origin).polygons(polygons, clip, inverse=False)

    def unmap_polygons(self, polygons: Any, *, origin: str = "edge", clip: bool = False) -> Any:
        """Return polygons of the result as polygons of the image: the inverse of `map_polygons`.

        >>> import sizewise as sw
        >>> sw.make_plan((480, 640), (240, 160)).unmap_polygons([16, 24, 32, 24])
        [64.0, 48.0, 128.0, 48.0]
        """
        return _Coordinates(self.geometry, origin).polygons(polygons, clip, inverse=True)

    def map_intrinsics(self, matrices: Any, *, origin: str = "center") -> Any:
        """Return camera matrices (..., 3, 3) of the image as those of the result, skew included.

        `origin` is where the camera's pixel coordinates begin: "center", the default, as in OpenCV (the center of the
        first pixel is 0), or "edge" as in COLMAP (it is 0.5). Distortion coefficients do not change.

        >>> import numpy as np, sizewise as sw
        >>> K = np.array([[500.0, 0.0, 319.5], [0.0, 500.0, 239.5], [0.0, 0.0, 1.0]])
        >>> sw.make_plan((480, 640), (240, 320)).map_intrinsics(K)
        array([[250. ,   0. , 159.5],
               [  0. , 250. , 119.5],
               [  0. ,   0. ,   1. ]])
        """
        return _Coordinates(self.geometry, origin).intrinsics(matrices, inverse=False)

    def unmap_intrinsics(self, matrices: Any, *, origin: str = "center") -> Any:
        """Return camera matrices of the result as those of the image: the inverse of `map_intrinsics`.

        >>> import numpy as np, sizewise as sw
        >>> K = np.array([[250.0, 0.0, 160.0], [0.0, 250.0, 120.0], [0.0, 0.0, 1.0]])
        >>> sw.make_plan((480, 640), (240, 320)).unmap_intrinsics(K, origin="edge")[:2, 2]
        array([320., 240.])
        """
        return _Coordinates(self.geometry, origin).intrinsics(matrices, inverse=True)

    def map_masks(
        self, masks: Any, soft: bool = False, axes: int | Sequence[int] | None = None, *,
        layout: str | None = None, fill: float = 0,
    ) -> Any:  # fmt: skip
        """Return masks of the image as masks of the result; `axes` and `layout` are as in `apply`.

        Labels are copied, whatever the method of the image: each output pixel takes the label of the input pixel under
        its center, so that borders lie where those of the image do. `soft=True` resizes masks of floats like the image.
        Outputs outside the image become `fill`.

        >>> import numpy as np, sizewise as sw
        >>> sw.make_plan((6, 6), (2, 3), "lanczos3").map_masks(np.arange(36).reshape(6, 6))
        array([[ 7,  9, 11],
               [25, 27, 29]])
        """
        from .label_masks import map_masks

        return map_masks(self, masks, soft, axes, layout, fill)

    def unmap_masks(
        self, masks: Any, soft: bool = False, axes: int | Sequence[int] | None = None, *,
        layout: str | None = None, fill: float = 0,
    ) -> Any:  # fmt: skip
        """Return masks of the result as masks of the image.

        Each pixel of the image takes the label under its center; `soft=True` interpolates linearly. Pixels of the image
        that the result does not show become `fill`.

        >>> import numpy as np, sizewise as sw
        >>> sw.make_plan((2, 4), (2, 2)).unmap_masks(np.array([[1, 2], [3, 4]]))
        array([[1, 1, 2, 2],
               [3, 3, 4, 4]])
        """
        from .label_masks import unmap_masks

        return unmap_masks(self, masks, soft, axes, layout, fill)

    def map_flow(
        self, flow: Any, axes: int | Sequence[int] | None = None, *, layout: str | None = None, order: str = "xy"
    ) -> Any:
        """Return an optical flow of the image as that of the result: resized like the image, vectors times the scale.

        Vectors lie along the axis C of `layout`; without it, along the last axis, or before the resized ones where
        these are last. Both images of the flow must have been resized alike.

        >>> import numpy as np, sizewise as sw
        >>> sw.make_plan((4, 4), (2, 1)).map_flow(np.full((4, 4, 2), 8.0))[0]
        array([[2., 4.]])
        """
        from .label_masks import map_flow

        return map_flow(self, flow, axes, layout, _reverses(order, self.geometry), inverse=False)

    def unmap_flow(
        self, flow: Any, axes: int | Sequence[int] | None = None, *, layout: str | None = None, order: str = "xy"
    ) -> Any:
        """Return an optical flow of the result as that of the image; it is interpolated linearly.

        >>> import numpy as np, sizewise as sw
        >>> sw.make_plan((4, 4), (2, 1)).unmap_flow(np.full((2, 1, 2), 2.0))[0, 0]
        array([8., 4.])
        """
        from .label_masks import map_flow

        return map_flow(self, flow, axes, layout, _reverses(order, self.geometry), inverse=True)


for _name in LABEL_METHODS:
    do_not_convert(vars(LabelMaps)[_name])


def _reverses(order: str, geometry: Geometry) -> bool:
    """Return whether coordinates are in reverse array order; raise for an order that does not fit."""
    if order not in ORDERS:
        raise unknown_name("order", order, ORDERS)
    if order == "xy" and len(geometry.axes) != 2:
        raise ArgumentError(f'order="xy" is for two axes, not {len(geometry.axes)}; use order="ij" (array order)')
    return order == "xy"


class _Coordinates:
    """The formulas of one geometry, in coordinates of one origin."""

    def __init__(self, geometry: Geometry, origin: str) -> None:
        if origin not in ORIGINS:
            raise unknown_name("origin", origin, ORIGINS)
        self.geometry, self.half = geometry, 0.5 if origin == "center" else 0.0

    def points(self, points: Any, order: str, clips: bool, inverse: bool) -> Any:
        """Return points mapped."""
        reverses = _reverses(order, self.geometry)
        x = as_floats(points, "points", (len(self.geometry.axes),))
        axes = self.geometry.axes[::-1] if reverses else self.geometry.axes
        mapped = self._mapped(x, axes, inverse)
        return self._clipped(mapped, reverses, inverse) if _require_flag(clips, "clip") else mapped

    def polygons(self, polygons: Any, clips: bool, inverse: bool) -> Any:
        """Return polygons mapped, in their form."""
        if isinstance(polygons, dict):
            raise ArgumentTypeError("a run-length encoded mask is no polygon; decode it, and map it with map_masks")
        if not isinstance(polygons, (list, tuple)):
            x = as_array(polygons, "polygons")
            if len(x.shape) == 1 and x.shape[0] % 2 == 0:
                return reshape(self.points(reshape(x, (-1, 2)), "xy", clips, inverse), (-1,))
            return self.points(x, "xy", clips, inverse)
        if any(isinstance(one, (list, tuple, dict)) or getattr(one, "shape", ()) for one in polygons):
            return _like(polygons, [self.polygons(one, clips, inverse) for one in polygons])
        if len(polygons) % 2:
            raise ArgumentError(
                f"a polygon is {short_repr(polygons)}, of {len(polygons)} numbers; give x and y of each"
            )
        if not polygons:
            return polygons
        flat = as_floats(polygons, "polygons", (len(polygons),))
        return _like(polygons, self.points(flat.reshape(-1, 2), "xy", clips, inverse).reshape(-1).tolist())

    def boxes(self, boxes: Any, format: str, normalized: bool, clips: bool, inverse: bool) -> Any:
        """Return boxes mapped."""
        if format not in FORMATS:
            raise unknown_name("format", format, FORMATS)
        _reverses("xy", self.geometry)
        if _require_flag(normalized, "normalized") and self.half:
            raise ArgumentError('normalized boxes are fractions of the size; leave out origin="center"')
        x = as_floats(boxes, "boxes", (4,))
        reverses, sizes = format != "yxyx", (self.geometry.input_size, self.geometry.output_size)
        axes = self.geometry.axes[::-1] if reverses else self.geometry.axes
        if normalized:
            x = x * constant([*sizes[inverse][:: -1 if reverses else 1]] * 2, x)
        if _require_flag(clips, "clip") or (min(axis.scale for axis in axes) < 0 and format != "cxcywh"):
            x = self._mapped_corners(x, format, axes, clips, inverse)
        else:
            x = self._mapped(x, [*axes] * 2, inverse, 4 if format in ("xyxy", "yxyx") else 2)
        return x / constant([*sizes[not inverse][:: -1 if reverses else 1]] * 2, x) if normalized else x

    def intrinsics(self, matrices: Any, inverse: bool) -> Any:
        """Return camera matrices mapped: a product with the matrix of the map."""
        _reverses("xy", self.geometry)
        x = as_floats(matrices, "intrinsics", (3, 3))
        (i, j), shift = self.geometry.axes, self._shift
        if inverse:
            rows = [[1 / j.scale, 0, -shift(j) / j.scale], [0, 1 / i.scale, -shift(i) / i.scale], [0, 0, 1]]
        else:
            rows = [[j.scale, 0, shift(j)], [0, i.scale, shift(i)], [0, 0, 1]]
        return constant(rows, x) @ x

    def _shift(self, axis: AxisGeometry) -> float:
        """Return the shift of an axis for coordinates of the origin."""
        return axis.shift + (axis.scale * self.half - self.half)

    def _mapped(self, x: Any, axes: Sequence[AxisGeometry], inverse: bool, moved: int | None = None) -> Any:
        """Return coordinates mapped; those from `moved` on are lengths."""
        count = len(axes) if moved is None else moved
        scale = constant([one.scale if i < count else abs(one.scale) for i, one in enumerate(axes)], x)
        shift = constant([self._shift(one) if i < count else 0.0 for i, one in enumerate(axes)], x)
        return (x - shift) / scale if inverse else x * scale + shift

    def _clipped(self, x: Any, reverses: bool, inverse: bool) -> Any:
        """Return points limited to the image or its result."""
        size = self.geometry.input_size if inverse else self.geometry.output_size
        high = [n - self.half for n in (size[::-1] if reverses else size)]
        return clip(x, [0.0 - self.half] * len(high), high)

    def _mapped_corners(self, x: Any, format: str, axes: Sequence[AxisGeometry], clips: bool, inverse: bool) -> Any:
        """Return boxes mapped as two corners, each limited to the image if asked for."""
        first, other = x[..., :2], x[..., 2:]
        if format == "xywh":
            other = first + other
        if format == "cxcywh":
            half = other / 2
            first, other = first - half, first + half
        first, other = self._mapped(first, axes, inverse), self._mapped(other, axes, inverse)
        flips = [axis.scale < 0 for axis in axes]
        if any(flips):
            pairs = [(one[..., :1], one[..., 1:]) for one in (first, other)]
            first, other = (
                join([pairs[corner ^ flip][column] for column, flip in enumerate(flips)]) for corner in (0, 1)
            )
        if clips:
            first, other = (self._clipped(one, format != "yxyx", inverse) for one in (first, other))
        if format == "xywh":
            other = other - first
        if format == "cxcywh":
            first, other = (first + other) / 2, other - first
        return join([first, other])


def _like(given: list[Any] | tuple[Any, ...], values: list[Any]) -> Any:
    """Return values as a list, a tuple or a named tuple, whichever was given."""
    return type(given)(*values) if hasattr(given, "_fields") else type(given)(values)


def _require_flag(given: object, name: str) -> bool:
    """Return True or False; raise ArgumentError for all other values."""
    if not isinstance(given, bool):
        raise ArgumentError(f"{name} must be True or False, not {short_repr(given)}")
    return given
