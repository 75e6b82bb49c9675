"""COCO files that pycocotools reads: boxes, polygons, masks and areas after a resize."""

from __future__ import annotations

import json

import label_files
import numpy as np
import pytest
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO

import sizewise as sw
from sizewise.files.resizing import Recipe
from sizewise.labels import files, mapping, rle

SIZE = (48, 64)
RESIZES = [
    Recipe(size=(24, 32)),
    Recipe(size=(60, 60), method="bicubic", dialect="pillow"),
    Recipe(size=(40, 40), fit="letterbox", dialect="opencv"),
    Recipe(size=(37, 91), dialect="tensorflow1", method="nearest"),
]


def load(path):
    """Return a file as pycocotools reads it."""
    reader = COCO()
    reader.dataset = json.loads(path.read_text())
    reader.createIndex()
    return reader


def blob(seed):
    """Return a mask with a smooth border."""
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]] + 0.5
    return (rows - 20 - seed) ** 2 / 150 + (columns - 30 - 3 * seed) ** 2 / 300 < 1


@pytest.fixture
def original(tmp_path):
    """Return a file whose masks pycocotools wrote."""
    document = label_files.coco()
    document["annotations"] = document["annotations"][:2]
    for seed in range(3):
        encoded = coco_mask.encode(np.asfortranarray(blob(seed).astype(np.uint8)))
        box, area = coco_mask.toBbox(encoded).tolist(), int(coco_mask.area(encoded))
        encoded["counts"] = encoded["counts"].decode()
        document["annotations"].append(
            {"id": 10 + seed, "image_id": 3, "category_id": 1, "segmentation": encoded, "bbox": box, "area": area}
        )
    (tmp_path / "coco.json").write_text(json.dumps(document))
    return tmp_path / "coco.json"


@pytest.mark.parametrize("recipe", RESIZES, ids=lambda one: f"{one.dialect}-{one.fit}")
def test_mapped_files(original, tmp_path, recipe):
    found = files.Found(original, original)
    file = files.read(found, files.ImageSizes())
    map_of = mapping.of_recipe(recipe)
    files.write(tmp_path / "mapped.json", file, tuple(map_of(image.size).apply(image) for image in file.images))
    before, after, maps = load(original), load(tmp_path / "mapped.json"), map_of(SIZE).maps
    size = maps.geometry.output_size
    assert (after.imgs[3]["height"], after.imgs[3]["width"]) == size
    for key in (1, 10, 11, 12):
        expected = maps.map_boxes([before.anns[key]["bbox"]], "xywh")[0]
        np.testing.assert_allclose(after.anns[key]["bbox"], expected, atol=1e-8)
    for key in (10, 11, 12):
        mask = after.annToMask(after.anns[key])
        assert (mask == maps.map_masks(before.annToMask(before.anns[key]))).all()
        assert after.anns[key]["area"] == coco_mask.area(after.annToRLE(after.anns[key])) > 0
    polygons = coco_mask.frPyObjects(after.anns[2]["segmentation"], *size)
    scale = maps.geometry.axes[0].scale * maps.geometry.axes[1].scale
    assert after.anns[2]["area"] == pytest.approx(before.anns[2]["area"] * scale)
    # pycocotools fills whole pixels: an error of up to half a pixel along the outline.
    filled, length = coco_mask.area(polygons).sum(), 2 * sum(size)
    assert abs(filled - after.anns[2]["area"]) < length


def test_control_another_resize_differs(original):
    before, plan = load(original), sw.make_plan(SIZE, (24, 32))
    mask = before.annToMask(before.anns[10])
    shifted = sw.make_plan(SIZE, (24, 32), "nearest", dialect="tensorflow1")
    assert (plan.map_masks(mask) != shifted.map_masks(mask)).any()


@pytest.mark.parametrize("seed", range(3))
def test_run_lengths_are_those_of_pycocotools(seed):
    encoded = coco_mask.encode(np.asfortranarray(blob(seed).astype(np.uint8)))
    assert rle.compress(rle.encode(blob(seed))) == encoded["counts"].decode()
    assert (rle.decode(encoded["counts"].decode(), SIZE) == blob(seed)).all()
