"""COCO JSON: boxes, polygons, masks as run lengths, keypoints with visibility, and areas."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import FileError, SizewiseError, short_repr
from . import rle
from .document import LabelFile, LabelImage, Shape, as_length, as_numbers, corners, fail, pairs, rounded

NAME = "COCO"


def matches(document: Any) -> bool:
    """Return whether a JSON document is of this format."""
    return isinstance(document, dict) and "images" in document


def read(document: Any, name: str) -> LabelFile:
    """Return the labels of a COCO file. Keypoints are indices of pixels there, so that 0 is the middle of pixel 0."""
    images, annotations = _list(document, "images", name), _list(document, "annotations", name)
    sizes: dict[object, tuple[int, int]] = {}
    for index, image in enumerate(images):
        where = f"images[{index}]"
        key = image.get("id")
        if not isinstance(key, (int, str)) or key in sizes:
            raise fail(name, where, f"its id is {short_repr(key)}; it must be a number or text that no other image has")
        if not isinstance(image.get("file_name"), str):
            raise fail(name, where, f"its file_name is {short_repr(image.get('file_name'))}; it must be text")
        sizes[key] = (
            as_length(image.get("height"), name, f"{where}.height"),
            as_length(image.get("width"), name, f"{where}.width"),
        )
    shapes: dict[object, list[Shape]] = {key: [] for key in sizes}
    for index, annotation in enumerate(annotations):
        key = annotation.get("image_id")
        if not isinstance(key, (int, str)) or key not in shapes:
            raise fail(name, f"annotations[{index}]", f"its image_id {short_repr(key)} is the id of no image")
        shapes[key] += _shapes(annotation, index, sizes[key], name)
    found = (
        LabelImage(image["file_name"], sizes[image["id"]], tuple(shapes[image["id"]]), index)
        for index, image in enumerate(images)
    )
    return LabelFile(name, NAME, tuple(found), document)


def write(file: LabelFile, images: tuple[LabelImage, ...]) -> Any:
    """Return the document with these images replaced; others are left out, with their annotations."""
    document = copy.copy(file.document)
    document["images"] = [dict(image) for image in document["images"]]
    annotations = [copy.deepcopy(one) for one in document["annotations"]]
    for image in images:
        height, width = image.size
        record = document["images"][image.reference]
        record |= {"file_name": image.name, "height": height, "width": width}
        scaled = set()
        for shape in image.shapes:
            index, key, detail = shape.reference
            annotation = annotations[index]
            if index not in scaled and _is_number(annotation.get("area")):
                annotation["area"] = round(annotation["area"] * image.area_scale, 9)
                scaled.add(index)
            _write_shape(annotation, key, detail, shape)
    document["images"] = [document["images"][index] for index in sorted(image.reference for image in images)]
    ids = {image["id"] for image in document["images"]}
    document["annotations"] = [annotation for annotation in annotations if annotation["image_id"] in ids]
    return document


def _write_shape(annotation: dict[str, Any], key: str, detail: Any, shape: Shape) -> None:
    if key == "bbox":
        (left, top), (right, bottom) = shape.points
        annotation["bbox"] = rounded([left, top, right - left, bottom - top])
    elif key == "keypoints":
        for index, (x, y) in zip(detail, shape.points - 0.5, strict=True):
            annotation["keypoints"][3 * index : 3 * index + 2] = rounded([x, y])
    elif shape.mask is not None:
        counts = rle.encode(shape.mask)
        annotation["segmentation"] |= {
            "size": list(shape.mask.shape),
            "counts": rle.compress(counts) if detail else counts,
        }
        if "area" in annotation:
            annotation["area"] = int(shape.mask.sum())
    else:
        annotation["segmentation"][detail] = rounded(shape.points)


def _list(document: dict[str, Any], key: str, name: str) -> list[dict[str, Any]]:
    found = document.get(key)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise FileError(f"{name!r}: {key!r} of a COCO file must be a list of objects, found {short_repr(found)}")
    return found


def _shapes(annotation: dict[str, Any], index: int, size: tuple[int, int], name: str) -> Iterator[Shape]:
    record = f"annotations[{index}]"
    if annotation.get("bbox") is not None:
        where = f"{record}.bbox"
        box = as_numbers(annotation["bbox"], name, where, "a box is [x, y, width, height]")
        if len(box) != 4:
            raise fail(name, where, f"found {len(box)} numbers; a box is [x, y, width, height]")
        yield Shape("box", corners(box), where, (index, "bbox", None))
    if annotation.get("segmentation") is not None:
        yield from _segmentation(annotation["segmentation"], index, size, name)
    if annotation.get("keypoints") is not None:
        where, allowed = f"{record}.keypoints", "keypoints are a list of x, y and visibility of each"
        values = as_numbers(annotation["keypoints"], name, where, allowed)
        if len(values) % 3:
            raise fail(name, where, f"found {len(values)} numbers; {allowed}")
        keypoints = values.reshape(-1, 3)
        labeled = np.flatnonzero(keypoints[:, 2])
        reference = (index, "keypoints", tuple(labeled.tolist()))
        yield Shape("points", keypoints[labeled, :2] + 0.5, where, reference, is_index=True)


def _segmentation(found: Any, index: int, size: tuple[int, int], name: str) -> Iterator[Shape]:
    where = f"annotations[{index}].segmentation"
    allowed = "it must be a list of polygons [x, y, x, y, ...], or run lengths {size, counts}"
    if isinstance(found, dict):
        given = found.get("size")
        if given != list(size):
            raise fail(name, where, f"its size is {short_repr(given)}; that of the image is {list(size)}")
        try:
            mask = rle.decode(found.get("counts"), size)
        except SizewiseError as error:
            raise fail(name, where, str(error)) from None
        is_text = isinstance(found["counts"], str)
        yield Shape("mask", np.zeros((0, 2)), where, (index, "segmentation", is_text), mask)
        return
    if not isinstance(found, list):
        raise fail(name, where, f"found {short_repr(found)}; {allowed}")
    for number, polygon in enumerate(found):
        values = as_numbers(polygon, name, f"{where}[{number}]", allowed)
        if len(values) % 2 or len(values) < 6:
            raise fail(
                name, f"{where}[{number}]", f"found {len(values)} numbers; a polygon is [x, y, ...] of 3 points or more"
            )
        yield Shape("polygon", pairs(values), f"{where}[{number}]", (index, "segmentation", number))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
