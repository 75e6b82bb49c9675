"""Label files of every format, with the same kinds of labels."""

from __future__ import annotations

import copy

import numpy as np

from sizewise.labels import rle

MASK = np.zeros((48, 64), bool)
MASK[10:30, 20:41] = True
MASK[12, 22] = False


def coco(**annotation):
    """Return a COCO document of two images, with keys that are not coordinates; `annotation` is one more."""
    images = [
        {"id": 3, "file_name": "a.png", "width": 64, "height": 48, "license": 1, "date_captured": "2024"},
        {"id": "b", "file_name": "more/b.png", "width": 31, "height": 17},
    ]
    people = {"image_id": 3, "category_id": 1, "score": 0.25}
    annotations = [
        {"id": 1, **people, "bbox": [10, 20, 30.5, 12.25], "area": 200, "iscrowd": 0, "note": {"by": ["me", None]}},
        {"id": 2, **people, "segmentation": [[1.5, 2, 30, 2, 30, 40.25], [50, 5, 60, 5, 60, 9, 50, 9]], "area": 581.6},
        {"id": 3, **people, "segmentation": {"size": [48, 64], "counts": rle.encode(MASK)}, "iscrowd": 1},
        {"id": 4, **people, "segmentation": {"size": [48, 64], "counts": rle.compress(rle.encode(MASK))}, "area": 419},
        {"id": 5, **people, "keypoints": [10, 12, 2, 0, 0, 0, 33.5, 40, 1], "num_keypoints": 2},
        {"id": 6, "image_id": "b", "category_id": 1, "bbox": [0, 0, 31, 17], "segmentation": []},
    ]
    if annotation:
        annotations.append({"id": 7, "image_id": 3, **annotation})
    return {
        "info": {"year": 2024},
        "images": images,
        "annotations": annotations,
        "categories": [{"id": 1, "name": "x"}],
    }


LABELME = {
    "version": "5.4.1",
    "flags": {"dusk": True},
    "shapes": [
        {"label": "car", "points": [[10, 20], [40.5, 32.25]], "shape_type": "rectangle", "group_id": None, "flags": {}},
        {"label": "lane", "points": [[1, 2], [30, 40], [5, 41.5]], "shape_type": "polygon"},
        {"label": "tip", "points": [[7.25, 8]], "shape_type": "point"},
        {"label": "edge", "points": [[7, 8], [9, 10], [11, 30]], "shape_type": "linestrip"},
        {"label": "wheel", "points": [[20, 20], [24, 23]], "shape_type": "circle"},
    ],
    "imagePath": "a.png",
    "imageData": None,
    "imageHeight": 48,
    "imageWidth": 64,
}


def labelme(**changes):
    """Return a LabelMe document."""
    return {**copy.deepcopy(LABELME), **changes}


def cvat(shape=""):
    """Return a CVAT file, with one more shape."""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta><task><name>a &amp; b</name></task></meta>
  <!-- kept -->
  <image id="0" name="a.png" width="64" height="48">
    <box label="car" source="manual" occluded="0" xtl="10.00" ytl="20.00" xbr="40.50" ybr="32.25" z_order="0">
      <attribute name="color">red</attribute>
    </box>
    <polygon label="lane" points="1.00,2.00;30.00,40.00;5.00,41.50" occluded="0"/>
    <polyline label="edge" points="7,8;9,10;11,30"/>
    <points label="tip" points="7.25,8.00"/>
    <box label="turned" xtl="10" ytl="10" xbr="30" ybr="20" rotation="30.0"/>
    <ellipse label="wheel" cx="20" cy="21" rx="5" ry="4"/>
    <skeleton label="person"><points label="head" outside="0" points="30.5,11"/></skeleton>
    <tag label="day" source="manual"/>
    {shape}
  </image>
</annotations>
"""


YOLO = "0 0.5 0.5 0.25 0.125\n2 0.1 0.2 0.9 0.2 0.9 0.75\n"
POSE = "0 0.5 0.5 0.25 0.125 0.4 0.4 2 0 0 0 0.6 0.45 1\n"
