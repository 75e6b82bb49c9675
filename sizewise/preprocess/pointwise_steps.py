"""Steps that map each value of a channel by itself: scaling, normalizing, casting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError
from . import array_ops
from .size_rules import Size
from .steps import DTYPES, FLOATS, STEPS, Color, Step, require_known


@dataclass(frozen=True)
class Rescale(Step):
    """Compute `x * scale + offset`.

    Args:
        scale: the factor, such as 1/255.
        offset: added to the products.
        divide: whether to compute `x / scale + offset` instead, which rounds some values differently.
        compute: the floating dtype of the arithmetic.
        dtype: the floating dtype of the result.

    >>> from sizewise.preprocess import Preprocessor, Rescale
    >>> Preprocessor([Rescale(2 / 255, offset=-1)])(np.uint8([[0, 255]]))[..., 0]
    array([[-1.,  1.]], dtype=float32)
    """

    name: ClassVar[str] = "rescale"
    is_pointwise: ClassVar[bool] = True
    scale: float
    offset: float = 0.0
    divide: bool = False
    compute: str = "float32"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_known("compute", self.compute, FLOATS)
        require_known("dtype", self.dtype, FLOATS)
        if self.scale == 0:
            raise ArgumentError("rescale: scale is 0; it must be another number, such as 1/255")

    def apply(self, x: Any) -> Any:
        y = array_ops.cast(x, self.compute)
        y = y / self.scale if self.divide else y * self.scale
        return array_ops.cast(y + self.offset if self.offset else y, self.dtype)

    def grad(self, dy: Any, size: Size) -> Any:
        return dy / self.scale if self.divide else dy * self.scale


@dataclass(frozen=True)
class ToUnitRange(Step):
    """Divide integers by their maximum; cast floats without scaling them.

    Args:
        maximum: the divisor; by default the maximum of the dtype, such as 255.
        reciprocal: whether to multiply by 1 / maximum instead: `ToDtype(scale=True)` of torchvision.
        dtype: the floating dtype of the result.

    >>> from sizewise.preprocess import Preprocessor, ToUnitRange
    >>> pre = Preprocessor([ToUnitRange()])
    >>> pre(np.uint8([[0, 51, 255]]))[..., 0], pre(np.float32([[0.2]]))[..., 0]
    (array([[0. , 0.2, 1. ]], dtype=float32), array([[0.2]], dtype=float32))
    """

    name: ClassVar[str] = "to_unit_range"
    is_pointwise: ClassVar[bool] = True
    maximum: float | None = None
    reciprocal: bool = False
    dtype: str = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_known("dtype", self.dtype, FLOATS)
        if self.maximum is not None and self.maximum <= 0:
            raise ArgumentError(f"to_unit_range: maximum is {self.maximum}; it must be positive, such as 255")

    def apply(self, x: Any) -> Any:
        given = array_ops.dtype_name(x)
        y = array_ops.cast(x, self.dtype)
        if given in FLOATS:
            return y
        maximum = float(np.iinfo(given).max) if self.maximum is None else self.maximum
        return y * (1.0 / maximum) if self.reciprocal else y / maximum

    def grad(self, dy: Any, size: Size) -> Any:
        return dy  # gradients are those of floats, which are not scaled


@dataclass(frozen=True)
class Normalize(Step):
    """Compute `(x - mean) / std`.

    Args:
        mean: subtracted: one value, or one for each channel.
        std: the divisor, likewise.
        reciprocal: whether to compute `(x - mean) * (1 / std)` instead, which rounds some values differently.
        compute: the floating dtype of the arithmetic and the result.

    >>> from sizewise.preprocess import Normalize, Preprocessor
    >>> Preprocessor([Normalize((0.5, 0.5, 0.25), (0.5, 0.25, 0.25))])(np.float32([[[0, 0.5, 1]]]))
    array([[[-1.,  0.,  3.]]], dtype=float32)
    """

    name: ClassVar[str] = "normalize"
    is_pointwise: ClassVar[bool] = True
    mean: Color
    std: Color
    reciprocal: bool = False
    compute: str = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_known("compute", self.compute, FLOATS)
        if len(self.mean) != len(self.std) and 1 not in (len(self.mean), len(self.std)):
            raise ArgumentError(
                f"normalize: {len(self.mean)} means and {len(self.std)} stds; give one of each a channel"
            )
        if 0.0 in self.std:
            raise ArgumentError(f"normalize: std is {self.std}; no entry may be 0")

    def apply(self, x: Any) -> Any:
        self._require_channels(x)
        y = array_ops.cast(x, self.compute)
        return self._divide(y - array_ops.constant(self.mean, y, self.compute))

    def grad(self, dy: Any, size: Size) -> Any:
        return dy / array_ops.constant(self.std, dy, array_ops.dtype_name(dy))

    def _divide(self, y: Any) -> Any:
        if not self.reciprocal:
            return y / array_ops.constant(self.std, y, self.compute)
        return y * array_ops.constant([1.0 / one for one in self.std], y, self.compute)

    def _require_channels(self, x: Any) -> None:
        given, channels = max(len(self.mean), len(self.std)), int(x.shape[-1])
        if given not in (1, channels):
            raise ArgumentError(f"normalize has {given} means for an image of {channels} channels; give one for each")


@dataclass(frozen=True)
class Cast(Step):
    """Cast to a dtype: "uint8", "float16", "bfloat16", "float32" or "float64".

    Floats that become uint8 are truncated, as by NumPy's `astype`.

    >>> from sizewise.preprocess import Cast, Preprocessor
    >>> Preprocessor([Cast("uint8")])(np.float32([[0.5, 2.9]]))[..., 0]
    array([[0, 2]], dtype=uint8)
    """

    name: ClassVar[str] = "cast"
    is_pointwise: ClassVar[bool] = True
    dtype: str = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_known("dtype", self.dtype, DTYPES)

    def apply(self, x: Any) -> Any:
        return array_ops.cast(x, self.dtype)


STEPS.update({step.name: step for step in (Rescale, ToUnitRange, Normalize, Cast)})
