"""LabelMe JSON: one file per image, with rectangles, polygons, lines, points and circles."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError, short_repr
from . import figures
from .document import LabelFile, LabelImage, Shape, as_length, as_numbers, fail, rounded

NAME = "LabelMe"
# shape_type -> the kind of shape, and the number of points where it is fixed.
KINDS: dict[str, tuple[str, int | None]] = {
    "rectangle": ("box", 2),
    "polygon": ("polygon", None),
    "point": ("points", 1),
    "points": ("points", None),
    "line": ("line", 2),
    "linestrip": ("line", None),
    "circle": ("ellipse", 2),
}


def matches(document: Any) -> bool:
    """Return whether a JSON document is of this format."""
    return isinstance(document, dict) and "shapes" in document


def read(document: Any, name: str) -> LabelFile:
    """Return the labels of a LabelMe file."""
    size = (
        as_length(document.get("imageHeight"), name, "imageHeight"),
        as_length(document.get("imageWidth"), name, "imageWidth"),
    )
    image_name = document.get("imagePath")
    if not isinstance(image_name, str):
        raise fail(name, "imagePath", f"found {short_repr(image_name)}; it must be the name of the image")
    if not isinstance(document["shapes"], list):
        raise FileError(f"{name!r}: 'shapes' of a LabelMe file must be a list, found {short_repr(document['shapes'])}")
    shapes = tuple(_shape(record, index, name) for index, record in enumerate(document["shapes"]))
    has_image = document.get("imageData") is not None
    notes = ("imageData, the image itself, is left out: LabelMe reads imagePath then",) if has_image else ()
    return LabelFile(name, NAME, (LabelImage(image_name, size, shapes),), document, notes)


def write(file: LabelFile, images: tuple[LabelImage, ...]) -> Any:
    """Return the document with this image replaced; without pixels, which would be those of the old one."""
    document = copy.deepcopy(file.document)
    (image,) = images
    document |= {"imagePath": image.name, "imageHeight": image.size[0], "imageWidth": image.size[1]}
    if "imageData" in document:
        document["imageData"] = None
    for shape in image.shapes:
        record = document["shapes"][shape.reference]
        points = shape.points
        if shape.kind == "ellipse":
            points = figures.circle(shape, file.path)
        record["points"] = [rounded(point) for point in points]
    return document


def _shape(record: Any, index: int, name: str) -> Shape:
    where = f"shapes[{index}]"
    if not isinstance(record, dict):
        raise fail(name, where, f"found {short_repr(record)}; a shape is an object")
    given = record.get("shape_type", "polygon")
    if given not in KINDS:
        known = ", ".join(KINDS)
        raise fail(name, where, f"its shape_type is {short_repr(given)}, which cannot be mapped; known: {known}")
    kind, count = KINDS[given]
    points = record.get("points")
    if not isinstance(points, list) or (count is not None and len(points) != count) or not points:
        wanted = "one or more" if count is None else count
        raise fail(name, where, f"its points are {short_repr(points)}; a {given} has {wanted}, each [x, y]")
    values = [as_numbers(point, name, where, "a point is [x, y]") for point in points]
    if any(len(point) != 2 for point in values):
        raise fail(name, where, f"its points are {short_repr(points)}; a point is [x, y]")
    array: NDArray[np.float64] = np.stack(values)
    return Shape(kind, figures.circle_points(array) if kind == "ellipse" else array, where, index)
