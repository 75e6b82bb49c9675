"""Steps that crop or pad an image to an aspect ratio, as Keras does before it resizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..label_masks import Window
from ..plan import Plan
from . import array_ops
from .array_ops import Margins
from .size_rules import Exact, Size
from .steps import STEPS, Color, Resize, Step, crop, require_known, require_size

_REALS: dict[str, Any] = {"float32": np.float32, "float64": np.float64}


@dataclass(frozen=True)
class CropToAspect(Step):
    """Crop to the largest centered part with the ratio of `height` to `width`.

    Lengths are quotients in the precision `compute`, rounded down: float32 in Keras's `Resizing` with TensorFlow,
    float64 in its `smart_resize`. They differ where a product of two lengths exceeds 2**24.
    """

    name: ClassVar[str] = "crop_to_aspect"
    height: int
    width: int
    compute: str = "float32"

    def __post_init__(self) -> None:
        require_size(self.name, self.height, self.width)
        require_known("compute", self.compute, tuple(_REALS))

    def output_size(self, size: Size) -> Size:
        lengths = _proportional(size, (self.height, self.width), self.compute)
        height, width = (max(1, min(n, length)) for n, length in zip(size, lengths, strict=True))
        return height, width

    def first_pixel(self, size: Size) -> Size:
        top, _, left, _ = _margins(size, self.output_size(size))
        return top, left

    def apply(self, x: Any) -> Any:
        size = int(x.shape[-3]), int(x.shape[-2])
        return crop(x, *self.first_pixel(size), self.output_size(size))

    def grad(self, dy: Any, size: Size) -> Any:
        return array_ops.pad(dy, _margins(size, self.output_size(size)), (0.0,))


@dataclass(frozen=True)
class PadToAspect(Step):
    """Pad an axis by equal margins to the ratio of `height` to `width`: one pixel less where they would be odd.

    Lengths are quotients in the precision `compute`, rounded down, as in Keras's `Resizing` with TensorFlow.
    """

    name: ClassVar[str] = "pad_to_aspect"
    height: int
    width: int
    fill: Color = (0.0,)
    compute: str = "float32"

    def __post_init__(self) -> None:
        require_size(self.name, self.height, self.width)
        require_known("compute", self.compute, tuple(_REALS))

    def margins(self, size: Size) -> Margins:
        """Return the margins of an image of that size."""
        lengths = _proportional(size, (self.height, self.width), self.compute)
        vertical, horizontal = ((max(n, length) - n) // 2 for n, length in zip(size, lengths, strict=True))
        return vertical, vertical, horizontal, horizontal

    def output_size(self, size: Size) -> Size:
        top, bottom, left, right = self.margins(size)
        return size[0] + top + bottom, size[1] + left + right

    def first_pixel(self, size: Size) -> Size:
        top, _, left, _ = self.margins(size)
        return -top, -left

    def apply(self, x: Any) -> Any:
        return array_ops.pad(x, self.margins((int(x.shape[-3]), int(x.shape[-2]))), self.fill)

    def grad(self, dy: Any, size: Size) -> Any:
        top, _, left, _ = self.margins(size)
        return crop(dy, top, left, size)


@dataclass(frozen=True)
class CropOrResize(Step):
    """Crop to the center; crop to the aspect ratio and resize an image that is smaller: Keras's `CenterCrop`.

    The first row is floor((n - height) / 2). Smaller images are resized by TensorFlow's bilinear, without antialiasing;
    integers are rounded, half to even. Keras casts to float32 before this step.
    """

    name: ClassVar[str] = "crop_or_resize"
    height: int
    width: int

    def __post_init__(self) -> None:
        require_size(self.name, self.height, self.width)

    def output_size(self, size: Size) -> Size:
        return self.height, self.width

    def steps(self, size: Size) -> tuple[Step, ...]:
        """Return the steps for a smaller image: the crop to the aspect ratio and the resize; none for a larger one."""
        if size[0] >= self.height and size[1] >= self.width:
            return ()
        resize = Resize(Exact(self.height, self.width), "bilinear", "tensorflow", compute="float32")
        return CropToAspect(self.height, self.width, "float64"), resize

    def first_pixel(self, size: Size) -> Size:
        top, _, left, _ = _margins(size, (self.height, self.width))
        return top, left

    def links(self, size: Size) -> tuple[Plan | Window, ...]:
        steps = self.steps(size)
        if not steps:
            return super().links(size)
        return *steps[0].links(size), *steps[1].links(steps[0].output_size(size))

    def apply(self, x: Any) -> Any:
        size = int(x.shape[-3]), int(x.shape[-2])
        steps = self.steps(size)
        if not steps:
            return crop(x, *self.first_pixel(size), (self.height, self.width))
        for step in steps:
            x = step.apply(x)
        return x

    def grad(self, dy: Any, size: Size) -> Any:
        steps = self.steps(size)
        if not steps:
            return array_ops.pad(dy, _margins(size, (self.height, self.width)), (0.0,))
        part = steps[0].output_size(size)
        return steps[0].grad(steps[1].grad(dy, part), size)


def _proportional(size: Size, target: Size, compute: str) -> Size:
    """Return the height for the width of an image, and the width for its height, at the ratio of the target."""
    real = _REALS[compute]
    height = int(real(size[1] * target[0]) / real(target[1]))
    width = int(real(size[0] * target[1]) / real(target[0]))
    return height, width


def _margins(size: Size, part: Size) -> Margins:
    """Return the margins around a part in the center of an image."""
    top, left = (size[0] - part[0]) // 2, (size[1] - part[1]) // 2
    return top, size[0] - part[0] - top, left, size[1] - part[1] - left


STEPS.update({step.name: step for step in (CropToAspect, PadToAspect, CropOrResize)})
