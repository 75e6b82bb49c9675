"""Labels in pixels, wherever their file stores them, with references into the file that they are from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError, short_repr

Size = tuple[int, int]


@dataclass(frozen=True)
class Shape:
    """One label: points (x, y) in pixels, where pixel 0 spans 0 to 1; or a mask of the image.

    `kind` is "box" (two corners), "polygon", "line", "points", "rectangle" (the corners of a rotated one), "ellipse"
    (its center and the ends of two radii) or "mask". `where` names the record in messages, and `reference` is its place
    in the document, which only the format's own module reads. `is_index` says that the file stores indices of pixels,
    whose 0 is the center of pixel 0.
    """

    kind: str
    points: NDArray[np.float64]
    where: str
    reference: Any = field(repr=False, default=None)
    mask: NDArray[np.bool_] | None = field(repr=False, default=None)
    is_index: bool = False


@dataclass(frozen=True)
class LabelImage:
    """The labels of one image, by the name that the label file has for it.

    `area_scale` is the factor of areas since the file was read.
    """

    name: str
    size: Size
    shapes: tuple[Shape, ...]
    reference: Any = field(repr=False, default=None)
    area_scale: float = 1.0


@dataclass(frozen=True)
class LabelFile:
    """A label file: its path, the name of its format, its images, and the document that they are from."""

    path: str
    format: str
    images: tuple[LabelImage, ...]
    document: Any = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def shapes(self) -> int:
        """The number of labels."""
        return sum(len(image.shapes) for image in self.images)


def fail(name: str, where: str, message: str) -> FileError:
    """Return the error of a record in a label file."""
    return FileError(f"{name!r}, {where}: {message}")


def as_numbers(value: object, name: str, where: str, allowed: str) -> NDArray[np.float64]:
    """Return a flat list of numbers as floats; raise FileError that says what is allowed."""
    if not isinstance(value, (list, tuple)) or not all(map(_is_number, value)):
        raise fail(name, where, f"found {short_repr(value)}; {allowed}")
    try:
        return np.asarray(value, np.float64)
    except OverflowError:  # JSON has integers that no float holds
        raise fail(name, where, f"found {short_repr(value)}, with a number too large; {allowed}") from None


def as_length(value: object, name: str, where: str) -> int:
    """Return the length of an edge of an image."""
    if not _is_number(value) or not 1 <= value < 2**31 or value % 1:
        raise fail(name, where, f"found {short_repr(value)}; it must be an integer from 1 to 2147483647")
    return int(value)


def pairs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x0, y0, x1, y1, ... as points."""
    return values.reshape(-1, 2)


def rounded(values: NDArray[np.float64] | Sequence[float]) -> list[float]:
    """Return coordinates as a flat list, without the noise of their last digits: to 1e-9 pixel."""
    return [round(float(value), 9) + 0.0 for value in np.asarray(values, np.float64).ravel()]


def corners(box: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x, y, width and height as two corners."""
    return np.stack([box[:2], box[:2] + box[2:]])


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
