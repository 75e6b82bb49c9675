"""Steps that pad an image, or crop it without padding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..errors import ArgumentError
from .array_ops import Margins
from .rounding import require_rounding, round_to
from .size_rules import Size
from .steps import STEPS, Color, CropStep, PadStep, Step, canonical_fields, require_known, require_size


class _PadToTarget(PadStep):
    """Padding: `target` is the size to reach; `position` "center" or "start" (margins at the bottom and right).

    `rounding` of half the margin goes before a centered image.
    """

    position: str
    rounding: str

    def __post_init__(self) -> None:
        super().__post_init__()
        require_known("position", self.position, ("center", "start"))
        require_rounding(self.rounding)

    @property
    def canonical(self) -> Step | None:
        """The step with defaults filled in: `rounding` has no effect where the image is at the start."""
        step: Any = self
        canonical: Step = canonical_fields(step if self.position == "center" else replace(step, rounding="floor"))
        return canonical

    def target(self, size: Size) -> Size:
        """Return the size with margins."""
        raise NotImplementedError

    def margins(self, size: Size) -> Margins:
        """Return the margins of an image of that size."""
        target = self.target(size)
        missing = target[0] - size[0], target[1] - size[1]
        if min(missing) < 0:
            raise ArgumentError(f"{self.name}: an image of {size[0]}x{size[1]} is larger than {target[0]}x{target[1]}")
        if self.position == "start":
            return 0, missing[0], 0, missing[1]
        top, left = (round_to(n / 2, self.rounding) for n in missing)
        return top, missing[0] - top, left, missing[1] - left


@dataclass(frozen=True)
class PadTo(_PadToTarget):
    """Pad to a fixed size; raise ArgumentError for an image that is larger.

    Args:
        height: of the result.
        width: of the result.
        position: of the image: "center", or "start" (margins at the bottom and right).
        rounding: of half the margin, which goes before a centered image: "floor", "ceil", "int" (toward 0), "round"
            (halves to even) or "half_up".
        fill: the color of margins: one value, or one for each channel.

    >>> import numpy as np
    >>> from sizewise.preprocess import PadTo, Preprocessor
    >>> Preprocessor([PadTo(2, 4, fill=9)])(np.zeros((2, 2, 3), np.uint8))[..., 0]
    array([[9, 0, 0, 9],
           [9, 0, 0, 9]], dtype=uint8)
    """

    name: ClassVar[str] = "pad_to"
    height: int
    width: int
    position: str = "center"
    rounding: str = "floor"
    fill: Color = (0.0,)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_size(self.name, self.height, self.width)

    def target(self, size: Size) -> Size:
        return self.height, self.width


@dataclass(frozen=True)
class PadToMultiple(_PadToTarget):
    """Pad each edge to the next multiple of a number.

    Args:
        multiple: that number.
        position: of the image: "center", or "start" (margins at the bottom and right).
        rounding: of half the margin, which goes before a centered image: "floor", "ceil", "int" (toward 0), "round"
            (halves to even) or "half_up".
        fill: the color of margins: one value, or one for each channel.
        always: whether to pad an edge that is a multiple already to the next one.

    >>> import numpy as np
    >>> from sizewise.preprocess import PadToMultiple, Preprocessor
    >>> image = np.zeros((60, 64, 3), np.uint8)
    >>> Preprocessor([PadToMultiple(32)])(image).shape, Preprocessor([PadToMultiple(32, always=True)])(image).shape
    ((64, 64, 3), (64, 96, 3))
    """

    name: ClassVar[str] = "pad_to_multiple"
    multiple: int
    position: str = "start"
    rounding: str = "floor"
    fill: Color = (0.0,)
    always: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.multiple < 1:
            raise ArgumentError(f"pad_to_multiple: multiple is {self.multiple}; it must be at least 1")

    def target(self, size: Size) -> Size:
        height, width = ((n if self.always else n - 1) // self.multiple * self.multiple + self.multiple for n in size)
        return height, width


@dataclass(frozen=True)
class PadToSquare(_PadToTarget):
    """Pad the shorter edge to the length of the longer.

    Args:
        position: of the image: "center", or "start" (margins at the bottom and right).
        rounding: of half the margin, which goes before a centered image: "floor", "ceil", "int" (toward 0), "round"
            (halves to even) or "half_up".
        fill: the color of margins: one value, or one for each channel.

    >>> import numpy as np
    >>> from sizewise.preprocess import PadToSquare, Preprocessor
    >>> Preprocessor([PadToSquare(fill=9)])(np.zeros((1, 3, 3), np.uint8))[..., 0]
    array([[9, 9, 9],
           [0, 0, 0],
           [9, 9, 9]], dtype=uint8)
    """

    name: ClassVar[str] = "pad_to_square"
    position: str = "center"
    rounding: str = "floor"
    fill: Color = (0.0,)

    def target(self, size: Size) -> Size:
        return max(size), max(size)


@dataclass(frozen=True)
class PadAtLeast(_PadToTarget):
    """Pad the edges that are shorter than `height` and `width`; leave longer ones.

    Args:
        height: the smallest of a result.
        width: the smallest of a result.
        position: of the image: "center", or "start" (margins at the bottom and right).
        rounding: of half the margin, which goes before a centered image: "floor", "ceil", "int" (toward 0), "round"
            (halves to even) or "half_up".
        fill: the color of margins: one value, or one for each channel.

    >>> import numpy as np
    >>> from sizewise.preprocess import PadAtLeast, Preprocessor
    >>> Preprocessor([PadAtLeast(4, 4)])(np.zeros((2, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    name: ClassVar[str] = "pad_at_least"
    height: int
    width: int
    position: str = "center"
    rounding: str = "floor"
    fill: Color = (0.0,)

    def target(self, size: Size) -> Size:
        return max(size[0], self.height), max(size[1], self.width)


@dataclass(frozen=True)
class PadBy(PadStep):
    """Pad by fixed margins, whatever the size of the image.

    Args:
        top: rows above the image.
        bottom: rows below it.
        left: columns to its left.
        right: columns to its right.
        fill: the color of margins: one value, or one for each channel.

    >>> import numpy as np
    >>> from sizewise.preprocess import PadBy, Preprocessor
    >>> Preprocessor([PadBy(top=0, bottom=1, left=2, right=0, fill=9)])(np.zeros((1, 2, 3), np.uint8))[..., 0]
    array([[9, 9, 0, 0],
           [9, 9, 9, 9]], dtype=uint8)
    """

    name: ClassVar[str] = "pad_by"
    top: int
    bottom: int
    left: int
    right: int
    fill: Color = (0.0,)

    def margins(self, size: Size) -> Margins:
        return self.top, self.bottom, self.left, self.right


@dataclass(frozen=True)
class CropInside(CropStep):
    """Crop to the center; raise ArgumentError for an image that is smaller.

    The first row is floor((n - height) / 2), and likewise the first column.

    >>> import numpy as np
    >>> from sizewise.preprocess import CropInside, Preprocessor
    >>> image = np.arange(9, dtype=np.uint8).reshape(3, 3)
    >>> Preprocessor([CropInside(1, 2)])(image)[..., 0]
    array([[3, 4]], dtype=uint8)
    """

    name: ClassVar[str] = "crop_inside"
    height: int
    width: int

    def __post_init__(self) -> None:
        super().__post_init__()
        require_size(self.name, self.height, self.width)

    def output_size(self, size: Size) -> Size:
        if size[0] < self.height or size[1] < self.width:
            raise ArgumentError(
                f"crop_inside: an image of {size[0]}x{size[1]} is smaller than the crop of {self.height}x{self.width}; "
                "resize or pad it first"
            )
        return self.height, self.width

    def first_pixel(self, size: Size) -> Size:
        height, width = self.output_size(size)
        return (size[0] - height) // 2, (size[1] - width) // 2


STEPS.update({step.name: step for step in (PadTo, PadToMultiple, PadToSquare, PadAtLeast, PadBy, CropInside)})
