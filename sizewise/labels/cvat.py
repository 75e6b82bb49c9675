"""CVAT for images 1.1, in XML: boxes, polygons, polylines, points, ellipses and skeletons."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError, short_repr
from . import figures
from .document import LabelFile, LabelImage, Shape, as_length, fail, pairs

NAME = "CVAT"
_POINTS = {"polygon": "polygon", "polyline": "line", "points": "points"}
_WITHOUT_COORDINATES = ("tag", "attribute")


def parse(data: bytes, name: str) -> ElementTree.ElementTree:
    """Return the document, with its comments."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise FileError(f"cannot read {name!r}: it declares a document type, which label files do not have")
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    try:
        return ElementTree.ElementTree(ElementTree.fromstring(data, parser))
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise FileError(f"cannot read {name!r}: not XML ({error})") from None


def read(document: ElementTree.ElementTree, name: str) -> LabelFile:
    """Return the labels of a CVAT file of images."""
    root = document.getroot()
    if root is None or root.tag != "annotations":
        found = "nothing" if root is None else root.tag
        raise FileError(f"{name!r}: its root is {short_repr(found)}; CVAT for images 1.1 has <annotations>")
    if root.find("track") is not None:
        raise FileError(f"{name!r}: it has tracks, of CVAT for video; export it as CVAT for images 1.1")
    images = tuple(_image(element, index, name) for index, element in enumerate(root) if element.tag == "image")
    return LabelFile(name, NAME, images, document)


def write(file: LabelFile, images: tuple[LabelImage, ...]) -> ElementTree.ElementTree:
    """Return the document with these images replaced; others are left out."""
    document = copy.deepcopy(file.document)
    root = document.getroot()
    for image in images:
        element = root[image.reference]
        height, width = image.size
        element.attrib |= {"name": image.name, "height": str(height), "width": str(width)}
        for shape in image.shapes:
            target = element
            for index in shape.reference:
                target = target[index]
            target.attrib |= _attributes(target.tag, shape, file.path)
    kept = {image.reference for image in images}
    for element in [one for index, one in enumerate(root) if one.tag == "image" and index not in kept]:
        root.remove(element)
    return document  # type: ignore[no-any-return]


def _image(element: ElementTree.Element, index: int, name: str) -> LabelImage:
    where = f"image {short_repr(element.get('name', index))}"
    lengths = [as_length(_number(element, key, name, where), name, f"{where} {key}") for key in ("height", "width")]
    shapes = tuple(_shapes(element, (), name, where))
    return LabelImage(element.get("name", ""), (lengths[0], lengths[1]), shapes, index)


def _shapes(parent: ElementTree.Element, place: tuple[int, ...], name: str, where: str) -> Iterator[Shape]:
    """Yield the shapes of an image, and those within skeletons."""
    for index, element in enumerate(parent):
        if not isinstance(element.tag, str) or element.tag in _WITHOUT_COORDINATES:  # comments have no text as tag
            continue
        here = f"{where}, {element.tag} {index + 1}"
        reference = (*place, index)
        if element.tag == "skeleton":
            yield from _shapes(element, reference, name, here)
        elif element.tag == "box":
            yield _box(element, reference, name, here)
        elif element.tag == "ellipse":
            x, y, rx, ry = (_number(element, key, name, here) for key in ("cx", "cy", "rx", "ry"))
            _require_upright(element, name, here)
            yield Shape("ellipse", np.array([[x, y], [x + rx, y], [x, y + ry]]), here, reference)
        elif element.tag in _POINTS:
            yield Shape(_POINTS[element.tag], _points(element, name, here), here, reference)
        else:
            known = ", ".join(("box", *_POINTS, "ellipse", "skeleton", "tag"))
            raise fail(name, here, f"shapes of this kind cannot be mapped; known: {known}")


def _box(element: ElementTree.Element, reference: tuple[int, ...], name: str, where: str) -> Shape:
    left, top, right, bottom = (_number(element, key, name, where) for key in ("xtl", "ytl", "xbr", "ybr"))
    rotation = _number(element, "rotation", name, where) if "rotation" in element.attrib else 0.0
    if rotation:
        return Shape("rectangle", figures.rectangle_points(left, top, right, bottom, rotation), where, reference)
    return Shape("box", np.array([[left, top], [right, bottom]]), where, reference)


def _require_upright(element: ElementTree.Element, name: str, where: str) -> None:
    if "rotation" in element.attrib and _number(element, "rotation", name, where):
        raise fail(name, where, "rotated ellipses cannot be mapped; make it a polygon")


def _points(element: ElementTree.Element, name: str, where: str) -> NDArray[np.float64]:
    text = element.get("points", "")
    try:
        points = [[float(number) for number in point.split(",")] for point in text.split(";")]
        if any(len(point) != 2 for point in points):
            raise ValueError
    except ValueError:
        raise fail(name, where, f"its points are {short_repr(text)}; write them like 10.5,20;30,40") from None
    return pairs(np.asarray(points, np.float64))


def _number(element: ElementTree.Element, key: str, name: str, where: str) -> float:
    try:
        return float(element.attrib[key])
    except KeyError:
        raise fail(name, where, f"it has no {key}") from None
    except ValueError:
        raise fail(name, where, f"its {key} is {short_repr(element.get(key))}; it must be a number") from None


def _attributes(tag: str, shape: Shape, name: str) -> dict[str, str]:
    """Return the changed attributes of an element."""
    values: dict[str, Any]
    if shape.kind == "box":
        (left, top), (right, bottom) = shape.points
        values = {"xtl": left, "ytl": top, "xbr": right, "ybr": bottom}
    elif shape.kind == "rectangle":
        values = dict(zip(("xtl", "ytl", "xbr", "ybr", "rotation"), figures.rectangle(shape, name), strict=True))
    elif shape.kind == "ellipse":
        values = dict(zip(("cx", "cy", "rx", "ry"), figures.ellipse(shape), strict=True))
    else:
        return {"points": ";".join(f"{_text(x)},{_text(y)}" for x, y in shape.points)}
    return {key: _text(value) for key, value in values.items()}


def _text(value: float) -> str:
    return repr(round(float(value), 9) + 0.0)
