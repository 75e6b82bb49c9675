"""Pictures of a recipe's size rule: an image, the image resized, and the part that is cropped or padded to."""

from __future__ import annotations

from dataclasses import dataclass

from ...preprocess import CropOrResize, Preprocessor, Resize

Size = tuple[int, int]
WIDTH, HEIGHT = 360, 190  # of the drawing
_SIDE, _TOP = 140, 28  # pixels of the longest side of a frame, and above it


@dataclass(frozen=True)
class Box:
    """A rectangle of the drawing."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        """The middle of the rectangle."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class SizePicture:
    """An image of `input_size` and its result: `image` is the resized image in the frame of the result.

    `image` is (top, left, height, width) in pixels of the result; its top is negative where it is cropped, and
    positive where margins are added.
    """

    input_size: Size
    image: tuple[float, float, float, float]
    result: Size

    @property
    def input_box(self) -> Box:
        """The frame of the image, in the left half."""
        scale = _SIDE / max(self.input_size)
        height, width = (n * scale for n in self.input_size)
        return Box(80 - width / 2, _TOP + (_SIDE - height) / 2, width, height)

    @property
    def boxes(self) -> tuple[Box, Box]:
        """The frames of the resized image and of the result, in the right half."""
        top, left, height, width = self.image
        first_row, first_column = min(0.0, top), min(0.0, left)
        last_row, last_column = max(self.result[0], top + height), max(self.result[1], left + width)
        scale = _SIDE / max(last_row - first_row, last_column - first_column)
        x = 280 - scale * (first_column + last_column) / 2
        y = _TOP + _SIDE / 2 - scale * (first_row + last_row) / 2
        resized = Box(x + scale * left, y + scale * top, scale * width, scale * height)
        return resized, Box(x, y, scale * self.result[1], scale * self.result[0])

    @property
    def caption(self) -> str:
        """The sizes of the image and of the result, and how one becomes the other."""
        top, left, height, width = self.image
        parts = [f"resized to {height:.0f}x{width:.0f}"] if (height, width) != self.input_size else []
        inner = top + height, left + width
        if top < 0 or left < 0 or inner[0] > self.result[0] or inner[1] > self.result[1]:
            parts.append("cropped")
        if top > 0 or left > 0 or inner[0] < self.result[0] or inner[1] < self.result[1]:
            parts.append("padded")
        done = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts) or "kept"
        return f"{self.input_size[0]}x{self.input_size[1]}: {done}; the result is {self.result[0]}x{self.result[1]}"


def size_picture(recipe: Preprocessor, size: Size) -> SizePicture:
    """Return the picture of a recipe for an image of (height, width).

    >>> from sizewise.preprocess import CenterCrop, Preprocessor, Resize, ShortestEdge
    >>> size_picture(Preprocessor([Resize(ShortestEdge(224)), CenterCrop(224, 224)]), (480, 640)).image
    (0.0, -37.0, 224.0, 298.0)
    """
    top, left, height, width = 0.0, 0.0, float(size[0]), float(size[1])
    before = size
    for step in recipe.steps:
        parts = step.steps(before) if isinstance(step, CropOrResize) else ()
        for part in parts or (step,):
            after = part.output_size(before)
            if isinstance(part, Resize):
                rows, columns = after[0] / before[0], after[1] / before[1]
                top, left, height, width = top * rows, left * columns, height * rows, width * columns
            else:
                row, column = part.first_pixel(before)
                top, left = top - row, left - column
            before = after
    return SizePicture(size, (top, left, height, width), before)
