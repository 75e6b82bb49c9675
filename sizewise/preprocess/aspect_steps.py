"""Steps that crop or pad an image to an aspect ratio, as Keras does before it resizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..label_masks import Window
from ..plan import Plan
from .array_ops import Margins
from .size_rules import Exact, Size
from .steps import STEPS, Color, CropStep, PadStep, Resize, Step, require_known, require_size, size_of

_REALS: dict[str, Any] = {"float32": np.float32, "float64": np.float64}


@dataclass(frozen=True)
class CropToAspect(CropStep):
    """Crop to the largest centered part with the ratio of `height` to `width`.

    Args:
        height: of the ratio, not of the result.
        width: of the ratio.
        compute: the precision of lengths, which are quotients rounded down: "float32" as in Keras's `Resizing` with
            TensorFlow, or "float64" as in its `smart_resize`. They differ where a product of two lengths exceeds 2**24.

    >>> from sizewise.preprocess import CropToAspect, Preprocessor
    >>> Preprocessor([CropToAspect(224, 224)])(np.zeros((480, 640, 3), np.uint8)).shape
    (480, 480, 3)
    """

    name: ClassVar[str] = "crop_to_aspect"
    height: int
    width: int
    compute: str = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_size(self.name, self.height, self.width)
        require_known("compute", self.compute, tuple(_REALS))

    def output_size(self, size: Size) -> Size:
        lengths = _proportional(size, (self.height, self.width), self.compute)
        height, width = (max(1, min(n, length)) for n, length in zip(size, lengths, strict=True))
        return height, width

    def first_pixel(self, size: Size) -> Size:
        return _center(size, self.output_size(size))


@dataclass(frozen=True)
class PadToAspect(PadStep):
    """Pad an axis by equal margins to the ratio of `height` to `width`: one pixel less where they would be odd.

    Args:
        height: of the ratio, not of the result.
        width: of the ratio.
        fill: the color of margins: one value, or one for each channel.
        compute: the precision of lengths, which are quotients rounded down: "float32" as in Keras's `Resizing` with
            TensorFlow, or "float64".

    >>> from sizewise.preprocess import PadToAspect, Preprocessor
    >>> pre = Preprocessor([PadToAspect(1, 2, fill=9)])
    >>> pre(np.zeros((2, 2, 3), np.uint8))[..., 0]
    array([[9, 0, 0, 9],
           [9, 0, 0, 9]], dtype=uint8)
    """

    name: ClassVar[str] = "pad_to_aspect"
    height: int
    width: int
    fill: Color = (0.0,)
    compute: str = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_size(self.name, self.height, self.width)
        require_known("compute", self.compute, tuple(_REALS))

    def margins(self, size: Size) -> Margins:
        lengths = _proportional(size, (self.height, self.width), self.compute)
        vertical, horizontal = ((max(n, length) - n) // 2 for n, length in zip(size, lengths, strict=True))
        return vertical, vertical, horizontal, horizontal


@dataclass(frozen=True)
class CropOrResize(CropStep):
    """Crop to the center; crop to the aspect ratio and resize an image that is smaller: Keras's `CenterCrop`.

    Args:
        height: of the result.
        width: of the result.
        dialect: of the resize of smaller images: bilinear without antialiasing; integers are rounded, half to even.

    The first row of a crop is floor((n - height) / 2). Keras casts to float32 before this step.

    >>> from sizewise.preprocess import CropOrResize, Preprocessor
    >>> pre = Preprocessor([CropOrResize(1, 4)])
    >>> pre(np.uint8([[1, 2, 3, 4, 5, 6]]))[..., 0], pre(np.uint8([[0, 100]]))[..., 0]
    (array([[2, 3, 4, 5]], dtype=uint8), array([[  0,  25,  75, 100]], dtype=uint8))
    """

    name: ClassVar[str] = "crop_or_resize"
    height: int
    width: int
    dialect: str = "tensorflow"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_size(self.name, self.height, self.width)
        self._resize()

    def _resize(self) -> Resize:
        """Return the resize of a smaller image, after the crop to the aspect ratio."""
        return Resize(Exact(self.height, self.width), "bilinear", self.dialect, False, compute="float32")

    def output_size(self, size: Size) -> Size:
        return self.height, self.width

    def steps(self, size: Size) -> tuple[Step, ...]:
        """Return the steps for a smaller image: the crop to the aspect ratio and the resize; none for a larger one."""
        if size[0] >= self.height and size[1] >= self.width:
            return ()
        return CropToAspect(self.height, self.width, "float64"), self._resize()

    def first_pixel(self, size: Size) -> Size:
        return _center(size, (self.height, self.width))

    def links(self, size: Size) -> tuple[Plan | Window, ...]:
        steps = self.steps(size)
        if not steps:
            return super().links(size)
        return *steps[0].links(size), *steps[1].links(steps[0].output_size(size))

    def apply(self, x: Any) -> Any:
        steps = self.steps(size_of(x))
        if not steps:
            return super().apply(x)
        for step in steps:
            x = step.apply(x)
        return x

    def grad(self, dy: Any, size: Size) -> Any:
        steps = self.steps(size)
        if not steps:
            return super().grad(dy, size)
        part = steps[0].output_size(size)
        return steps[0].grad(steps[1].grad(dy, part), size)


def _proportional(size: Size, target: Size, compute: str) -> Size:
    """Return the height for the width of an image, and the width for its height, at the ratio of the target."""
    real = _REALS[compute]
    height = int(real(size[1] * target[0]) / real(target[1]))
    width = int(real(size[0] * target[1]) / real(target[0]))
    return height, width


def _center(size: Size, part: Size) -> Size:
    """Return the first row and column of a part in the center of an image."""
    return (size[0] - part[0]) // 2, (size[1] - part[1]) // 2


STEPS.update({step.name: step for step in (CropToAspect, PadToAspect, CropOrResize)})
