"""YOLO text files: one per image, and a line per label, normalized by the size of the image."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, short_repr
from .document import LabelFile, LabelImage, Shape, Size, fail

NAME = "YOLO"
_ALLOWED = (
    "a line is a class and x y width height, and a confidence if it is a prediction; or a class and 3 or more points x "
    "y; or a class, x y width height and keypoints x y visibility"
)


@dataclass(frozen=True)
class Keypoints:
    """The keypoints of pose files: how many, with `dimensions` of 2 (x y) or 3 (x y visibility)."""

    count: int
    dimensions: int = 3


def read(text: str, name: str, size: Size, keypoints: Keypoints | None = None) -> LabelFile:
    """Return the labels of a YOLO file for an image of that size.

    Lines with keypoints are recognized by their length, and by visibilities of 0, 1 and 2 in all lines; those without
    visibility only with `keypoints`.
    """
    lines = [line.split() for line in text.splitlines()]
    rows = [_numbers(words, name, f"line {index + 1}") for index, words in enumerate(lines)]
    scale = np.array([size[1], size[0]], np.float64)
    dimensions = keypoints.dimensions if keypoints else 3 if _has_visibilities([row for row in rows if len(row)]) else 0
    shapes: list[Shape] = []
    for index, row in enumerate(rows):
        if len(row):
            wanted = 5 + keypoints.count * dimensions if keypoints else len(row)
            if len(row) != wanted:
                message = f"it has {len(row)} numbers; with these keypoints, it has {wanted}"
                raise fail(name, f"line {index + 1}", message)
            shapes += _shapes(row, index, dimensions, name, scale)
    return LabelFile(name, NAME, (LabelImage(PurePath(name).stem, size, tuple(shapes)),), lines)


def write(file: LabelFile, images: tuple[LabelImage, ...]) -> str:
    """Return the text with this image replaced."""
    (image,) = images
    lines = [list(words) for words in file.document]
    scale = np.array([image.size[1], image.size[0]], np.float64)
    for shape in image.shapes:
        line, starts = shape.reference
        points = shape.points / scale
        if shape.kind == "box":
            points = np.stack([points.mean(axis=0), points[1] - points[0]])
        for start, point in zip(starts, points, strict=True):
            lines[line][start : start + 2] = [f"{value + 0.0:.10g}" for value in point]
    return "".join(f"{' '.join(words)}\n" for words in lines)


def _numbers(words: list[str], name: str, where: str) -> NDArray[np.float64]:
    try:
        row = np.array([float(word) for word in words])
    except ValueError:
        raise fail(name, where, f"found {short_repr(' '.join(words))}, not all numbers; {_ALLOWED}") from None
    if len(row) and not (row[0] >= 0 and float(row[0]).is_integer()):
        raise fail(name, where, f"its class is {words[0]!r}; it must be an integer from 0")
    return row


def _has_visibilities(rows: list[NDArray[np.float64]]) -> bool:
    """Return whether all lines have a box and keypoints with visibility."""
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or (count := lengths.pop()) < 8 or (count - 5) % 3:
        return False
    return bool(np.isin(np.stack(rows)[:, 7::3], (0, 1, 2)).all())


def _shapes(row: NDArray[np.float64], line: int, dimensions: int, name: str, scale: NDArray) -> list[Shape]:
    where = f"line {line + 1}"
    if len(row) in (5, 6) or dimensions:
        middle, extent = row[1:3] * scale, row[3:5] * scale
        shapes = [Shape("box", np.stack([middle - extent / 2, middle + extent / 2]), where, (line, (1, 3)))]
        if dimensions and len(row) > 5:
            keypoints = row[5:].reshape(-1, dimensions)
            labeled = np.flatnonzero(keypoints[:, 2]) if dimensions == 3 else np.arange(len(keypoints))
            starts = tuple(5 + dimensions * index for index in labeled.tolist())
            shapes.append(Shape("points", keypoints[labeled, :2] * scale, f"{where} keypoints", (line, starts)))
        return shapes
    if len(row) < 7 or len(row) % 2 == 0:
        raise fail(name, where, f"it has {len(row)} numbers; {_ALLOWED}")
    return [Shape("polygon", row[1:].reshape(-1, 2) * scale, where, (line, tuple(range(1, len(row), 2))))]


def parse_keypoints(given: str) -> Keypoints:
    """Return the keypoints of text such as 17x3.

    >>> parse_keypoints("17x3")
    Keypoints(count=17, dimensions=3)
    """
    count, _, dimensions = given.lower().partition("x")
    if not (count.isascii() and count.isdigit() and int(count) and dimensions in ("2", "3")):
        raise ArgumentError(f"keypoints are {given!r}; write their number and 2 (x y) or 3 (x y visibility), like 17x3")
    return Keypoints(int(count), int(dimensions))
