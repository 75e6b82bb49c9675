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

    def output_size(self, size: Size) -> Size:
        return self.target(size)

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
    """Pad to a fixed size."""

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
    """Pad each edge to the next multiple of `multiple`; to one more where `always` and it is a multiple already."""

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
    """Pad the shorter edge to the length of the longer."""

    name: ClassVar[str] = "pad_to_square"
    position: str = "center"
    rounding: str = "floor"
    fill: Color = (0.0,)

    def target(self, size: Size) -> Size:
        return max(size), max(size)


@dataclass(frozen=True)
class PadAtLeast(_PadToTarget):
    """Pad the edges that are shorter than `height` and `width`; leave longer ones."""

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
    """Pad by fixed margins, whatever the size of the image."""

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
    """Crop to the center, at row floor((n - height) / 2); raise ArgumentError for an image that is smaller."""

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
