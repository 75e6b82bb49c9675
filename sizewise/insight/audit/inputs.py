"""Inputs of a model: name, shape, dtype, and the arithmetic on pixels that the model begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

Shape = tuple[int | None, ...]  # of all axes; None: unknown before the model runs
CHANNELS = (1, 3, 4)  # of images, where a shape does not name its axes
_MIN_LENGTH = 8  # pixels of an image without a batch axis: fewer are coordinates or boxes


@dataclass(frozen=True)
class Quantization:
    """Integers that stand for reals: (q - zero_point) * scale.

    >>> Quantization(0.5, -128, "int8").range
    (0.0, 127.5)
    """

    scale: float
    zero_point: int
    dtype: str

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest real that the integers can stand for."""
        limits = np.iinfo(self.dtype)
        return (limits.min - self.zero_point) * self.scale, (limits.max - self.zero_point) * self.scale


@dataclass(frozen=True)
class Scaling:
    """The arithmetic at the start of a model: x * scale + offset, one entry a channel; `nodes` compute it.

    >>> Scaling().then("sub", (0.5,), "a").then("div", (0.25,), "b")
    Scaling(scale=(4.0,), offset=(-2.0,), nodes=('a', 'b'))
    """

    scale: tuple[float, ...] = (1.0,)
    offset: tuple[float, ...] = (0.0,)
    nodes: tuple[str, ...] = ()

    def then(self, operation: str, values: Sequence[float], node: str, is_reversed: bool = False) -> Scaling | None:
        """Return this and one operation more; None where the result is not of this form.

        `operation` is add, sub, mul or div; `is_reversed` has the constant on the left.
        """
        constant = np.asarray(values, np.float64).ravel()
        lengths = {len(constant), len(self.scale), len(self.offset)} - {1}
        divides = operation == "div"
        if constant.size == 0 or len(lengths) > 1 or not np.isfinite(constant).all():
            return None
        if divides and (is_reversed or 0.0 in constant):
            return None
        scale, offset = np.asarray(self.scale), np.asarray(self.offset)
        if operation in ("mul", "div"):
            factor = 1 / constant if divides else constant
            scale, offset = scale * factor, offset * factor
        elif operation == "add":
            offset = offset + constant
        elif is_reversed:
            scale, offset = -scale, constant - offset
        else:
            offset = offset - constant
        return Scaling(tuple(scale.tolist()), tuple(offset.tolist()), (*self.nodes, node))

    @property
    def is_identity(self) -> bool:
        """Whether pixels are used as they are given."""
        return set(self.scale) == {1.0} and set(self.offset) == {0.0}

    @property
    def expects(self) -> tuple[float, float] | None:
        """The range of pixels that this arithmetic is for: 0 to 255, 0 to 1, or -1 to 1; None where it does not say.

        A mean that is subtracted lies inside the range of the pixels; a factor alone divides by its length.

        >>> Scaling((1 / 255,), (0.0,)).expects, Scaling((4.4,), (-2.1,)).expects
        ((0.0, 255.0), (0.0, 1.0))
        """
        if self.is_identity or 0.0 in self.scale:
            return None
        zero = float(np.mean(-np.asarray(self.offset) / np.asarray(self.scale)))
        factor = float(np.mean(np.abs(self.scale)))
        if 20 <= zero <= 235 or (zero == 0 and 100 <= 1 / factor <= 300):
            return 0.0, 255.0
        if 0.1 <= zero <= 0.9 or (zero == 0 and 100 <= factor <= 300):
            return 0.0, 1.0
        return (-1.0, 1.0) if abs(zero + 1) < 0.05 else None


@dataclass(frozen=True)
class Input:
    """One input: `shape` is None where not even its rank is known, and `dtype` is empty where it is unknown.

    `layout` names the axes of an image, such as "NCHW", where the shape or the first layer tells it. `layer` is the op
    of that layer, where it is a convolution. `quantization` is that of the input, or of the op that it goes into.
    """

    name: str
    shape: Shape | None = None
    dtype: str = ""
    layout: str = ""
    scaling: Scaling = field(default_factory=Scaling)
    quantization: Quantization | None = None
    layer: str = ""

    @property
    def is_image(self) -> bool:
        """Whether it may take images: of four axes, or of three of which one has the length of channels."""
        if self.dtype in ("bool", "string"):
            return False
        if self.shape is None or len(self.shape) == 4:
            return True
        return len(self.shape) == 3 and bool(self.layout)

    def length(self, axis: str) -> int | None:
        """Return the length of the axis H, W or C; None where it is unknown."""
        if self.shape is None or axis not in self.layout or len(self.layout) != len(self.shape):
            return None
        return self.shape[self.layout.index(axis)]


def with_layout(given: Input) -> Input:
    """Return an input with the layout that its shape has, unless its layers told another.

    >>> with_layout(Input("x", (None, 3, 224, 224))).layout, with_layout(Input("x", (None, 224, 224, 3))).layout
    ('NCHW', 'NHWC')
    """
    shape = given.shape
    if given.layout or shape is None or len(shape) not in (3, 4):
        return given
    if len(shape) == 3 and any(n is None or (n < _MIN_LENGTH and n not in CHANNELS) for n in shape):
        return given
    first, last = shape[-3] in CHANNELS, shape[-1] in CHANNELS
    if first == last:
        return given
    order = "CHW" if first else "HWC"
    return replace(given, layout=f"N{order}" if len(shape) == 4 else order)
